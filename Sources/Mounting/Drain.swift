// Waiting until everything queued is on Dropbox: when to go on, when to give up, what to say then.

/// How waiting for the queue ended.
public struct DrainOutcome: Hashable, Sendable, Codable {
    /// Changes that are still queued; 0 when everything is on Dropbox.
    public var remaining: Int
    /// Why, if some are.
    public var reason: String?

    /// Names both.
    public init(remaining: Int, reason: String? = nil) {
        self.remaining = remaining
        self.reason = reason
    }
}

/// One wait for the queue.
public struct Drain: Sendable {
    /// Seconds to wait at most; nil for as long as it takes.
    public var limit: Double?

    /// Waits for at most `limit` seconds.
    public init(limit: Double?) {
        self.limit = limit
    }

    /// The outcome, if what is queued now ends the wait after that many seconds.
    ///
    /// Being offline does not end it: the network may come back. A queue of which nothing can ever be
    /// sent without somebody's doing does.
    public func outcome(of backlog: Backlog, after seconds: Double) -> DrainOutcome? {
        if backlog.operations == 0 { return DrainOutcome(remaining: 0) }
        let isStuck = backlog.isStuck && seconds >= Self.stuckPatience
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

    /// Waits, calling `report` with what is left until it returns false (nobody listens any more) or
    /// the wait is over. `isHurried` ends it early.
    public func run(
        _ service: any MountService, isHurried: Signal, report: (Backlog) -> Bool
    ) -> DrainOutcome {
        service.sendingEverything {
            let start = ContinuousClock.now
            var last: Backlog?
            while true {
                let backlog = service.backlog()
                let waited = (ContinuousClock.now - start) / .seconds(1)
                if let outcome = outcome(of: backlog, after: waited) { return outcome }
                if backlog != last {
                    guard report(backlog) else {
                        return DrainOutcome(
                            remaining: backlog.operations, reason: "not waited for")
                    }
                    last = backlog
                }
                if isHurried.wait(seconds: Self.interval) {
                    return DrainOutcome(remaining: backlog.operations, reason: "interrupted")
                }
            }
        }
    }

    /// Seconds after which a queue that only has refused changes is given up: all of them have been
    /// tried again by then.
    private static let stuckPatience = 5.0
    /// Seconds between two looks at the queue: a person sees no delay, the database no load.
    private static let interval = 0.05
}
