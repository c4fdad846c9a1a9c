// Routes as values: how each is called, and the serializers of its argument, result and error.

/// The kinds of callers of a route.
public enum RouteAuth: String, Sendable {
    case app
    case user
    case team
    case noauth
}

/// Which of the API's hosts serves a route.
public enum RouteHost: String, Sendable {
    case api
    case content
    case notify
}

/// How argument, result and content are transferred.
public enum RouteStyle: String, Sendable {
    case rpc
    case upload
    case download
}

/// How a route is called.
public struct RouteAttributes: Sendable {
    let auth: [RouteAuth]
    let host: RouteHost
    let style: RouteStyle

    /// Takes over all fields.
    public init(auth: [RouteAuth], host: RouteHost, style: RouteStyle) {
        self.auth = auth
        self.host = host
        self.style = style
    }
}

/// A route of the API.
public final class Route<
    ASerial: JSONSerializer, RSerial: JSONSerializer, ESerial: JSONSerializer
>: Sendable {
    /// The name, with the version behind it, as it stands in an address: `move_v2`.
    public let name: String
    /// The version, from 1.
    public let version: Int32
    /// The namespace that the route belongs to.
    public let namespace: String
    /// Whether the specification advises against it.
    public let deprecated: Bool
    /// Writes the argument of the route.
    public let argSerializer: ASerial
    /// Reads the result of the route.
    public let responseSerializer: RSerial
    /// Reads the error of the route.
    public let errorSerializer: ESerial
    /// How it is called.
    public let attributes: RouteAttributes
    /// Whether sending it twice does what sending it once does.
    let isRepeatable: Bool

    /// Takes over all fields.
    public convenience init(
        name: String, version: Int32, namespace: String, deprecated: Bool, argSerializer: ASerial,
        responseSerializer: RSerial, errorSerializer: ESerial, attributes: RouteAttributes
    ) {
        self.init(
            name, version, namespace, deprecated,
            (argSerializer, responseSerializer, errorSerializer),
            attributes, isRepeatable: false)
    }

    fileprivate init(
        _ name: String, _ version: Int32, _ namespace: String, _ deprecated: Bool,
        _ serializers: (ASerial, RSerial, ESerial), _ attributes: RouteAttributes,
        isRepeatable: Bool
    ) {
        self.name = name
        self.version = version
        self.namespace = namespace
        self.deprecated = deprecated
        (argSerializer, responseSerializer, errorSerializer) = serializers
        self.attributes = attributes
        self.isRepeatable = isRepeatable
    }

    /// The part of the address behind the version of the API.
    var path: String { "\(namespace)/\(name)" }
}

extension Route where ASerial: PlainSerializer, RSerial: PlainSerializer, ESerial: PlainSerializer {
    /// Makes a route as the generator writes it.
    convenience init(
        _ name: String, in namespace: String, version: Int32 = 1, host: RouteHost = .api,
        style: RouteStyle = .rpc, auth: [RouteAuth] = [.user], deprecated: Bool = false,
        isRepeatable: Bool = false
    ) {
        self.init(
            name, version, namespace, deprecated, (ASerial(), RSerial(), ESerial()),
            RouteAttributes(auth: auth, host: host, style: style), isRepeatable: isRepeatable)
    }
}
