// The protocol of all route errors. Not responsible for errors below the route: authentication,
// rate limits and transport are cases of CallError.

/// The error of a route: nearly always a union.
public protocol RouteError: Codable, Hashable, Sendable {
    /// Whether sending the same request again can help.
    var remedy: RouteErrorRemedy { get }
}

extension RouteError {
    /// By default an error is permanent.
    public var remedy: RouteErrorRemedy { .none }
}

/// How the retry policy may treat an error union.
@nonexhaustive public enum RouteErrorRemedy: Hashable, Sendable {
    /// The same request fails again.
    case none
    /// Write contention prevented any effect: wait and send again.
    case waitForWriters
    /// Like `waitForWriters`, but the body was consumed: only a request with an empty body may be
    /// retried.
    case waitForWritersUnlessBody
    /// Nothing was done because the body arrived damaged: send again.
    case resendBody

    /// `waitForWritersUnlessBody` in place of `waitForWriters`, for routes that consume the body
    /// even when they refuse the request.
    package var unlessBody: RouteErrorRemedy {
        self == .waitForWriters ? .waitForWritersUnlessBody : self
    }
}

/// The error union of a route without errors of its own.
public enum NoError: TaggedUnion, RouteError {
    case unknown(String)

    /// Keeps the unknown tag.
    public init(_ union: UnionReader) throws {
        self = .unknown(union.tag)
    }

    /// Writes the unknown tag.
    public func write(to union: inout UnionWriter) throws {
        if case .unknown(let tag) = self {
            try union.write(tag)
        }
    }

    /// Any route that writes can report write contention.
    public var remedy: RouteErrorRemedy {
        self == .unknown("too_many_write_operations") ? .waitForWriters : .none
    }
}
