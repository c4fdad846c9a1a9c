// Where blocking work goes when a task needs it: the cooperative pool has as many threads as the
// machine has cores, and a task that waits for a disk on it stops everybody.

import Dispatch

/// Runs work that blocks on the local disk on threads of its own.
public struct DiskQueue: Sendable {
    private let queue: DispatchQueue

    /// Makes a queue; `label` shows in debuggers.
    public init(label: String) {
        queue = DispatchQueue(label: label, attributes: .concurrent)
    }

    /// Runs the work and returns what it returned or threw.
    public func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
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
