// The events that a client reports to observers: requests, retries and their reasons, ends of
// calls, tokens, and bytes transferred. Not responsible for counting: see TrafficCounter.

public import Essentials

/// A request that has ended.
public struct RequestRecord: Hashable, Sendable {
    /// The route, for example `files/list_folder`; `oauth2/token` for the token endpoint.
    public var route: String
    /// The caller's own name for the call: `CallOptions.label`.
    public var label: String?
    /// The HTTP status; nil without a response.
    public var status: Int?
    /// The request id that the server assigned.
    public var requestID: String?
    /// From sending to the end of the headers, or of a small body.
    public var duration: Duration
    /// Number of the attempt within its call; 1 for the first.
    public var attempt: Int
    /// The failure in one line; nil on success.
    public var failure: String?

    /// Takes over all fields.
    public init(
        route: String, label: String? = nil, status: Int?, requestID: String?, duration: Duration,
        attempt: Int,
        failure: String?
    ) {
        self.route = route
        self.label = label
        self.status = status
        self.requestID = requestID
        self.duration = duration
        self.attempt = attempt
        self.failure = failure
    }
}

/// A decision to retry a request.
public struct RetryRecord: Sendable {
    /// The failure; its context has the route and the number of requests so far.
    public var failure: CallFailure
    /// The backoff before the retry.
    public var delay: Duration
    /// Whether the server asked that no call of the client is sent during the delay.
    public var holdsAllCalls: Bool

    /// Takes over all fields.
    public init(failure: CallFailure, delay: Duration, holdsAllCalls: Bool) {
        self.failure = failure
        self.delay = delay
        self.holdsAllCalls = holdsAllCalls
    }
}

/// A call that ended, after one request or more. The body of a download is read after that.
public struct CallRecord: Sendable {
    /// Route, number of requests, and the last request's id.
    public var context: CallContext
    /// From the call's beginning, including backoff and waiting for tokens.
    public var duration: Duration
    /// The error thrown to the caller; nil when the call succeeded.
    public var failure: CallFailure?
    /// The JSON of the result as the server sent it, with the fields and payloads that this version
    /// does not know. Only `CallOptions.onEnd` is given it, for a call that succeeded: a result may
    /// hold secrets, which observers are not told.
    public var resultJSON: Data?

    /// Takes over all fields.
    public init(
        context: CallContext, duration: Duration, failure: CallFailure?, resultJSON: Data? = nil
    ) {
        self.context = context
        self.duration = duration
        self.failure = failure
        self.resultJSON = resultJSON
    }
}

/// The end of an attempt to renew an access token.
public struct TokenRefreshRecord: Hashable, Sendable {
    /// The account's name in the store; nil for tokens outside of any store.
    public var account: String?
    /// How long the renewal took.
    public var duration: Duration
    /// The reason for the missing token; nil on success.
    public var failure: TokenError?
    /// Why the new, valid token could not be stored; nil if it was, or without a store.
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

/// Observes a client. It is called from many threads and must return quickly.
///
/// The default implementation of each method does nothing.
public protocol DropboxObserver: TransferObserver {
    /// Called when a request ended, possibly one of several of its call.
    func requestEnded(_ record: RequestRecord)

    /// Called before a request is retried.
    func retryDecided(_ record: RetryRecord)

    /// Called when a call ended.
    func callEnded(_ record: CallRecord)

    /// The body of a download ended early, after its call had succeeded.
    func downloadFailed(_ failure: CallFailure)

    /// Called when an access token was renewed, or could not be.
    func tokenRefreshed(_ record: TokenRefreshRecord)
}

extension DropboxObserver {
    /// By default, ignores the request.
    public func requestEnded(_ record: RequestRecord) {}
    /// By default, ignores the retry.
    public func retryDecided(_ record: RetryRecord) {}
    /// By default, ignores the call.
    public func callEnded(_ record: CallRecord) {}
    /// By default, ignores the failure.
    public func downloadFailed(_ failure: CallFailure) {}
    /// By default, ignores the renewal.
    public func tokenRefreshed(_ record: TokenRefreshRecord) {}
    /// By default, ignores the bytes.
    public func sent(bytes: Int, label: String) {}
    /// By default, ignores the bytes.
    public func received(bytes: Int, label: String) {}
}
