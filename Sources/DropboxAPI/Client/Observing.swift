// What a client lets others see of its work: requests, what is sent again and why, how calls end, tokens,
// and the bytes that move. Not responsible for counting: see TrafficCounter.

/// One request and its end.
public struct RequestRecord: Hashable, Sendable {
    /// The route, for example `files/list_folder`; `oauth2/token` for the token endpoint.
    public var route: String
    /// The status; nil when no answer came.
    public var status: Int?
    /// The server's name for the request.
    public var requestID: String?
    /// From sending to the end of the headers, or of a small body.
    public var duration: Duration
    /// 1 for the first request of a call.
    public var attempt: Int
    /// What went wrong, in one line; nil when nothing did.
    public var failure: String?

    /// Takes over all fields.
    public init(
        route: String, status: Int?, requestID: String?, duration: Duration, attempt: Int,
        failure: String?
    ) {
        self.route = route
        self.status = status
        self.requestID = requestID
        self.duration = duration
        self.attempt = attempt
        self.failure = failure
    }
}

/// A decision to send a request again.
public struct RetryRecord: Sendable {
    /// What went wrong; its context has the route and how many requests were sent so far.
    public var failure: CallFailure
    /// How long to wait first.
    public var delay: Duration
    /// Whether no call of the client is sent meanwhile, because the server asked for that.
    public var holdsAllCalls: Bool

    /// Takes over all fields.
    public init(failure: CallFailure, delay: Duration, holdsAllCalls: Bool) {
        self.failure = failure
        self.delay = delay
        self.holdsAllCalls = holdsAllCalls
    }
}

/// A call that ended, after one request or several. The body of a download is yet to come then.
public struct CallRecord: Sendable {
    /// Where, after how many requests, and the last one's name.
    public var context: CallContext
    /// From the call's beginning, with pauses and waiting for tokens.
    public var duration: Duration
    /// What the caller was thrown; nil when the call succeeded.
    public var failure: CallFailure?

    /// Takes over all fields.
    public init(context: CallContext, duration: Duration, failure: CallFailure?) {
        self.context = context
        self.duration = duration
        self.failure = failure
    }
}

/// An access token that was renewed, or could not be.
public struct TokenRefreshRecord: Hashable, Sendable {
    /// The account's name in the store; nil for tokens that no store knows.
    public var account: String?
    /// How long it took.
    public var duration: Duration
    /// Why there is no new token; nil when there is one.
    public var failure: TokenError?
    /// Why the new token, which is good, could not be kept; nil when it was, or when nothing keeps it.
    public var storeFailure: TokenStoreError?

    /// Takes over all fields.
    public init(
        account: String? = nil, duration: Duration, failure: TokenError? = nil,
        storeFailure: TokenStoreError? = nil
    ) {
        self.account = account
        self.duration = duration
        self.failure = failure
        self.storeFailure = storeFailure
    }
}

/// Sees what a client does. It is called from many threads and returns quickly.
///
/// Each method does nothing unless it is implemented.
public protocol DropboxObserver: TransferObserver {
    /// A request ended, one of several of its call perhaps.
    func requestEnded(_ record: RequestRecord)

    /// A request will be sent again.
    func retryDecided(_ record: RetryRecord)

    /// A call ended.
    func callEnded(_ record: CallRecord)

    /// The body of a download ended early, after its call had succeeded.
    func downloadFailed(_ failure: CallFailure)

    /// An access token was renewed, or could not be.
    func tokenRefreshed(_ record: TokenRefreshRecord)
}

extension DropboxObserver {
    /// Does nothing.
    public func requestEnded(_ record: RequestRecord) {}
    /// Does nothing.
    public func retryDecided(_ record: RetryRecord) {}
    /// Does nothing.
    public func callEnded(_ record: CallRecord) {}
    /// Does nothing.
    public func downloadFailed(_ failure: CallFailure) {}
    /// Does nothing.
    public func tokenRefreshed(_ record: TokenRefreshRecord) {}
    /// Does nothing.
    public func sent(bytes: Int, label: String) {}
    /// Does nothing.
    public func received(bytes: Int, label: String) {}
}
