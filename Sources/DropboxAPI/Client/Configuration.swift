// Immutable settings of a client: hosts, names, limits, timeouts.

/// Settings of a client and its transport.
public struct DropboxConfiguration: Sendable {
    /// Where the API is served.
    public var hosts: DropboxHosts
    /// The value of the `User-Agent` header.
    public var userAgent: String
    /// Timeouts of calls and small responses.
    public var callTimeouts: TransferTimeouts
    /// Timeouts of bodies in either direction.
    public var contentTimeouts: TransferTimeouts
    /// The policy for retries.
    public var retryPolicy: RetryPolicy
    /// Maximum bytes of a call's response; a page of 2,000 entries has about two million.
    public var resultLimit: Int
    /// Settings of the connections.
    public var transport: TransportConfiguration
    /// The app's key and secret, for routes that the app itself calls.
    public var app: AppCredentials?
    /// How long a call without a deadline of its own may take, with its access token, all attempts
    /// and pauses; nil for no limit. Of uploads and downloads only the pauses are limited, because
    /// their bytes take as long as they take; waiting for changes is not.
    public var callLimit: Duration?
    /// Receive requests, retries, failures, tokens and byte counts; each receives all of them.
    public var observers: [any DropboxObserver]

    /// Takes over all fields.
    public init(
        hosts: DropboxHosts = .dropbox, userAgent: String = "DropboxAPI-Swift/1.0",
        callTimeouts: TransferTimeouts = .init(response: .seconds(100), total: .seconds(180)),
        contentTimeouts: TransferTimeouts = .init(response: .seconds(300)),
        retryPolicy: RetryPolicy = .init(), resultLimit: Int = 64 << 20,
        transport: TransportConfiguration = .init(), app: AppCredentials? = nil,
        callLimit: Duration? = nil,
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
        self.callLimit = callLimit
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

    /// The key without the secret.
    public var description: String { "app \(key)" }
    /// A mirror with the key only.
    public var customMirror: Mirror { Mirror(self, children: ["key": key]) }
}

/// Base URLs of the API's hosts.
public struct DropboxHosts: Hashable, Sendable {
    /// Host of RPC-style routes and of the token endpoint.
    public let api: String
    /// Host of uploads and downloads.
    public let content: String
    /// Host of the longpoll routes.
    public let notify: String
    /// Host of the web pages on which a user logs in.
    public let web: String

    /// The hosts of Dropbox itself.
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

    /// The server as a stored login names it: the token endpoint's base URL, or nil for Dropbox.
    package var loginServer: String? { api == DropboxHosts.dropbox.api ? nil : api }

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
