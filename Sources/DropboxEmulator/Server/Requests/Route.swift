// A function of the API: how it is called and what responds. `Routes.table` has all of them.

/// How the argument and the content of a route travel.
enum RouteStyle: Sendable {
    /// Argument and result are JSON bodies.
    case rpc
    /// The argument is a header, the content the body.
    case upload
    /// The argument is a header of the request, the result one of the response, the content its
    /// body.
    case download
}

/// A function of the API.
struct Route: Sendable {
    let style: RouteStyle
    /// The scope that a token needs; nil for none.
    let scope: String?
    /// Whether the function takes no argument: null is all that may be sent.
    let takesNothing: Bool
    /// Responds to a call, or throws the error union of the route (`APIUnion`).
    let handler: @Sendable (Call) async throws -> RouteResponse

    init(
        _ style: RouteStyle = .rpc, scope: String?, takesNothing: Bool = false,
        _ handler: @escaping @Sendable (Call) async throws -> RouteResponse
    ) {
        self.style = style
        self.scope = scope
        self.takesNothing = takesNothing
        self.handler = handler
    }
}
