// Accounts, their space, the roots of their paths, and the echo of check/user.

extension Users {
    /// The parts of a person's name.
    public struct Name: Codable, Hashable, Sendable {
        /// First name.
        public var givenName: String
        /// Family name.
        public var surname: String
        /// What friends say.
        public var familiarName: String
        /// What to show.
        public var displayName: String
        /// Initials.
        public var abbreviatedName: String

        enum CodingKeys: String, CodingKey {
            case givenName = "given_name"
            case surname
            case familiarName = "familiar_name"
            case displayName = "display_name"
            case abbreviatedName = "abbreviated_name"
        }
    }

    /// The kind of an account.
    public enum AccountType: VoidUnion {
        case basic
        case pro
        case business
        case unknown(String)

        /// The tags on the wire.
        public static var tags: KeyValuePairs<String, Self> {
            ["basic": .basic, "pro": .pro, "business": .business]
        }
        /// The tag, if this version does not know it.
        public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }
    }

    /// The team of an account, without its policies.
    public struct FullTeam: Codable, Hashable, Sendable {
        /// The team.
        public var id: String
        /// Its name.
        public var name: String
    }

    /// The account of the token.
    public struct FullAccount: Codable, Hashable, Sendable {
        /// The account, `dbid:…`.
        public var accountID: String
        /// The user's name.
        public var name: Name
        /// The user's address, perhaps not verified.
        public var email: String
        /// Whether the user proved to own the address.
        public var emailVerified: Bool
        /// A photo.
        public var profilePhotoURL: String?
        /// Whether the account is disabled.
        public var disabled: Bool
        /// Two letters of ISO 3166-1.
        public var country: String?
        /// An IETF language tag.
        public var locale: String
        /// The user's referral link.
        public var referralLink: String
        /// The user's team.
        public var team: FullTeam?
        /// The user within the team.
        public var teamMemberID: String?
        /// Whether a personal and a work account are linked.
        public var isPaired: Bool
        /// The kind of account.
        public var accountType: AccountType
        /// The namespaces of the user's home and root.
        public var rootInfo: Common.RootInfo

        enum CodingKeys: String, CodingKey {
            case accountID = "account_id"
            case name
            case email
            case emailVerified = "email_verified"
            case profilePhotoURL = "profile_photo_url"
            case disabled
            case country
            case locale
            case referralLink = "referral_link"
            case team
            case teamMemberID = "team_member_id"
            case isPaired = "is_paired"
            case accountType = "account_type"
            case rootInfo = "root_info"
        }
    }

    /// Space used and allowed, in bytes.
    public struct SpaceUsage: Codable, Hashable, Sendable {
        /// Used by this user.
        public var used: UInt64
        /// What is allowed.
        public var allocation: SpaceAllocation
    }

    /// The space of a user or of a user's team.
    public enum SpaceAllocation: TaggedUnion {
        case individual(IndividualSpaceAllocation)
        case team(TeamSpaceAllocation)
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "individual": .individual(try union.fields())
                case "team": .team(try union.fields())
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .individual(let value): try union.write("individual", fields: value)
            case .team(let value): try union.write("team", fields: value)
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// The space of a single user.
    public struct IndividualSpaceAllocation: Codable, Hashable, Sendable {
        /// Bytes allowed.
        public var allocated: UInt64
    }

    /// The space of a team and of one member in it.
    public struct TeamSpaceAllocation: Codable, Hashable, Sendable {
        /// Bytes used by the team.
        public var used: UInt64
        /// Bytes allowed to the team.
        public var allocated: UInt64
        /// Bytes allowed to the member; 0 when only the team's limit holds.
        public var memberAllocated: UInt64
        /// What happens at the member's limit.
        public var memberLimitType: MemberSpaceLimitType
        /// Bytes used by the member.
        public var memberUsed: UInt64

        enum CodingKeys: String, CodingKey {
            case used
            case allocated
            case memberAllocated = "user_within_team_space_allocated"
            case memberLimitType = "user_within_team_space_limit_type"
            case memberUsed = "user_within_team_space_used_cached"
        }
    }

    /// What happens when a member of a team reaches the member's limit.
    public enum MemberSpaceLimitType: VoidUnion {
        case off
        case alertOnly
        case stopSync
        case unknown(String)

        /// The tags on the wire.
        public static var tags: KeyValuePairs<String, Self> {
            ["off": .off, "alert_only": .alertOnly, "stop_sync": .stopSync]
        }
        /// The tag, if this version does not know it.
        public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }
    }
}

extension Common {
    /// What paths in a request are relative to.
    public enum PathRoot: TaggedUnion {
        /// The user's home folder, the default.
        case home
        /// The user's root namespace: the team's space if the team has one.
        case root(NamespaceID)
        /// Any namespace that the user can access.
        case namespaceID(NamespaceID)
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "home": .home
                case "root": .root(try union.value())
                case "namespace_id": .namespaceID(try union.value())
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .home: try union.write("home")
            case .root(let id): try union.write("root", value: id)
            case .namespaceID(let id): try union.write("namespace_id", value: id)
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// The namespaces of a user's home and root.
    public struct RootInfo: Codable, Hashable, Sendable {
        /// `team` when the team has a space of its own, else `user`.
        public var tag: String
        /// The root: the team's space, or the same as the home.
        public var rootNamespaceID: NamespaceID
        /// The user's own folder.
        public var homeNamespaceID: NamespaceID
        /// Where the home lies under the root.
        public var homePath: String?

        enum CodingKeys: String, CodingKey {
            case tag = ".tag"
            case rootNamespaceID = "root_namespace_id"
            case homeNamespaceID = "home_namespace_id"
            case homePath = "home_path"
        }
    }
}

extension Check {
    /// What to echo.
    public struct EchoArg: Codable, Hashable, Sendable {
        /// At most 500 characters.
        public var query: String

        /// Takes over the text.
        public init(query: String = "") {
            self.query = query
        }
    }

    /// The echo.
    public struct EchoResult: Codable, Hashable, Sendable {
        /// The same text.
        public var result: String

        /// Reads the text; none means "".
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            result = try reader.decode(.result, default: "")
        }
    }
}
