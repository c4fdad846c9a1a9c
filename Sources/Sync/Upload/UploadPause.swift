// The pause of all uploads after a failure that no single step has caused.

import Core
import Saturating
import Synchronization

/// Whether, and until when, uploads are suspended.
final class UploadPause: Sendable {
    private struct State {
        var end = WallTime(nanoseconds: 0)
        var count = 0
    }

    /// Lock: a leaf; no other lock is taken under it.
    private let state = Mutex(State())

    /// The end of the pause, which may be past.
    var end: WallTime { state.withLock { $0.end } }

    /// The number of pauses since the last success.
    var count: Int { state.withLock { $0.count } }

    func isActive(at now: WallTime) -> Bool { end > now }

    /// Begins a pause; returns false if there is one: steps that fail together are one reason to
    /// wait, not many.
    func begin(at now: WallTime, seconds: Double) -> Bool {
        state.withLock { state in
            guard state.end <= now else { return false }
            state.count +|= 1
            state.end = now.adding(seconds: seconds)
            return true
        }
    }

    /// Ends the pause, because the server is reachable again.
    func finish(at now: WallTime) {
        state.withLock { state in
            guard state.end > now else { return }
            state.end = now
            state.count = 0
        }
    }

    /// Notes a success, after which the next pause is a short one.
    func noteSuccess() {
        state.withLock { $0.count = 0 }
    }
}
