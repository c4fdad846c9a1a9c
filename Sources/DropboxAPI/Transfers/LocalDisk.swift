// Where tasks wait for the local disk: the cooperative pool has as many threads as the machine has cores, and a task
// that waits on it stops everybody.

import Dispatch

/// Threads for work that blocks on the local disk.
package enum LocalDisk {
    private static let queue = DispatchQueue(label: "dropbox.disk", attributes: .concurrent)

    /// Runs the work and returns what it returned or threw.
    package static func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(Failure) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
