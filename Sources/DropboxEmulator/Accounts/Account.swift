// Accounts and their tokens. Not responsible for an account's files (`Space`).

/// One account of the emulator.
struct Account: Sendable {
    /// The account's id: `dbid:…`, 40 characters.
    let id: String
    let givenName: String
    let surname: String
    let email: String
    /// The number of the `Space` that holds its files.
    let space: UInt32
    /// For a member of a team, the home folder's path in the team's space.
    let homePath: String?

    /// The full name for display.
    var displayName: String { "\(givenName) \(surname)" }

    /// The namespace of the whole space.
    var rootNamespace: String { String(space) }

    /// The default namespace of paths, unless a request selects another.
    var homeNamespace: String {
        homePath == nil ? rootNamespace : AccountTree.homeNamespace(of: space)
    }

    /// The `common.RootInfo` of this account.
    var rootInfo: JSONValue {
        let fields: JSONValue = [
            "root_namespace_id": .string(rootNamespace),
            "home_namespace_id": .string(homeNamespace),
        ]
        guard let homePath else { return .tagged("user", fields) }
        return .tagged("team", fields.adding("home_path", .string(homePath)))
    }

    /// The id of a team's member.
    var teamMemberID: String { "dbmid:AAE\(space)" }
}

/// The access of an access token.
struct Token: Sendable {
    let account: String
    /// The last second of its validity; nil if it does not expire.
    let expiresAt: APITime?
    /// The scopes of the token; nil for all.
    let scopes: [String]?
    /// The refresh token that it was made from.
    let refreshToken: String?
    /// Whether it is a team's: calls then select the member to act for.
    var isTeam = false
}

/// The access of a refresh token.
struct RefreshToken: Sendable {
    let account: String
    let client: String
    let scopes: [String]?
}
