// The pauses of calls that have found no server. They end when the network changes: then the server
// may be there. Not responsible for pauses that a server asks for.

import Synchronization

/// The pauses of a client's calls after failures of the network.
final class NetworkPauses: Sendable {
    private struct State {
        var last: UInt64 = 0
        var pauses: [UInt64: Task<Void, any Error>] = [:]
    }

    /// Lock: a leaf; memory only.
    private let state = Mutex(State())

    /// Sleeps until the time is over, the network changes, or the task is cancelled, at which it
    /// throws.
    func sleep(_ duration: Duration, by clock: CallClock) async throws {
        let task = Task { try await clock.sleep(duration) }
        let id = state.withLock { state in
            state.last &+= 1
            state.pauses[state.last] = task
            return state.last
        }
        defer { state.withLock { $0.pauses[id] = nil } }
        let outcome = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        let hasEndedEarly = state.withLock { $0.pauses[id] == nil }
        if Task.isCancelled || !hasEndedEarly { try outcome.get() }
    }

    /// Ends all pauses, because the server may be there now.
    func endAll() {
        let tasks = state.withLock { state in
            defer { state.pauses = [:] }
            return Array(state.pauses.values)
        }
        for task in tasks { task.cancel() }
    }
}
