// Routes as data: all properties that a call needs, so that routes can be listed, generated and
// tested. Not responsible for sending requests.

/// One route of the API.
public struct Route<
    Argument: Encodable & Sendable, Output: Decodable & Sendable, Failure: RouteError
>: Sendable {
    /// The namespace, the name and the version, for example `files/move_v2`.
    public let name: String
    /// Which of the API's hosts serves it.
    public let host: RouteHost
    /// How argument, result and content are transferred.
    public let style: RouteStyle
    /// The authentication that the route demands.
    public let authentication: RouteAuthentication
    /// The scope that the token needs.
    public let scope: String?
    /// Whether sending the request twice does what sending it once does. It is then retried also
    /// when it is unknown if the first one took effect.
    ///
    /// True for read-only routes. A caller whose operations are idempotent by other means sets
    /// `CallOptions.isSafeToRepeat`.
    public let isSafeToRepeat: Bool

    /// Takes over all fields; the defaults are those of most routes.
    public init(
        _ name: String, host: RouteHost = .api, style: RouteStyle = .rpc,
        authentication: RouteAuthentication = .user, scope: String? = nil, isSafeToRepeat: Bool
    ) {
        self.name = name
        self.host = host
        self.style = style
        self.authentication = authentication
        self.scope = scope
        self.isSafeToRepeat = isSafeToRepeat
    }
}

/// The hosts of the API.
@nonexhaustive public enum RouteHost: Hashable, Sendable {
    /// Host of RPC-style routes.
    case api
    /// Host of uploads and downloads.
    case content
    /// Host of the longpoll routes.
    case notify
}

/// How argument, result and content are transferred.
@nonexhaustive public enum RouteStyle: Hashable, Sendable {
    /// Argument and result are bodies of JSON.
    case rpc
    /// The argument is a header, the request's body is content, the result is a body of JSON.
    case upload
    /// The argument and the result are headers, the response's body is content.
    case download
}

/// The authentication that a route demands.
@nonexhaustive public enum RouteAuthentication: Hashable, Sendable {
    /// The user, by an access token.
    case user
    /// The team, by an access token; no member can be selected.
    case team
    /// The app, by its key and secret.
    case app
    /// The user, or the app where the client acts as the app.
    case userOrApp
    /// No authentication: an `Authorization` header may even be refused.
    case none
}
