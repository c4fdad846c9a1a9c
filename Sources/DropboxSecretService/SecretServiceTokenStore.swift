// Logins in the desktop's keyring: GNOME's, KDE's, or another with the Secret Service API. Accessed
// through libsecret's program secret-tool, so that GLib is not linked. Secrets are passed by stdin
// and stdout, never as arguments, which every user of the machine can read.
// https://specifications.freedesktop.org/secret-service/

public import DropboxAPI
import Subprocess
import SystemPackage

/// Stores logins with the Secret Service of the user's session.
///
/// A locked keyring makes the desktop ask the user for its password; a call waits for that, and
/// cancelling the task ends it. If the user does not unlock it, calls throw
/// `TokenStoreError.locked`. Without secret-tool, a session bus or a keyring, calls throw
/// `TokenStoreError.unavailable`: a server stores logins in a `FolderTokenStore`.
public struct SecretServiceTokenStore: TokenStore {
    /// Maximum output of secret-tool; a login has less than a kilobyte.
    private static let outputLimit = 1 << 20

    /// The app's name in the keyring.
    public let service: String
    private let program = Executable.name("secret-tool")
    /// Environment variables for the program in place of this process's.
    private let variables: [String: String]

    /// Names the app, for example `com.example.photos`; apps do not see one another's logins.
    public init(service: String) {
        self.init(service: service, variables: [:])
    }

    /// Names the app; the program gets these environment variables in place of this process's.
    package init(service: String, variables: [String: String]) {
        self.service = service
        self.variables = variables
    }

    /// The login of an account; nil when there is none.
    public func load(_ account: String) async throws(TokenStoreError) -> StoredLogin? {
        let outcome = try await run("lookup", try attributes(of: account))
        guard outcome.isSuccess else {
            // Only a missing login gives no message, and a user who does not unlock the keyring.
            guard outcome.errors.isEmpty else { throw outcome.failure }
            guard try await availability(of: account) != .locked else { throw .locked }
            return nil
        }
        do {
            return try StoredLogin(json: outcome.output)
        } catch {
            throw .damaged(account: account, reason: error.reason)
        }
    }

    /// Replaces an account's login.
    public func save(
        _ login: StoredLogin, for account: String
    ) async throws(TokenStoreError) {
        let attributes = try attributes(of: account)
        let outcome = try await run(
            "store", ["--label=\(service): \(account)"] + attributes, input: login.json)
        guard outcome.isSuccess else { throw outcome.failure }
    }

    /// Removes an account's login, if there is one.
    public func remove(_ account: String) async throws(TokenStoreError) {
        let outcome = try await run("clear", try attributes(of: account))
        guard outcome.isSuccess || outcome.errors.isEmpty else { throw outcome.failure }
        guard try await availability(of: account) != .locked else { throw .locked }
    }

    /// Whether an account's login can be loaded.
    package enum Availability: Hashable, Sendable {
        /// There is none, or none that can be seen before the keyring is unlocked.
        case missing
        /// The keyring has to be unlocked first, for which `load` makes the desktop ask the user.
        case locked
        /// `load` returns it without a question to the user.
        case readable
    }

    /// Whether an account's login can be loaded. The user is asked nothing.
    package func availability(
        of account: String
    ) async throws(TokenStoreError) -> Availability {
        let outcome = try await run("search", ["--all"] + (try attributes(of: account)))
        let errors = outcome.errors.split(whereSeparator: \.isNewline)
        // Unlike the other commands, this one does not unlock. It shows what may be seen of a locked
        // login, which is everything but its secret, and complains of that.
        guard errors.contains(where: { $0.hasPrefix("attribute.account = ") }) else {
            guard outcome.isSuccess || errors.isEmpty else { throw outcome.failure }
            return .missing
        }
        let lines = outcome.output.split(whereSeparator: \.isNewline)
        return lines.contains { $0.hasPrefix("secret = ") } ? .readable : .locked
    }

    /// The names of all accounts, sorted.
    public func accounts() async throws(TokenStoreError) -> [String] {
        let outcome = try await run("search", ["--all", "service", service])
        guard outcome.isSuccess else { throw outcome.failure }
        // Attributes come on stderr, secrets on stdout.
        let mark = "attribute.account = "
        return outcome.errors.split(whereSeparator: \.isNewline)
            .filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }.sorted()
    }

    /// The attributes that identify an account's login. A name that begins like an option would be
    /// taken for one.
    private func attributes(of account: String) throws(TokenStoreError) -> [String] {
        try TokenStoreError.check(account: account)
        guard !account.hasPrefix("-") else { throw .invalidAccount(account) }
        return ["service", service, "account", account]
    }

    // MARK: The program

    private struct Outcome {
        let isSuccess: Bool
        let output: String
        let errors: String

        var failure: TokenStoreError {
            let text = errors.split(whereSeparator: \.isNewline).first.map(String.init)
            // "Cannot create an item in a locked collection": the user did not unlock it.
            if text?.contains("locked collection") == true { return .locked }
            return .unavailable(text ?? "secret-tool failed without a word")
        }
    }

    private func run(
        _ command: String, _ arguments: [String], input: String = ""
    ) async throws(TokenStoreError) -> Outcome {
        // Its messages are interpreted, so they must be English.
        let variables = variables.merging(["LC_ALL": "C.UTF-8"]) { $1 }
        let environment = Environment.inherit.updating(
            Dictionary(
                variables.map { (Environment.Key(stringLiteral: $0), $1) },
                uniquingKeysWith: { $1 }))
        do {
            let result = try await Subprocess.run(
                program, arguments: Arguments([command] + arguments), environment: environment,
                input: .fileDescriptor(try pipe(with: input), closeAfterSpawningProcess: true),
                output: .string(limit: Self.outputLimit), error: .string(limit: Self.outputLimit))
            return Outcome(
                isSuccess: result.terminationStatus.isSuccess,
                output: result.standardOutput, errors: result.standardError)
        } catch let error as SubprocessError where error.code == .executableNotFound {
            throw .unavailable("the program secret-tool is not installed (package libsecret-tools)")
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
