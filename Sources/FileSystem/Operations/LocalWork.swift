// Work with the local disk for tasks, and its failures. Not responsible for what the work does.

import Blocking
import Logging

/// Runs work where a task may wait for the local disk, and translates the errors of operations.
final class LocalWork: Sendable {
    private let disk: DiskQueue
    private let log: Logger

    init(disk: DiskQueue, log: Logger) {
        self.disk = disk
        self.log = log
    }

    /// Runs blocking work on the disk queue.
    func onDisk<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws(FileSystemError) -> Value {
        try await disk.run { () throws(FileSystemError) in
            do {
                return try work()
            } catch {
                throw self.failure(error)
            }
        }
    }

    /// The same for work that does not fail.
    func onDisk<Value: Sendable>(alwaysDone work: @escaping @Sendable () -> Value) async -> Value {
        await disk.run(work)
    }

    /// Translates an error for the caller and logs unexpected ones.
    func failure(_ error: any Error) -> FileSystemError {
        let failure = FileSystemError(cause: error)
        switch failure {
        case .inputOutput(let text):
            log.error("an operation failed", metadata: ["reason": "\(text)"])
        case .noSpace:
            log.warning("the local disk is full")
        default: break
        }
        return failure
    }
}
