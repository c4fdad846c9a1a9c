// Routes as data: everything that a call needs to know about one, so that they can be listed,
// generated and tested. Not responsible for sending anything.

/// One route of the API.
public struct Route<
    Argument: Encodable & Sendable, Output: Decodable & Sendable, Failure: RouteError
>: Sendable {
    /// The namespace, the name and the version, for example `files/move_v2`.
    public let name: String
    /// Which of the API's hosts serves it.
    public let host: RouteHost
    /// Where argument, result and content travel.
    public let style: RouteStyle
    /// Who has to prove identity.
    public let authentication: RouteAuthentication
    /// The permission that the token needs.
    public let scope: String?
    /// Whether the request may be sent again when it is unknown if the first one took effect.
    ///
    /// True for routes that only read. A caller whose operations are idempotent by other means
    /// says so in `CallOptions.retryAfterSend`.
    public let retryAfterSend: Bool

    /// Takes over all fields; the defaults are those of most routes.
    public init(
        _ name: String, host: RouteHost = .api, style: RouteStyle = .rpc,
        authentication: RouteAuthentication = .user, scope: String? = nil, retryAfterSend: Bool
    ) {
        self.name = name
        self.host = host
        self.style = style
        self.authentication = authentication
        self.scope = scope
        self.retryAfterSend = retryAfterSend
    }
}

/// The hosts of the API.
public enum RouteHost: Hashable, Sendable {
    /// Remote procedure calls.
    case api
    /// Bodies up and down.
    case content
    /// Waiting for changes.
    case notify
}

/// Where argument, result and content travel.
public enum RouteStyle: Hashable, Sendable {
    /// Argument and result are bodies of JSON.
    case rpc
    /// The argument is a header, the request's body is content, the result is a body of JSON.
    case upload
    /// The argument and the result are headers, the answer's body is content.
    case download
}

/// Who has to prove identity.
public enum RouteAuthentication: Hashable, Sendable {
    /// The user, by an access token.
    case user
    /// The team, by an access token; no member can be selected.
    case team
    /// The app, by its key and secret.
    case app
    /// The user, or the app where the client acts as the app.
    case userOrApp
    /// Nobody: an `Authorization` header may even be refused.
    case none
}
