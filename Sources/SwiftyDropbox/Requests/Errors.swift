// The errors that requests end with. Not responsible for what leads to which: CallError+Failure.

/// A message that the server means for the user.
public struct LocalizedUserMessage: Sendable {
    /// The message in the language of the locale.
    public var text: String
    /// Its language, for example `en`.
    public var locale: String
}

/// A failure on this side of the connection, or of the connection itself.
public enum ClientError: Error {
    /// There is no usable access token.
    case oauthError(any Error)
    /// The connection or the network failed: a `URLError`.
    case urlSessionError(any Error)
    /// A local file could not be read, written or moved.
    case fileAccessError(any Error)
    /// The request was released before its answer came. Requests of this library live until then.
    case requestObjectDeallocated
    /// A state that should not occur.
    case unexpectedState
    /// A failure of any other kind.
    case other(any Error)
}

/// A download without its result.
public enum SerializationError: Error {
    /// The header with the result is missing.
    case missingResultHeader
    /// The header with the result is no text.
    case missingResultData
}

// Sendable: it is a constant. A generated error is Sendable; `CallError<Any>` only hides its type.
/// A value of a type that may hold itself.
public final class Box<T>: @unchecked Sendable {
    /// The value that the box holds.
    public let unboxed: T

    init(_ value: T) { unboxed = value }
}

/// The failure of a request.
public enum CallError<EType>: Error, CustomStringConvertible {
    /// The server failed: status, what it said, and the id of the request.
    case internalServerError(Int, String?, String?)
    /// The server did not understand the request: what it said, and the id of the request.
    case badInputError(String?, String?)
    /// Too many requests: the error with the seconds to wait, message for the user, summary, id of
    /// the request.
    case rateLimitError(Auth.RateLimitError, LocalizedUserMessage?, String?, String?)
    /// Another status: status, what the server said, id of the request.
    case httpError(Int?, String?, String?)
    /// The token was refused: the error, message for the user, summary, id of the request.
    case authError(Auth.AuthError, LocalizedUserMessage?, String?, String?)
    /// The account may not do this: the error, message for the user, summary, id of the request.
    case accessError(Auth.AccessError, LocalizedUserMessage?, String?, String?)
    /// The route's own error: the error in a box, message for the user, summary, id of the request.
    case routeError(Box<EType>, LocalizedUserMessage?, String?, String?)
    /// The answer does not have the form that the specification says.
    case serializationError(any Error)
    /// A transfer of an earlier process could not be taken up.
    case reconnectionError(any Error)
    /// A failure on this side of the connection, or of the connection itself.
    case clientError(ClientError)

    /// The failure in one line, with the id of the request.
    public var description: String {
        switch self {
        case .internalServerError(let code, let message, let id):
            Self.line("Internal Server Error \(code)", message, id)
        case .badInputError(let message, let id): Self.line("Bad Input", message, id)
        case .authError(let error, _, _, let id): Self.line("API auth error - \(error)", nil, id)
        case .accessError(let error, _, _, let id):
            Self.line("API access error - \(error)", nil, id)
        case .rateLimitError(let error, _, _, let id):
            Self.line("API rate limit error - \(error)", nil, id)
        case .httpError(let code, let message, let id):
            Self.line("HTTP Error" + (code.map { " \($0)" } ?? ""), message, id)
        case .routeError(let box, _, _, let id):
            Self.line("API route error - \(box.unboxed)", nil, id)
        case .serializationError(let error), .reconnectionError(let error): "\(error)"
        case .clientError(let error): "\(error)"
        }
    }

    private static func line(_ kind: String, _ message: String?, _ id: String?) -> String {
        (id.map { "[request-id \($0)] " } ?? "") + kind + (message.map { ": \($0)" } ?? "")
    }

    /// The same error without the type of the route's own one, for handlers of all errors.
    public var typeErased: CallError<Any> {
        switch self {
        case .internalServerError(let code, let message, let id):
            .internalServerError(code, message, id)
        case .badInputError(let message, let id): .badInputError(message, id)
        case .rateLimitError(let error, let message, let summary, let id):
            .rateLimitError(error, message, summary, id)
        case .httpError(let code, let message, let id): .httpError(code, message, id)
        case .authError(let error, let message, let summary, let id):
            .authError(error, message, summary, id)
        case .accessError(let error, let message, let summary, let id):
            .accessError(error, message, summary, id)
        case .routeError(let box, let message, let summary, let id):
            .routeError(Box(box.unboxed as Any), message, summary, id)
        case .serializationError(let error): .serializationError(error)
        case .reconnectionError(let error): .reconnectionError(error)
        case .clientError(let error): .clientError(error)
        }
    }
}
