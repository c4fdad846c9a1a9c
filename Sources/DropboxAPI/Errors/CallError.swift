// The error type of all calls: what went wrong, where, and what to do about it.

public import ContentHashing

/// The failure of a call.
public struct CallError<Failure: RouteError>: Error, Hashable, Sendable {
    /// The cause of the failure.
    @nonexhaustive public enum Kind: Hashable, Sendable {
        /// The route's own error (status 409); the message is meant for the user, if there is one.
        case route(Failure, userMessage: String?)
        /// The server failed (status 5xx).
        case internalServer(status: Int)
        /// The server did not understand the request (status 400).
        case badInput(String)
        /// Too many requests or writers (status 429), and the deadline did not allow to wait.
        case rateLimited(reason: Auth.RateLimitReason, retryAfter: Duration?)
        /// The token was refused (status 401).
        case auth(Auth.AuthError)
        /// The account may not do this (status 403).
        case access(Auth.AccessError)
        /// The path root was refused (status 422); `invalidRoot` carries the new one.
        case pathRoot(Common.PathRootError)
        /// Another status, with the start of the body.
        case http(status: Int, body: String)
        /// The response's JSON does not have the expected form, or the argument cannot be encoded.
        case serialization(String)
        /// The response contradicts the request or itself.
        case response(ResponseFault)
        /// The connection or the network failed.
        case transport(TransportError)
        /// There is no usable access token.
        case token(TokenError)
        /// The task was cancelled.
        case cancelled
    }

    /// The cause of the failure.
    public let kind: Kind
    /// Route, request id and number of attempts.
    public let context: CallContext

    /// Takes over all fields.
    public init(kind: Kind, context: CallContext) {
        self.kind = kind
        self.context = context
    }

    /// The route's own error, if that is the cause.
    public var routeError: Failure? {
        if case .route(let failure, _) = kind { failure } else { nil }
    }

    /// Whether the cause is probably a missing network connection.
    public var isConnectivityLoss: Bool {
        switch kind {
        case .transport(let error): error.isConnectivityLoss
        case .token(let error): error.isConnectivityLoss
        default: false
        }
    }

    /// The same failure for a caller that has cancelled the task since, and asks for nothing but
    /// the request's effect.
    var ofCancelledTask: CallError {
        guard Task.isCancelled, kind != .cancelled else { return self }
        var context = context
        context.earlierAttemptMayHaveTakenEffect = mayHaveTakenEffect
        return CallError(kind: .cancelled, context: context)
    }

    /// False when the server cannot have carried out the request.
    public var mayHaveTakenEffect: Bool {
        if context.earlierAttemptMayHaveTakenEffect { return true }
        return switch kind {
        case .transport(let error): error.mayHaveBeenReceived
        case .cancelled: context.attempts > 0 && !context.isBetweenRequests
        case .internalServer, .http, .serialization, .response: true
        case .route, .badInput, .rateLimited, .auth, .access, .pathRoot, .token: false
        }
    }
}

/// Context of a call that has ended.
public struct CallContext: Hashable, Sendable {
    /// The route, for example `files/list_folder`.
    public var route: String
    /// The caller's own name for the call: `CallOptions.label`.
    public var label: String?
    /// The server's name for the last request, to be quoted to its support.
    public var requestID: String?
    /// The HTTP status of the last response; nil without one.
    public var status: Int?
    /// The words of the server about the failure; nil on success and without a response.
    public var answer: FailureAnswer?
    /// How many requests were sent.
    public var attempts: Int
    /// True when a request before the last one may have taken effect, so that an error like
    /// "already exists" or "not found" may answer the caller's own change.
    public var earlierAttemptMayHaveTakenEffect: Bool
    /// True while the call waits to send again, so that its end interrupts no request.
    package var isBetweenRequests = false

    /// Takes over all fields.
    public init(
        route: String, label: String? = nil, requestID: String? = nil, status: Int? = nil,
        attempts: Int = 0, earlierAttemptMayHaveTakenEffect: Bool = false,
        answer: FailureAnswer? = nil
    ) {
        self.route = route
        self.label = label
        self.requestID = requestID
        self.status = status
        self.answer = answer
        self.attempts = attempts
        self.earlierAttemptMayHaveTakenEffect = earlierAttemptMayHaveTakenEffect
    }
}

/// A response that contradicts the request or itself; none of its bytes can be trusted.
@nonexhaustive public enum ResponseFault: Hashable, Sendable {
    /// The response's range is not the requested one.
    case rangeNotHonoured(status: Int, contentRange: String?)
    /// The range starts behind the end of the file (status 416).
    case rangeNotSatisfiable
    /// The header with the result is missing.
    case missingResult
    /// The body has another length than the headers, the range or the metadata say.
    case bodyLength(expected: UInt64, received: UInt64)
    /// The bytes have another hash than the file they are, or became.
    case contentHash(expected: ContentHash, received: ContentHash)
}

extension ResponseFault: CustomStringConvertible {
    /// A description of the fault.
    public var description: String {
        switch self {
        case .rangeNotHonoured(let status, let contentRange):
            "a range was asked for and status \(status) with Content-Range "
                + "\(contentRange ?? "missing") came"
        case .rangeNotSatisfiable: "the range starts behind the end of the file"
        case .missingResult: "the header Dropbox-API-Result is missing"
        case .bodyLength(let expected, let received):
            "the body should have \(expected) bytes and has \(received)"
        case .contentHash(let expected, let received):
            "the content should have the hash \(expected) and has \(received)"
        }
    }
}

/// The reason for a missing access token.
@nonexhaustive public enum TokenError: Error, Hashable, Sendable {
    /// The grant was revoked or expired: the user has to log in again.
    case invalidGrant(String)
    /// The server refused the refresh for another reason.
    case rejected(code: String, description: String)
    /// The server failed or sent an invalid response.
    case server(status: Int, message: String)
    /// The connection or the network failed.
    case transport(TransportError)
    /// No token or login is configured.
    case missing(String)
    /// A token exists, but its provider does not hand it out: the text says why, and what to do.
    case withheld(String)
    /// The task was cancelled.
    case cancelled
}

extension TokenError {
    /// Whether the network or the login server failed, so that a later call may get a token without
    /// another login.
    package var isTemporary: Bool {
        switch self {
        case .transport: true
        case .server(let status, _): status == 429 || status >= 500
        case .invalidGrant, .rejected, .missing, .withheld, .cancelled: false
        }
    }
}
