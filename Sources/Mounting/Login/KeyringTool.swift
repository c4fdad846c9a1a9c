// secret-tool as a child of a mount: without a thread that would take the signals by which mounts end. Not responsible for what
// it is asked, nor for a time limit (Keyring).

import DropboxAPI
import DropboxSecretService
import LocalIO
import Synchronization
import SystemPackage

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
        let call = KeyringCall()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                WorkerThread.start {
                    continuation.resume(returning: call.run(path, arguments, all, input))
                }
            }
        } onCancel: {
            call.cancel()
        }
        return try outcome.get()
    }
}

/// One run of secret-tool, which another thread can end.
private final class KeyringCall: Sendable {
    private enum State {
        case beginning
        case running(ChildProcess)
        case ended
    }

    private let state = Mutex(State.beginning)

    func cancel() {
        state.withLock { state in
            if case .running(let child) = state { child.terminate() }
            state = .ended
        }
    }

    func run(
        _ path: String, _ arguments: [String], _ variables: [String: String], _ input: String
    ) -> Result<SecretToolOutcome, TokenStoreError> {
        do throws(ChildProcessError) {
            let (output, errors) = (try DescriptorPipe(), try DescriptorPipe())
            guard let child = try start(path, arguments, variables, input, output, errors) else {
                return .failure(.failed("secret-tool was not run: cancelled"))
            }
            // At the same time: either may be more than a pipe holds.
            let messages = Mutex("")
            let isRead = Latch()
            WorkerThread.start {
                let text = errors.readToEnd()
                messages.withLock { $0 = text }
                isRead.set()
            }
            let text = output.readToEnd()
            isRead.wait()
            // From here on the number may be another process's.
            state.withLock { $0 = .ended }
            let status = child.wait()
            return .success(
                SecretToolOutcome(
                    isSuccess: status == 0, output: text, errors: messages.withLock { $0 }))
        } catch {
            return .failure(.failed("secret-tool could not be run: \(error.message)"))
        }
    }

    /// Starts the program unless the call was cancelled. Closes the child's ends of the pipes, and without a child both.
    private func start(
        _ path: String, _ arguments: [String], _ variables: [String: String], _ text: String,
        _ output: DescriptorPipe, _ errors: DescriptorPipe
    ) throws(ChildProcessError) -> ChildProcess? {
        var child: ChildProcess?
        defer {
            for pipe in [output, errors] {
                try? pipe.writing.close()
                if child == nil { try? pipe.reading.close() }
            }
        }
        let input = try DescriptorPipe()
        defer { try? input.reading.close() }
        // A pipe has at least 4 KiB, and a login is smaller: this does not block.
        _ = try? input.writing.writeAll(text.utf8)
        try? input.writing.close()
        child = try state.withLock { (state) throws(ChildProcessError) -> ChildProcess? in
            guard case .beginning = state else { return nil }
            let child = try ChildProcess.start(
                path, arguments, environment: variables,
                descriptors: [0: input.reading, 1: output.writing, 2: errors.writing],
                isDetached: false)
            state = .running(child)
            return child
        }
        return child
    }
}
