// libsecret's program secret-tool, as the store of logins calls it, and the way in which apps run
// it. Not responsible for what its output means.

package import DropboxAPI
import Subprocess
import SystemPackage

/// The output of secret-tool.
package struct SecretToolOutcome: Sendable {
    let isSuccess: Bool
    /// Its output on stdout: secrets.
    let output: String
    /// Its output on stderr: attributes and messages.
    let errors: String

    package init(isSuccess: Bool, output: String, errors: String) {
        self.isSuccess = isSuccess
        self.output = output
        self.errors = errors
    }

    var failure: TokenStoreError {
        let text = errors.split(whereSeparator: \.isNewline).first.map(String.init)
        // "Cannot create an item in a locked collection": the user did not unlock it.
        if text?.contains("locked collection") == true { return .locked }
        return .unavailable(text ?? "secret-tool failed without a word")
    }
}

/// A way to run secret-tool.
package protocol SecretTool: Sendable {
    /// Runs it to its end, which cancelling the task brings about. Its messages must be English.
    /// The input is smaller than a pipe. Throws `unavailable` if it is not installed.
    func run(
        _ arguments: [String], input: String
    ) async throws(TokenStoreError) -> SecretToolOutcome
}

extension SecretTool {
    func run(_ arguments: [String]) async throws(TokenStoreError) -> SecretToolOutcome {
        try await run(arguments, input: "")
    }
}

extension TokenStoreError {
    /// The program is not installed.
    package static let noSecretTool = TokenStoreError.unavailable(
        "the program secret-tool is not installed (package libsecret-tools)")
}

/// Runs secret-tool with swift-subprocess. That starts a thread which accepts every signal: a
/// process that waits for signals with `sigwait` needs another way.
struct SecretToolProcess: SecretTool {
    /// Maximum output of secret-tool; a login has less than a kilobyte.
    private static let outputLimit = 1 << 20

    /// Environment variables for the program in place of this process's.
    var variables: [String: String] = [:]

    func run(
        _ arguments: [String], input: String
    ) async throws(TokenStoreError) -> SecretToolOutcome {
        let variables = variables.merging(["LC_ALL": "C.UTF-8"]) { $1 }
        let environment = Environment.inherit.updating(
            Dictionary(
                variables.map { (Environment.Key(stringLiteral: $0), $1) },
                uniquingKeysWith: { $1 }))
        do {
            let result = try await Subprocess.run(
                .name("secret-tool"), arguments: Arguments(arguments), environment: environment,
                input: .fileDescriptor(try pipe(with: input), closeAfterSpawningProcess: true),
                output: .string(limit: Self.outputLimit), error: .string(limit: Self.outputLimit))
            return SecretToolOutcome(
                isSuccess: result.terminationStatus.isSuccess,
                output: result.standardOutput, errors: result.standardError)
        } catch let error as SubprocessError where error.code == .executableNotFound {
            throw .noSecretTool
        } catch {
            throw .failed("secret-tool could not be run: \(error)")
        }
    }

    /// The read end of a pipe that contains the text. Subprocess must not write the input itself:
    /// version 1.0.2 ends this process when a program ends before it has read its input, as one
    /// without a session bus does.
    private func pipe(with text: String) throws -> FileDescriptor {
        let pipe = try FileDescriptor.pipe(options: [.closeOnExec, .nonBlocking])
        defer { try? pipe.writeEnd.close() }
        do {
            // A pipe has at least 8 KiB, and a login is smaller: this does not block, and throws if
            // it would.
            try pipe.writeEnd.writeAll(text.utf8)
            return pipe.readEnd
        } catch {
            try? pipe.readEnd.close()
            throw error
        }
    }
}
