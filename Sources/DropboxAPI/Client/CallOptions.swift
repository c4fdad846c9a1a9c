// Settings of a single call. Not responsible for those of a client: Configuration.

/// Settings of one call.
public struct CallOptions: Sendable {
    /// Neither attempts nor requests continue after this moment, nor does the wait for an access
    /// token; nil means `DropboxConfiguration.callLimit`.
    public var deadline: ContinuousClock.Instant?
    /// Requests at most; nil leaves it to the retry policy. Backoff after a rate limit is not
    /// counted.
    public var maxAttempts: Int?
    /// Whether to retry when it is unknown if a request took effect: twice is then as good as once.
    /// Nil uses the route's setting.
    public var isSafeToRepeat: Bool?
    /// Timeouts; nil takes the configuration's.
    public var timeouts: TransferTimeouts?
    /// No backoff that the server asks for lasts beyond this moment: the call fails at once with
    /// `rateLimited`, with the length of the backoff. Nil leaves backoff to the deadline alone. A
    /// large transfer may need a deadline later than a caller should wait for a busy server.
    public var pauseDeadline: ContinuousClock.Instant?
    /// The caller's own name for the call, which comes back in observers' records, errors and the
    /// log.
    public var label: String?
    /// Called as content of this call goes up or comes down, from any thread. It must return
    /// quickly.
    public var progress: (@Sendable (TransferProgress) -> Void)?
    /// Called once when the call has ended, with its request id and status, also on success; then
    /// also with the JSON of its result. It must return quickly.
    public var onEnd: (@Sendable (CallRecord) -> Void)?
    /// Whether content is compared with the hash that the server names for it. A caller that
    /// compares it itself saves the computation.
    public var comparesHashes: Bool

    /// Takes over all fields.
    public init(
        deadline: ContinuousClock.Instant? = nil, maxAttempts: Int? = nil,
        isSafeToRepeat: Bool? = nil, timeouts: TransferTimeouts? = nil,
        pauseDeadline: ContinuousClock.Instant? = nil, label: String? = nil,
        comparesHashes: Bool = true,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        onEnd: (@Sendable (CallRecord) -> Void)? = nil
    ) {
        self.deadline = deadline
        self.pauseDeadline = pauseDeadline
        self.maxAttempts = maxAttempts
        self.isSafeToRepeat = isSafeToRepeat
        self.timeouts = timeouts
        self.label = label
        self.comparesHashes = comparesHashes
        self.progress = progress
        self.onEnd = onEnd
    }

    /// Options with a deadline `duration` from now.
    public static func within(_ duration: Duration) -> CallOptions {
        CallOptions(deadline: .now.advanced(by: duration))
    }
}

/// How far the content of one call has come.
public struct TransferProgress: Hashable, Sendable {
    /// Bytes that are done. A request that is sent again starts from its beginning, and so does its
    /// count.
    public var bytesDone: UInt64
    /// Bytes of the whole; nil if the server does not tell them.
    public var bytesTotal: UInt64?

    /// Takes over all fields.
    public init(bytesDone: UInt64, bytesTotal: UInt64?) {
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
    }

    /// The part that is done, from 0 to 1; nil while the whole is unknown.
    public var fraction: Double? {
        bytesTotal.map { $0 == 0 ? 1 : min(1, Double(bytesDone) / Double($0)) }
    }
}
