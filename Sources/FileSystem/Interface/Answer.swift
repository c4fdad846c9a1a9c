// The result of an operation: at once on the calling thread, or later if it must wait on the
// network.

/// The result of one operation, ready or pending.
///
/// An operation that memory, SQLite and the local disk can serve completes on the caller's thread.
/// One that needs the network is `pending`: the caller frees its thread, runs the work in a task
/// and replies when it ends. An interrupted request stops waiting by cancelling that task.
package enum Answer<Value: Sendable>: Sendable {
    /// The value is available now.
    case ready(Value)
    /// The operation failed without waiting.
    case failed(FileSystemError)
    /// Work that waits and then yields the value or the error; to be run once.
    case pending(@Sendable () async throws(FileSystemError) -> Value)
}

extension Answer {
    /// Runs work that cannot wait on the network and takes over its value or error.
    package static func now(_ work: () throws(FileSystemError) -> Value) -> Answer<Value> {
        do {
            return .ready(try work())
        } catch {
            return .failed(error)
        }
    }
}
