// A queue for blocking work of tasks: the cooperative pool has as many threads as the machine has
// cores, and a task that blocks one of them on a disk stalls all others.

import Dispatch

/// Runs work that blocks on the local disk on dedicated threads.
package struct DiskQueue: Sendable {
    /// Nil to run work on the caller's thread.
    private let queue: DispatchQueue?

    /// Makes a queue; `label` shows in debuggers.
    package init(label: String) {
        queue = DispatchQueue(label: label, attributes: .concurrent)
    }

    private init() {
        queue = nil
    }

    /// Runs work on the thread of its caller: for a process with one thread, whose order of steps
    /// must not depend on the machine.
    package static let inPlace = DiskQueue()

    /// Runs the work and returns its result or throws its error.
    package func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let queue else { return try work() }
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queue.async {
                let result: Result<Value, Failure>
                do throws(Failure) {
                    result = .success(try work())
                } catch {
                    result = .failure(error)
                }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }
}
