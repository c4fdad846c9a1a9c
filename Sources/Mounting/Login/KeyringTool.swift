// secret-tool as a child of a mount: without a thread that would take the signals by which mounts
// end. Not responsible for what it is asked, nor for a time limit (Keyring).

import Blocking
import DropboxAPI
import DropboxSecretService
import Glibc
import LocalIO

/// Runs secret-tool on threads of its own.
struct KeyringTool: SecretTool {
    /// Environment variables for the program in place of this process's.
    var variables: [String: String] = [:]

    func run(
        _ arguments: [String], input: String
    ) async throws(TokenStoreError) -> SecretToolOutcome {
        let all = ProcessVariables.all.merging(variables) { $1 }
            .merging(["LC_ALL": "C.UTF-8"]) { $1 }
        guard let path = ChildProcess.find("secret-tool", in: all["PATH"]) else {
            throw .noSecretTool
        }
        let call = ChildRun()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                WorkerThread.start {
                    continuation.resume(returning: Self.run(call, path, arguments, all, input))
                }
            }
        } onCancel: {
            call.end(by: SIGTERM)
        }
        return try outcome.get()
    }

    private static func run(
        _ call: ChildRun, _ path: String, _ arguments: [String], _ variables: [String: String],
        _ input: String
    ) -> Result<SecretToolOutcome, TokenStoreError> {
        do throws(ChildProcessError) {
            // A login is smaller than the most that the input may have.
            guard
                let outcome = try call.run(path, arguments, environment: variables, input: input)
            else { return .failure(.failed("secret-tool was not run: cancelled")) }
            return .success(
                SecretToolOutcome(
                    isSuccess: outcome.status == 0, output: outcome.output, errors: outcome.errors))
        } catch {
            return .failure(.failed("secret-tool could not be run: \(error.message)"))
        }
    }
}
