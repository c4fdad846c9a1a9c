// The object by which a program ends operations. Not responsible for how an operation ends: Run.

import Synchronization

/// The object behind a `dropbox_cancel` of dropbox.h.
final class Canceller: Sendable {
    private struct State {
        var isCancelled = false
        var runs: [ObjectIdentifier: Run] = [:]
    }

    private let state = Mutex(State())

    /// Ends an operation with the others; at once, if they were ended.
    func add(_ run: Run) {
        let isCancelled = state.withLock { state in
            state.runs[ObjectIdentifier(run)] = run
            return state.isCancelled
        }
        if isCancelled { run.cancel() }
    }

    /// Forgets an operation that has ended.
    func remove(_ run: Run) {
        state.withLock { _ = $0.runs.removeValue(forKey: ObjectIdentifier(run)) }
    }

    /// Ends all operations, now and later.
    func cancel() {
        let runs = state.withLock { state in
            state.isCancelled = true
            return Array(state.runs.values)
        }
        for run in runs { run.cancel() }
    }
}
