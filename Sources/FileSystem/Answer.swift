// How an operation answers: at once on the thread that asked, or after waiting on the network.

/// The outcome of one operation.
///
/// What memory, SQLite and the local disk can answer is answered at once on the caller's thread.
/// What needs the network is `pending`: the caller frees its thread, runs the work in a task and
/// replies when it ends. Cancelling that task is how an interrupted request stops waiting.
public enum Answer<Value: Sendable>: Sendable {
    /// The value, now.
    case ready(Value)
    /// The error, now.
    case failed(FileSystemError)
    /// The value or the error after waiting; to be run once.
    case pending(@Sendable () async throws(FileSystemError) -> Value)
}

extension Answer {
    /// Runs work that cannot wait on the network and takes over its value or error.
    public static func now(_ work: () throws(FileSystemError) -> Value) -> Answer<Value> {
        do {
            return .ready(try work())
        } catch {
            return .failed(error)
        }
    }
}
