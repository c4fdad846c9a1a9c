// Calls that are held until a test releases them. Not responsible for which calls those are.

import RemoteStore
import Synchronization

/// The calls that are held.
final class StalledCalls: Sendable {
    private struct State {
        /// The calls that are held, from their beginning to their release.
        var held: Set<Int> = []
        /// Those of them that have come to their stop.
        var stopped: [Int: CheckedContinuation<Void, Never>] = [:]
        var last = 0
    }

    /// Lock: a leaf; no other lock is taken under it.
    private let state = Mutex(State())

    /// Number of calls that are held.
    var count: Int { state.withLock { $0.held.count } }

    /// Notes a call that is to be held, and returns its number. From now on it can be released: a
    /// task may come to its stop long after a test has seen that the call has begun.
    func begin() -> Int {
        state.withLock { state in
            state.last += 1
            state.held.insert(state.last)
            return state.last
        }
    }

    /// Waits until the call is released. Throws `cancelled` if its task is cancelled.
    func stop(_ number: Int) async throws(RemoteError) {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if Task.isCancelled || !state.held.contains(number) { return true }
                    state.stopped[number] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            release(number)
        }
        if Task.isCancelled { throw .cancelled }
    }

    /// Lets a call continue.
    func release(_ number: Int) {
        let stopped = state.withLock { state in
            state.held.remove(number)
            return state.stopped.removeValue(forKey: number)
        }
        stopped?.resume()
    }

    /// Lets all calls continue, also those that have yet to come to their stop.
    func releaseAll() {
        let stopped = state.withLock { state in
            defer { (state.held, state.stopped) = ([], [:]) }
            return state.stopped
        }
        for call in stopped.values { call.resume() }
    }
}
