// Waiting until the queue is uploaded: when to continue, when to give up, and the result.

package import Blocking

/// The result of waiting for the queue.
package struct DrainOutcome: Hashable, Sendable, Codable {
    /// Changes that are still queued; 0 if everything is on Dropbox.
    package var remaining: Int
    /// The reason for the remaining changes, if any.
    package var reason: String?

    /// Creates an outcome, by default without a reason.
    package init(remaining: Int, reason: String? = nil) {
        self.remaining = remaining
        self.reason = reason
    }
}

/// One wait for the queue.
package struct Drain: Sendable {
    /// Timeout in seconds; nil for none.
    package var limit: Double?

    /// Creates a wait of at most `limit` seconds.
    package init(limit: Double?) {
        self.limit = limit
    }

    /// The outcome, if the backlog ends the wait after so many seconds; else nil.
    ///
    /// Being offline does not end the wait, because the network may come back. A queue that only a
    /// user's action can unblock does.
    package func outcome(of backlog: Backlog, after seconds: Double) -> DrainOutcome? {
        if backlog.operations == 0 { return DrainOutcome(remaining: 0) }
        if backlog.isPaused == true {
            return DrainOutcome(remaining: backlog.operations, reason: Self.paused)
        }
        let isStuck = backlog.isStuck && seconds >= Self.stuckTimeout
        if isStuck || backlog.state == .authRequired {
            return DrainOutcome(
                remaining: backlog.operations,
                reason: backlog.problem ?? "Dropbox does not accept the access token")
        }
        guard let limit, seconds >= limit else { return nil }
        let reason =
            backlog.state == .offline
            ? "offline" : backlog.problem ?? "time was up"
        return DrainOutcome(remaining: backlog.operations, reason: reason)
    }

    /// Waits, calling `report` with the backlog until it returns false or `isAbandoned` returns
    /// true (the client has gone), or the wait is over. `isHurried` ends it early.
    ///
    /// - Parameter limitSince: The limit, in place of this one's, of a wait that began at a moment;
    ///   it may change during the wait.
    package func run(
        _ service: any MountService, isHurried: Latch, isAbandoned: () -> Bool = { false },
        limitSince: ((ContinuousClock.Instant) -> Double?)? = nil,
        report: (Backlog) -> Bool
    ) -> DrainOutcome {
        service.sendingEverything {
            let start = ContinuousClock.now
            var wait = self
            var last: Backlog?
            var reported = start
            while true {
                let backlog = service.backlog()
                let waited = start.duration(to: .now) / .seconds(1)
                if let limitSince { wait.limit = limitSince(start) }
                if let outcome = wait.outcome(of: backlog, after: waited) { return outcome }
                let isDue =
                    backlog.changed(since: last)
                    || backlog != last && reported.duration(to: .now) >= Self.reportInterval
                if isAbandoned() || isDue && !report(backlog) {
                    return DrainOutcome(remaining: backlog.operations, reason: "not waited for")
                }
                if isDue { (last, reported) = (backlog, ContinuousClock.now) }
                if isHurried.wait(seconds: Self.interval) {
                    return DrainOutcome(remaining: backlog.operations, reason: "interrupted")
                }
            }
        }
    }

    /// Seconds after which a queue with only refused changes is given up: all of them were retried
    /// by then.
    private static let stuckTimeout = 5.0
    /// Polling interval in seconds: without a visible delay, and without load on the database.
    private static let interval = 0.05
    /// How often bytes are reported while the changes are the same.
    private static let reportInterval: Duration = .milliseconds(250)
    /// The reason for changes of a paused mount.
    static let paused = "paused, run: dbxfs resume"
}

extension Backlog {
    /// Whether more has changed than the progress within the same changes.
    fileprivate func changed(since last: Backlog?) -> Bool {
        guard var last else { return true }
        (last.sentBytes, last.rate, last.bytes) = (sentBytes, rate, bytes)
        return self != last
    }
}
