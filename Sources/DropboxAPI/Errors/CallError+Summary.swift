// One line per error: what happened and what to do. Not responsible for translating to errno.

extension CallError {
    /// One line: the route, what happened, what to do, and the request's id.
    public var summary: String {
        var text = "\(context.route): \(kind.explanation)"
        if case .internalServer = kind, let said = context.answer?.body, !said.isEmpty {
            text += " (it said: \(Kind.excerpt(Array(said.utf8))))"
        }
        if context.attempts > 1 {
            text += " (after \(context.attempts) attempts)"
        }
        if let id = context.requestID {
            text += " [request \(id)]"
        }
        return text
    }
}

extension CallError.Kind {
    /// The failure and the remedy, without the route.
    public var explanation: String {
        switch self {
        case .route(let failure, let userMessage):
            userMessage.map { "\($0) (\(failure))" } ?? "\(failure)"
        case .internalServer(let status):
            "Dropbox failed with status \(status); try again later"
        case .badInput(let message):
            "Dropbox did not understand the request: \(message)"
        case .rateLimited(let reason, let wait):
            "\(reason): try again in \(wait?.components.seconds ?? 5) s"
        case .auth(let error):
            error.advice
        case .access(let error):
            "the account may not do this: \(error)"
        case .pathRoot(.invalidRoot(let info)):
            "the account's root moved to namespace \(info.rootNamespaceID); start again with it"
        case .pathRoot(let error):
            "the path root cannot be used: \(error)"
        case .http(let status, let body):
            "unexpected status \(status): \(body)"
        case .serialization(let message):
            "the data does not have the expected form: \(message)"
        case .response(let fault):
            "the answer cannot be trusted: \(fault)"
        case .transport(let error):
            error.advice
        case .token(let error):
            error.advice
        case .cancelled:
            "cancelled"
        }
    }
}

extension Auth.AuthError {
    var advice: String {
        switch self {
        case .invalidAccessToken: "the access token is invalid or was revoked; log in again"
        case .expiredAccessToken: "the access token expired; log in again"
        case .missingScope(let error):
            "the app lacks the permission \(error.requiredScope); grant it and log in again"
        case .userSuspended: "the user is suspended; ask the team's administrator"
        case .invalidSelectUser, .invalidSelectAdmin, .routeAccessDenied, .unknown:
            "access refused: \(self)"
        }
    }
}

extension TransportError {
    var advice: String {
        switch kind {
        case .certificate:
            "the server's certificate is not trusted (\(message)); check the clock, the proxy, "
                + "and SSL_CERT_FILE"
        case .nameResolution: "the host name cannot be resolved (\(message)); check the network"
        case .connect: "no connection (\(message)); check the network and the proxy"
        default: "the network failed: \(message)"
        }
    }
}

extension TokenError: CustomStringConvertible {
    /// The failure and the remedy.
    public var advice: String {
        switch self {
        case .invalidGrant(let text): "the login is no longer valid (\(text)); log in again"
        case .rejected(let code, let text): "the login server refused: \(code) \(text)"
        case .server(let status, let text): "the login server failed with \(status): \(text)"
        case .transport(let error): error.advice
        case .missing(let text): "no access token: \(text)"
        case .withheld(let text): text
        case .cancelled: "cancelled"
        }
    }

    /// Returns the same text as `advice`.
    public var description: String { advice }
}
