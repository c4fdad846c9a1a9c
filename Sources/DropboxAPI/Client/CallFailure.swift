// A failed call without the type of its route's error, so that one observer can see those of all routes.

/// What became of a call that failed. No text of it has a token.
public struct CallFailure: Sendable {
    /// Which kind of failure it is; the cases are those of `CallError.Kind`. The raw value is for logs and
    /// counters.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case route
        case internalServer = "internal_server"
        case badInput = "bad_input"
        case rateLimited = "rate_limited"
        case auth
        case access
        case pathRoot = "path_root"
        case http
        case serialization
        case response
        case transport
        case token
        case cancelled
    }

    /// Which kind it is.
    public let kind: Kind
    /// What happened and what to do, in one line, without the route.
    public let explanation: String
    /// Where and after how many attempts.
    public let context: CallContext
    /// The route's own error, where that is what went wrong.
    public let routeError: (any RouteError)?

    /// Takes over what a call threw.
    public init<Failure>(_ error: CallError<Failure>) {
        kind = error.kind.name
        explanation = error.kind.explanation
        context = error.context
        routeError = error.routeError
    }
}

extension CallError.Kind {
    fileprivate var name: CallFailure.Kind {
        switch self {
        case .route: .route
        case .internalServer: .internalServer
        case .badInput: .badInput
        case .rateLimited: .rateLimited
        case .auth: .auth
        case .access: .access
        case .pathRoot: .pathRoot
        case .http: .http
        case .serialization: .serialization
        case .response: .response
        case .transport: .transport
        case .token: .token
        case .cancelled: .cancelled
        }
    }
}
