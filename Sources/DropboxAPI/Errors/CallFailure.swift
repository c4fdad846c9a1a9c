// A failed call without the type of its route's error, so that one observer can receive those of
// all routes.

/// A failed call; none of its texts contains a token.
public struct CallFailure: Sendable {
    /// The kind of failure; the cases are those of `CallError.Kind`. The raw value is for logs and
    /// counters.
    @nonexhaustive public enum Kind: String, Hashable, Sendable, CaseIterable {
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

    /// The kind of the failure.
    public let kind: Kind
    /// The failure and the remedy, in one line, without the route.
    public let explanation: String
    /// Route, request id and number of attempts.
    public let context: CallContext
    /// The route's own error, if that is the cause.
    public let routeError: (any RouteError)?
    /// The reason for a missing access token, if that is the cause.
    public let tokenError: TokenError?
    /// Whether the cause is probably a missing network connection.
    public let isConnectivityLoss: Bool
    /// False when the server cannot have carried out the request.
    public let mayHaveTakenEffect: Bool
    /// The pause that the server asks for, if it limits the rate and says how long.
    public let retryAfter: Duration?

    /// Erases the type of a call's error.
    public init<Failure>(_ error: CallError<Failure>) {
        kind = error.kind.name
        explanation = error.kind.explanation
        context = error.context
        routeError = error.routeError
        isConnectivityLoss = error.isConnectivityLoss
        mayHaveTakenEffect = error.mayHaveTakenEffect
        if case .rateLimited(_, let pause) = error.kind {
            retryAfter = pause
        } else {
            retryAfter = nil
        }
        if case .token(let reason) = error.kind {
            tokenError = reason
        } else {
            tokenError = nil
        }
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
