// When to retry a request: a pure function of the failure and the call's progress. Not responsible
// for waiting, for clocks, or for tokens.

import Saturating

/// Decides whether a request that failed is sent again, and when.
///
/// Failures are of two kinds. *Faults* (5xx, connections) are counted and end after `maxAttempts`.
/// *Throttling* (rate limit, contention for a namespace's lock) says that the server is healthy but
/// busy: it is waited out until the call's deadline, however often it comes, unless `maxThrottles`
/// says otherwise.
public struct RetryPolicy: Hashable, Sendable {
    /// Requests at most per call, not counting those that were throttled.
    public var maxAttempts: Int
    /// Backoff after the first fault; it doubles with each further one.
    public var firstFaultDelay: Duration
    /// The longest backoff after a fault.
    public var longestFaultDelay: Duration
    /// Backoff after the first contention without `Retry-After`; it doubles with each further one.
    public var firstContentionDelay: Duration
    /// The longest backoff after contention.
    public var longestContentionDelay: Duration
    /// Backoff after a rate limit without `Retry-After`; as long as the official SDK for Python
    /// waits.
    public var unnamedRateLimitDelay: Duration
    /// Upper limit of the server's `Retry-After`.
    public var longestRateLimitDelay: Duration
    /// How many throttled requests of a call are waited out; nil for all, until its deadline. With
    /// 0 the first one is the caller's error, and so is a call while the server's pause lasts: for
    /// jobs that rather come back later.
    public var maxThrottles: Int?

    /// Takes over all fields.
    public init(
        maxAttempts: Int = 5, firstFaultDelay: Duration = .milliseconds(500),
        longestFaultDelay: Duration = .seconds(30), firstContentionDelay: Duration = .seconds(1),
        longestContentionDelay: Duration = .seconds(30),
        unnamedRateLimitDelay: Duration = .seconds(5),
        longestRateLimitDelay: Duration = .seconds(3600), maxThrottles: Int? = nil
    ) {
        self.maxAttempts = maxAttempts
        self.firstFaultDelay = firstFaultDelay
        self.longestFaultDelay = longestFaultDelay
        self.firstContentionDelay = firstContentionDelay
        self.longestContentionDelay = longestContentionDelay
        self.unnamedRateLimitDelay = unnamedRateLimitDelay
        self.longestRateLimitDelay = longestRateLimitDelay
        self.maxThrottles = maxThrottles
    }

    /// The failure of a request.
    @nonexhaustive public enum Event: Hashable, Sendable {
        /// Status 429, with the server's `Retry-After` if present.
        case rateLimited(Auth.RateLimitReason, retryAfter: Duration?)
        /// A response with status 5xx.
        case serverFault
        /// The connection or the network failed.
        case transport(TransportError)
        /// The route's own error, with its remedy.
        case route(RouteErrorRemedy)
        /// An error that no retry can mend.
        case permanent
    }

    /// The progress of the call.
    public struct Progress: Hashable, Sendable {
        /// Number of faults so far, including the present one if it is one.
        public var faults: Int
        /// Number of throttled requests so far, including the present one if it was.
        public var throttles: Int
        /// Time until the deadline; nil without one.
        public var remaining: Duration?
        /// Whether to retry when it is unknown if the request took effect.
        public var isSafeToRepeat: Bool
        /// Whether the request's body is content.
        public var hasContent: Bool
        /// True for calls whose failures the caller paces, such as longpoll.
        public var isPacedByCaller: Bool
        /// The caller's limit, which replaces the policy's.
        public var maxAttempts: Int?

        /// Takes over all fields.
        public init(
            faults: Int = 0, throttles: Int = 0, remaining: Duration? = nil,
            isSafeToRepeat: Bool, hasContent: Bool = false, isPacedByCaller: Bool = false,
            maxAttempts: Int? = nil
        ) {
            self.faults = faults
            self.throttles = throttles
            self.remaining = remaining
            self.isSafeToRepeat = isSafeToRepeat
            self.hasContent = hasContent
            self.isPacedByCaller = isPacedByCaller
            self.maxAttempts = maxAttempts
        }
    }

    /// The outcome of a decision.
    @nonexhaustive public enum Decision: Hashable, Sendable {
        /// Do not retry; report the error.
        case giveUp
        /// Retry this request after a pause.
        case retry(after: Duration)
        /// Pause all calls of the client, then retry this request.
        case holdAllCalls(for: Duration)
    }

    /// Whether an event counts as throttling.
    public static func isThrottling(_ event: Event) -> Bool {
        switch event {
        case .rateLimited, .route(.waitForWriters), .route(.waitForWritersUnlessBody): true
        case .serverFault, .transport, .route, .permanent: false
        }
    }

    /// Decides whether and when to retry. `random` is drawn from 0 up to 1 and spreads the clients
    /// of a busy server.
    public func decide(_ event: Event, _ progress: Progress, random: Double) -> Decision {
        if progress.isPacedByCaller { return .giveUp }
        if let maxThrottles, Self.isThrottling(event), progress.throttles > maxThrottles {
            return .giveUp
        }
        let decision = unboundedDecision(event, progress, random: random)
        guard let remaining = progress.remaining else { return decision }
        switch decision {
        case .retry(let delay) where delay >= remaining: return .giveUp
        case .holdAllCalls(let delay) where delay >= remaining: return .giveUp
        default: return decision
        }
    }

    /// How long no call may be sent after an event, whether or not the call that caused it is
    /// retried; nil when the event concerns that call alone.
    func closure(after event: Event) -> Duration? {
        switch event {
        case .rateLimited(.tooManyWriteOperations, _): nil
        case .rateLimited(_, let wish): rateLimitDelay(wish)
        case .serverFault, .transport, .route, .permanent: nil
        }
    }

    private func unboundedDecision(
        _ event: Event, _ progress: Progress, random: Double
    ) -> Decision {
        switch event {
        case .permanent, .route(.none):
            return .giveUp
        case .rateLimited(.tooManyWriteOperations, let wish):
            return .retry(
                after: max(wish.map(believed) ?? .zero, contentionDelay(progress, random)))
        case .rateLimited(_, let wish):
            return .holdAllCalls(for: rateLimitDelay(wish))
        case .route(.waitForWritersUnlessBody) where progress.hasContent:
            return .giveUp
        case .route(.waitForWriters), .route(.waitForWritersUnlessBody):
            return .retry(after: contentionDelay(progress, random))
        case .route(.resendBody):
            return faultDecision(progress, random)
        case .serverFault:
            return progress.isSafeToRepeat ? faultDecision(progress, random) : .giveUp
        case .transport(let error):
            guard error.isTransient, progress.isSafeToRepeat || !error.mayHaveBeenReceived
            else { return .giveUp }
            return faultDecision(progress, random)
        }
    }

    private func faultDecision(_ progress: Progress, _ random: Double) -> Decision {
        guard progress.faults < progress.maxAttempts ?? maxAttempts else { return .giveUp }
        return .retry(
            after: Self.delay(
                firstFaultDelay, longest: longestFaultDelay, count: progress.faults, random))
    }

    private func contentionDelay(_ progress: Progress, _ random: Double) -> Duration {
        Self.delay(
            firstContentionDelay, longest: longestContentionDelay, count: progress.throttles,
            random)
    }

    /// Exponential backoff, with jitter over the upper half of the result.
    private static func delay(
        _ first: Duration, longest: Duration, count: Int, _ random: Double
    ) -> Duration {
        let doublings = max(0, min(count -| 1, 20))
        return min(first.doubled(times: doublings), longest) *| (0.5 + random / 2)
    }

    private func rateLimitDelay(_ wish: Duration?) -> Duration {
        wish.map(believed) ?? unnamedRateLimitDelay
    }

    /// Clamps `Retry-After` to a second at least: repeated zeros would make the client retry
    /// without pause.
    private func believed(_ wish: Duration) -> Duration {
        min(max(wish, .seconds(1)), longestRateLimitDelay)
    }
}
