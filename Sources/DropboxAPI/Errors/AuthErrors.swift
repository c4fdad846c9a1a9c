// Errors that any route can answer: token, permission, rate, path root.

extension Auth {
    /// Why the token was refused (status 401).
    public enum AuthError: TaggedUnion {
        case invalidAccessToken
        case invalidSelectUser
        case invalidSelectAdmin
        case userSuspended
        case expiredAccessToken
        case missingScope(TokenScopeError)
        case routeAccessDenied
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "invalid_access_token": .invalidAccessToken
                case "invalid_select_user": .invalidSelectUser
                case "invalid_select_admin": .invalidSelectAdmin
                case "user_suspended": .userSuspended
                case "expired_access_token": .expiredAccessToken
                case "missing_scope": .missingScope(try union.fields())
                case "route_access_denied": .routeAccessDenied
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .invalidAccessToken: try union.write("invalid_access_token")
            case .invalidSelectUser: try union.write("invalid_select_user")
            case .invalidSelectAdmin: try union.write("invalid_select_admin")
            case .userSuspended: try union.write("user_suspended")
            case .expiredAccessToken: try union.write("expired_access_token")
            case .missingScope(let payload): try union.write("missing_scope", fields: payload)
            case .routeAccessDenied: try union.write("route_access_denied")
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// The scope that a token lacks.
    public struct TokenScopeError: Codable, Hashable, Sendable {
        /// For example `files.content.write`.
        public var requiredScope: String

        enum CodingKeys: String, CodingKey {
            case requiredScope = "required_scope"
        }
    }

    /// Why the account may not do this (status 403).
    public enum AccessError: TaggedUnion {
        case invalidAccountType(InvalidAccountTypeError)
        case paperAccessDenied(PaperAccessError)
        case teamAccessDenied
        case noPermission(NoPermissionError)
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "invalid_account_type": .invalidAccountType(try union.value())
                case "paper_access_denied": .paperAccessDenied(try union.value())
                case "team_access_denied": .teamAccessDenied
                case "no_permission": .noPermission(try union.value())
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .invalidAccountType(let payload):
                try union.write("invalid_account_type", value: payload)
            case .paperAccessDenied(let payload):
                try union.write("paper_access_denied", value: payload)
            case .teamAccessDenied: try union.write("team_access_denied")
            case .noPermission(let payload): try union.write("no_permission", value: payload)
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// What the account's kind does not include.
    public enum InvalidAccountTypeError: VoidUnion {
        case endpoint
        case feature
        case unknown(String)

        /// The tags on the wire.
        public static var tags: KeyValuePairs<String, Self> {
            ["endpoint": .endpoint, "feature": .feature]
        }
        /// The tag, if this version does not know it.
        public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }
    }

    /// Why Paper is closed.
    public enum PaperAccessError: VoidUnion {
        case paperDisabled
        case notPaperUser
        case unknown(String)

        /// The tags on the wire.
        public static var tags: KeyValuePairs<String, Self> {
            ["paper_disabled": .paperDisabled, "not_paper_user": .notPaperUser]
        }
        /// The tag, if this version does not know it.
        public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }
    }

    /// Which permission the caller lacks.
    public enum NoPermissionError: TaggedUnion {
        case unauthorizedAccountIdUsage(UnauthorizedAccountIDUsageError)
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "unauthorized_account_id_usage":
                    .unauthorizedAccountIdUsage(try union.fields())
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .unauthorizedAccountIdUsage(let payload):
                try union.write("unauthorized_account_id_usage", fields: payload)
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// Accounts that the caller may not ask about.
    public struct UnauthorizedAccountIDUsageError: Codable, Hashable, Sendable {
        /// The accounts.
        public var unauthorizedAccountIDs: [String]

        enum CodingKeys: String, CodingKey {
            case unauthorizedAccountIDs = "unauthorized_account_ids"
        }
    }

    /// Which limit was hit (status 429).
    public enum RateLimitReason: VoidUnion {
        /// The rate of requests: all calls have to wait.
        case tooManyRequests
        /// Contention for one namespace's lock: this call has to wait.
        case tooManyWriteOperations
        case unknown(String)

        /// The tags on the wire.
        public static var tags: KeyValuePairs<String, Self> {
            [
                "too_many_requests": .tooManyRequests,
                "too_many_write_operations": .tooManyWriteOperations,
            ]
        }
        /// The tag, if this version does not know it.
        public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }
    }

    /// The body of status 429.
    public struct RateLimitError: Codable, Hashable, Sendable {
        /// Which limit was hit.
        public var reason: RateLimitReason
        /// Seconds to wait.
        public var retryAfter: UInt64

        enum CodingKeys: String, CodingKey {
            case reason
            case retryAfter = "retry_after"
        }

        /// Reads the fields; the server's default is one second.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            reason = try reader.decode(RateLimitReason.self, forKey: .reason)
            retryAfter = try reader.decode(.retryAfter, default: 1)
        }
    }
}

extension Common {
    /// Why the path root was refused (status 422).
    public enum PathRootError: TaggedUnion {
        /// The user's root changed; the payload is the new one.
        case invalidRoot(RootInfo)
        case noPermission
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "invalid_root": .invalidRoot(try union.value())
                case "no_permission": .noPermission
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .invalidRoot(let payload): try union.write("invalid_root", value: payload)
            case .noPermission: try union.write("no_permission")
            case .unknown(let tag): try union.write(tag)
            }
        }
    }
}
