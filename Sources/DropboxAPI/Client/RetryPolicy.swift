// When to send a request again: a pure function from what happened to what to do.
// Not responsible for waiting, for clocks, or for tokens.

/// Decides whether a request that failed is sent again, and when.
///
/// Two kinds of failures are told apart. *Faults* (5xx, connections) are counted and end after
/// `maxAttempts`. *Throttling* (rate limit, contention for a namespace's lock) says that the server
/// is well and busy: it is waited out until the call's deadline, however often it comes.
public struct RetryPolicy: Hashable, Sendable {
    /// Requests at most per call, not counting those that were throttled.
    public var maxAttempts: Int
    /// Pause after the first fault; it doubles with each further one.
    public var firstFaultDelay: Duration
    /// The longest pause after a fault.
    public var longestFaultDelay: Duration
    /// Pause after the first contention without `Retry-After`; it doubles with each further one.
    public var firstContentionDelay: Duration
    /// The longest pause after contention.
    public var longestContentionDelay: Duration
    /// Pause after a rate limit without `Retry-After`; the official SDK for Python waits as long.
    public var unnamedRateLimitDelay: Duration
    /// The longest `Retry-After` that is believed.
    public var longestRateLimitDelay: Duration

    /// Takes over all fields.
    public init(
        maxAttempts: Int = 5, firstFaultDelay: Duration = .milliseconds(500),
        longestFaultDelay: Duration = .seconds(30), firstContentionDelay: Duration = .seconds(1),
        longestContentionDelay: Duration = .seconds(30),
        unnamedRateLimitDelay: Duration = .seconds(5),
        longestRateLimitDelay: Duration = .seconds(3600)
    ) {
        self.maxAttempts = maxAttempts
        self.firstFaultDelay = firstFaultDelay
        self.longestFaultDelay = longestFaultDelay
        self.firstContentionDelay = firstContentionDelay
        self.longestContentionDelay = longestContentionDelay
        self.unnamedRateLimitDelay = unnamedRateLimitDelay
        self.longestRateLimitDelay = longestRateLimitDelay
    }

    /// What happened to a request.
    public enum Event: Hashable, Sendable {
        /// Status 429, with the server's wish if it named one.
        case rateLimited(Auth.RateLimitReason, retryAfter: Duration?)
        /// Status 5xx.
        case serverFault
        /// The network failed.
        case transport(TransportError)
        /// The route's own error.
        case route(RouteErrorRemedy)
        /// An error that stays the same however often one asks.
        case permanent
    }

    /// What is known about the call.
    public struct Progress: Hashable, Sendable {
        /// Faults so far, with the present one if it is one.
        public var faults: Int
        /// Throttled requests so far, with the present one if it was.
        public var throttles: Int
        /// Time until the deadline; nil without one.
        public var remaining: Duration?
        /// Whether to send again when it is unknown if the request took effect.
        public var retryAfterSend: Bool
        /// Whether the request has a body of content.
        public var hasContent: Bool
        /// True for calls whose failures the caller paces, such as longpoll.
        public var isPacedByCaller: Bool
        /// The caller's limit in place of the policy's.
        public var maxAttempts: Int?

        /// Takes over all fields.
        public init(
            faults: Int = 0, throttles: Int = 0, remaining: Duration? = nil,
            retryAfterSend: Bool, hasContent: Bool = false, isPacedByCaller: Bool = false,
            maxAttempts: Int? = nil
        ) {
            self.faults = faults
            self.throttles = throttles
            self.remaining = remaining
            self.retryAfterSend = retryAfterSend
            self.hasContent = hasContent
            self.isPacedByCaller = isPacedByCaller
            self.maxAttempts = maxAttempts
        }
    }

    /// What to do.
    public enum Decision: Hashable, Sendable {
        /// Report the error.
        case giveUp
        /// Send this request again after a pause.
        case retry(after: Duration)
        /// Send nothing at all during the pause, then this request again.
        case holdAllCalls(for: Duration)
    }

    /// Whether an event counts as throttling.
    public static func isThrottling(_ event: Event) -> Bool {
        switch event {
        case .rateLimited, .route(.waitForWriters), .route(.waitForWritersUnlessBody): true
        case .serverFault, .transport, .route, .permanent: false
        }
    }

    /// Decides. `random` is drawn from 0 up to 1 and spreads the clients of a busy server.
    public func decide(_ event: Event, _ progress: Progress, random: Double) -> Decision {
        if progress.isPacedByCaller { return .giveUp }
        let decision = unboundedDecision(event, progress, random: random)
        guard let remaining = progress.remaining else { return decision }
        switch decision {
        case .retry(let delay) where delay >= remaining: return .giveUp
        case .holdAllCalls(let delay) where delay >= remaining: return .giveUp
        default: return decision
        }
    }

    /// For how long no call is welcome after an event, whatever becomes of the call that met it;
    /// nil when the event is about that call alone.
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
            return progress.retryAfterSend ? faultDecision(progress, random) : .giveUp
        case .transport(let error):
            guard error.isTransient, progress.retryAfterSend || !error.mayHaveBeenReceived
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

    /// Doubles per repetition, and spreads over the upper half of the result.
    private static func delay(
        _ first: Duration, longest: Duration, count: Int, _ random: Double
    ) -> Duration {
        let doublings = max(0, min(count - 1, 20))
        return min(first * (1 << doublings), longest) * (0.5 + random / 2)
    }

    private func rateLimitDelay(_ wish: Duration?) -> Duration {
        wish.map(believed) ?? unnamedRateLimitDelay
    }

    /// At least a second: zero, sent for ever, would be an order to send for ever.
    private func believed(_ wish: Duration) -> Duration {
        min(max(wish, .seconds(1)), longestRateLimitDelay)
    }
}
