// All errors with which the API refuses a call, and their HTTP responses.

/// The reason why a call has no result.
enum RouteFailure: Error, Sendable {
    /// The request is malformed: 400 with a text.
    case badInput(String)
    /// The error union of the route: 409.
    case route(JSONValue)
    /// A refused token: `auth.AuthError`, status 401.
    case authorization(JSONValue)
    /// A wrong root of paths: `common.PathRootError`, status 422.
    case pathRoot(JSONValue)
    /// `auth.RateLimitError`: 429, as JSON or, as intermediaries send it, as text.
    case rateLimited(reason: String, retryAfter: Int64?, isText: Bool)
    /// A response with any other status.
    case plain(status: Int, type: String, body: String, headers: [RouteResponse.Header])

    /// A failure with a plain text as its body.
    static func plain(_ status: Int, _ text: String) -> RouteFailure {
        .plain(status: status, type: "text/plain; charset=utf-8", body: text, headers: [])
    }

    /// The response for the client.
    var response: RouteResponse {
        switch self {
        case .badInput(let message):
            RouteResponse(
                status: 400, headers: [.init("Content-Type", "text/plain; charset=utf-8")],
                body: .text(message))
        case .route(let union): Self.response(409, union)
        case .authorization(let union): Self.response(401, union)
        case .pathRoot(let union): Self.response(422, union)
        case .rateLimited(let reason, let retryAfter, let isText):
            Self.rateLimited(reason: reason, retryAfter: retryAfter, isText: isText)
        case .plain(let status, let type, let body, let headers):
            RouteResponse(
                status: status, headers: [.init("Content-Type", type)] + headers,
                body: .text(body))
        }
    }

    private static func response(_ status: Int, _ union: JSONValue) -> RouteResponse {
        RouteResponse(
            status: status, headers: [.init("Content-Type", "application/json")],
            body: .json(["error_summary": .string(summary(union)), "error": union]))
    }

    /// The service ends every summary with a slash and a varying number of dots, to discourage
    /// parsing; two are as good as any.
    private static func summary(_ union: JSONValue) -> String {
        union.tagPath.joined(separator: "/") + "/.."
    }

    private static func rateLimited(reason: String, retryAfter: Int64?, isText: Bool)
        -> RouteResponse
    {
        var headers: [RouteResponse.Header] = []
        if let retryAfter { headers.append(.init("Retry-After", String(retryAfter))) }
        guard !isText else {
            headers.append(.init("Content-Type", "text/plain; charset=utf-8"))
            return RouteResponse(status: 429, headers: headers, body: .text("too_many_requests"))
        }
        headers.append(.init("Content-Type", "application/json"))
        let error: JSONValue = ["reason": .tag(reason), "retry_after": .integer(retryAfter ?? 1)]
        return RouteResponse(
            status: 429, headers: headers,
            body: .json(["error_summary": .string("\(reason)/.."), "error": error]))
    }
}
