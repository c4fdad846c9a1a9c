// Write contention as a fault: some operations of a call fail with `too_many_write_operations`, in the
// union of their own kind, and change nothing.

import Synchronization

/// How many operations of the current call are still to fail.
final class Contention: Sendable {
    /// That of the call which the current task carries out.
    @TaskLocal static var current: Contention?

    private let left: Mutex<Int64>

    init(_ plan: FaultPlan) {
        left = Mutex(plan.details(.contention)?.entries ?? 0)
    }

    /// Whether the next operation is to fail.
    private func take() -> Bool {
        left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }

    /// Throws what an operation fails with if it is to fail.
    static func check(_ operation: Operation) throws {
        guard let current else { return }
        switch operation {
        case .commit, .createFolder:
            if current.take() { throw WriteError.tooManyWriteOperations }
        case .delete:
            if current.take() { throw DeleteError.tooManyWriteOperations }
        case .relocate:
            if current.take() { throw RelocationError.to(.tooManyWriteOperations) }
        case .restore:
            if current.take() { throw RestoreError.pathWrite(.tooManyWriteOperations) }
        default: break
        }
    }
}
