// How the process that serves a mount and those that detach it agree on its end.

package import Blocking
import Dispatch
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
    /// Held over `whenAsked`, so that its calls have the order of the clients' requests.
    private let order = Mutex(())
    private let state = Mutex(State())

    private struct State {
        var standard: Double?
        /// The timeouts of waiting clients, the latest last, and when they asked.
        var asked: [(number: Int, limit: Double?, time: ContinuousClock.Instant)] = []
        var lastNumber = 0
        var outcome: DrainOutcome?
    }

    /// Waits at most this long for the queue after the mount was detached, in seconds, unless
    /// `setLimit` changes it.
    ///
    /// - Parameter whenAsked: Called with true when a client is about to detach the mount, and with
    ///   false when none is any longer.
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

    /// The same for a wait that began at a moment, from which it counts. The timeout of a client
    /// that asked during the wait counts from then.
    package func limit(since start: ContinuousClock.Instant) -> Double? {
        state.withLock { state in
            guard let last = state.asked.last else { return state.standard }
            let before = Double.maximum(start.duration(to: last.time) / .seconds(1), 0)
            return last.limit.map { Double($0) + before }
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
        order.withLock { _ in
            let number = state.withLock { state in
                state.lastNumber &+= 1
                state.asked.append((state.lastNumber, limit, .now))
                return state.lastNumber
            }
            whenAsked(true)
            return number
        }
    }

    /// Forgets the timeout of a client that no longer waits.
    func withdraw(_ number: Int) {
        order.withLock { _ in
            let isLast = state.withLock { state in
                state.asked.removeAll { $0.number == number }
                return state.asked.isEmpty
            }
            if isLast { whenAsked(false) }
        }
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
