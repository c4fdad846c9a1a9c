// What all errors of routes have in common. Not responsible for errors below the route:
// authentication, rate limits and transport are cases of CallError.

/// The error of a route: nearly always a union.
public protocol RouteError: Codable, Hashable, Sendable {
    /// Whether sending the same request again can help.
    var remedy: RouteErrorRemedy { get }
}

extension RouteError {
    /// Most errors stay errors.
    public var remedy: RouteErrorRemedy { .none }
}

/// What the retry policy may do about an error union.
public enum RouteErrorRemedy: Hashable, Sendable {
    /// The same request fails again.
    case none
    /// Nothing was done because others were writing: wait and send again.
    case waitForWriters
    /// The same, but the request's body was taken: only an empty body may be sent again.
    case waitForWritersUnlessBody
    /// Nothing was done because the body arrived damaged: send again.
    case resendBody

    /// The same for a request whose body is taken even where what it asks for is refused.
    package var unlessBody: RouteErrorRemedy {
        self == .waitForWriters ? .waitForWritersUnlessBody : self
    }
}

/// The error union of a route that has none.
public enum NoError: TaggedUnion, RouteError {
    case unknown(String)

    /// Keeps the tag.
    public init(_ union: UnionReader) throws {
        self = .unknown(union.tag)
    }

    /// Writes the tag.
    public func write(to union: inout UnionWriter) throws {
        if case .unknown(let tag) = self {
            try union.write(tag)
        }
    }

    /// Busy writers can be reported by any route that writes.
    public var remedy: RouteErrorRemedy {
        self == .unknown("too_many_write_operations") ? .waitForWriters : .none
    }
}
