// How the process that serves a mount and those that detach it agree on its end.

import Dispatch
package import LocalIO
import Synchronization

/// Coordinates a mount's end between the process that detaches it and the one that serves it.
package final class MountEnding: Sendable {
    /// Set by a second signal or by a command: stop waiting for the queue.
    package let isHurried = Latch()
    /// Set after everything is closed.
    package let hasEnded = Latch()
    /// Clients that wait for the outcome.
    let listeners = DispatchGroup()
    private let whenAsked: @Sendable (Bool) -> Void
    private let state = Mutex(State())

    private struct State {
        var standard: Double?
        /// The timeouts of waiting clients, the latest last.
        var asked: [(number: Int, limit: Double?)] = []
        var lastNumber = 0
        var outcome: DrainOutcome?
    }

    /// Waits at most this long for the queue after the mount was detached, in seconds, unless
    /// `setLimit` changes it.
    ///
    /// - Parameter whenAsked: Called with true when a client is about to detach the mount, and with false when none is any longer.
    package init(standardLimit: Double, whenAsked: @escaping @Sendable (Bool) -> Void = { _ in }) {
        self.whenAsked = whenAsked
        state.withLock { $0.standard = standardLimit }
    }

    /// Timeout in seconds for the queue after the mount was detached; nil for none. The last
    /// waiting client decides.
    package var limit: Double? {
        state.withLock { state in
            if let last = state.asked.last { return last.limit }
            return state.standard
        }
    }

    /// Sets the timeout for the queue, in place of the timeouts that clients have asked for.
    package func setLimit(_ seconds: Double?) {
        state.withLock { state in
            state.standard = seconds
            state.asked = []
        }
    }

    /// Sets the timeout of a waiting client. Returns the number by which it is withdrawn.
    func ask(limit: Double?) -> Int {
        let number = state.withLock { state in
            state.lastNumber &+= 1
            state.asked.append((state.lastNumber, limit))
            return state.lastNumber
        }
        whenAsked(true)
        return number
    }

    /// Forgets the timeout of a client that no longer waits.
    func withdraw(_ number: Int) {
        let isLast = state.withLock { state in
            state.asked.removeAll { $0.number == number }
            return state.asked.isEmpty
        }
        if isLast { whenAsked(false) }
    }

    /// Sets the outcome and releases all waiting clients.
    package func end(_ outcome: DrainOutcome) {
        state.withLock { $0.outcome = outcome }
        hasEnded.set()
    }

    /// Blocks until the outcome is set.
    func waitForOutcome() -> DrainOutcome? {
        hasEnded.wait()
        return state.withLock { $0.outcome }
    }
}
