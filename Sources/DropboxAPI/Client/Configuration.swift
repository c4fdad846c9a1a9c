// What a client is told once: hosts, names, limits, patience. Nothing here changes later.

/// Settings of a client and its transport.
public struct DropboxConfiguration: Sendable {
    /// Where the API is served.
    public var hosts: DropboxHosts
    /// The `User-Agent` header.
    public var userAgent: String
    /// Patience with calls and small answers.
    public var callTimeouts: TransferTimeouts
    /// Patience with bodies in either direction.
    public var contentTimeouts: TransferTimeouts
    /// When to try again.
    public var retryPolicy: RetryPolicy
    /// Bytes that the answer of a call may have; a page of 2,000 entries has about two million.
    public var resultLimit: Int
    /// Settings of connections.
    public var transport: TransportConfiguration
    /// The app's key and secret, for routes that the app itself calls.
    public var app: AppCredentials?
    /// See requests, retries, failures, tokens and bytes; each sees all.
    public var observers: [any DropboxObserver]

    /// Takes over all fields.
    public init(
        hosts: DropboxHosts = .dropbox, userAgent: String = "DropboxAPI-Swift/1.0",
        callTimeouts: TransferTimeouts = .init(response: .seconds(100), total: .seconds(180)),
        contentTimeouts: TransferTimeouts = .init(response: .seconds(300)),
        retryPolicy: RetryPolicy = .init(), resultLimit: Int = 64 << 20,
        transport: TransportConfiguration = .init(), app: AppCredentials? = nil,
        observers: [any DropboxObserver] = []
    ) {
        self.hosts = hosts
        self.userAgent = userAgent
        self.callTimeouts = callTimeouts
        self.contentTimeouts = contentTimeouts
        self.retryPolicy = retryPolicy
        self.resultLimit = resultLimit
        self.transport = transport
        self.app = app
        self.observers = observers
    }
}

/// An app's name and, unless it is public, its secret.
public struct AppCredentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The app's key, which is no secret.
    public var key: String
    /// The app's secret; nil for apps that use PKCE.
    public var secret: String?

    /// Takes over all fields.
    public init(key: String, secret: String? = nil) {
        self.key = key
        self.secret = secret
    }

    /// The key only.
    public var description: String { "app \(key)" }
    /// The key only.
    public var customMirror: Mirror { Mirror(self, children: ["key": key]) }
}

/// Base URLs of the API's hosts.
public struct DropboxHosts: Hashable, Sendable {
    /// Remote procedure calls, and the token endpoint.
    public let api: String
    /// Bodies up and down.
    public let content: String
    /// Waiting for changes.
    public let notify: String
    /// Where a user's browser goes to log in.
    public let web: String

    /// Dropbox itself.
    public static let dropbox = DropboxHosts(
        unchecked: "https://api.dropboxapi.com", content: "https://content.dropboxapi.com",
        notify: "https://notify.dropboxapi.com", web: "https://www.dropbox.com")

    /// One server for everything, for example `http://127.0.0.1:8080`.
    ///
    /// Throws `invalidRequest` unless it is https, or http to a loopback host.
    public init(endpoint: String) throws(TransportError) {
        try self.init(api: endpoint, content: endpoint, notify: endpoint, web: endpoint)
    }

    /// A server for each purpose, given by base URLs.
    ///
    /// Throws `invalidRequest` unless each is https, or http to a loopback host.
    public init(
        api: String, content: String, notify: String, web: String
    ) throws(TransportError) {
        self.api = try ServerURL(base: api).base
        self.content = try ServerURL(base: content).base
        self.notify = try ServerURL(base: notify).base
        self.web = try ServerURL(base: web).base
    }

    private init(unchecked api: String, content: String, notify: String, web: String) {
        self.api = api
        self.content = content
        self.notify = notify
        self.web = web
    }

    func base(of host: RouteHost) -> String {
        switch host {
        case .api: api
        case .content: content
        case .notify: notify
        }
    }
}

/// Settings of one call.
public struct CallOptions: Hashable, Sendable {
    /// No attempt starts, and no request goes on, after this moment; nil means no limit.
    public var deadline: ContinuousClock.Instant?
    /// Requests at most; nil leaves it to the retry policy. Waiting for a rate limit is not counted.
    public var maxAttempts: Int?
    /// Whether to send again when it is unknown if a request took effect; nil asks the route.
    public var retryAfterSend: Bool?
    /// Patience; nil takes the configuration's.
    public var timeouts: TransferTimeouts?
    /// No pause that the server asks for lasts beyond this moment: the call fails at once with `rateLimited`, and
    /// says how long the pause is. Nil leaves such pauses to the deadline. A call that moves much may take longer
    /// than anybody should wait for a server that says "later".
    public var pauseDeadline: ContinuousClock.Instant?

    /// Takes over all fields.
    public init(
        deadline: ContinuousClock.Instant? = nil, maxAttempts: Int? = nil,
        retryAfterSend: Bool? = nil, timeouts: TransferTimeouts? = nil,
        pauseDeadline: ContinuousClock.Instant? = nil
    ) {
        self.deadline = deadline
        self.pauseDeadline = pauseDeadline
        self.maxAttempts = maxAttempts
        self.retryAfterSend = retryAfterSend
        self.timeouts = timeouts
    }

    /// A call that gives up when `duration` from now has passed.
    public static func within(_ duration: Duration) -> CallOptions {
        CallOptions(deadline: .now.advanced(by: duration))
    }
}
