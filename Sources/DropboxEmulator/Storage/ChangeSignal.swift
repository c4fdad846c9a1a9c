// Wakes tasks that wait for a change.

import Synchronization

/// A counter that can be waited on.
final class ChangeSignal: Sendable {
    private struct State {
        var generation: UInt64 = 0
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Incremented by every announcement.
    var generation: UInt64 { state.withLock { $0.generation } }

    /// Wakes all waiting tasks.
    func announce() {
        let waiters = state.withLock { state in
            state.generation += 1
            let waiters = state.waiters
            state.waiters = [:]
            return waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Returns at the first announcement after a generation, or when the task is cancelled.
    func wait(after generation: UInt64) async {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.generation != generation || Task.isCancelled { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    /// Waits like `wait(after:)`, but at most until a deadline. Returns whether there was an
    /// announcement.
    func wait(after generation: UInt64, until deadline: ContinuousClock.Instant) async -> Bool {
        await withTaskGroup { group in
            group.addTask { await self.wait(after: generation) }
            group.addTask { try? await Task.sleep(until: deadline, clock: .continuous) }
            await group.next()
            group.cancelAll()
        }
        return self.generation != generation
    }
}
