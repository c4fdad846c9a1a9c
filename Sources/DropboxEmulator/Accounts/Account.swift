// Who uses the emulator: accounts and the tokens that stand for them.
// Not responsible for what an account's Dropbox holds (`Space`).

/// A Dropbox account.
struct Account: Sendable {
    /// `dbid:…`, 40 characters.
    let id: String
    let givenName: String
    let surname: String
    let email: String
    /// The number of the `Space` that holds its files.
    let space: UInt32
    /// For a member of a team, the home folder's path in the team's space.
    let homePath: String?

    /// The name that the account is shown by.
    var displayName: String { "\(givenName) \(surname)" }

    /// The namespace of the whole space.
    var rootNamespace: String { String(space) }

    /// The namespace that paths start from unless a request says otherwise.
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

    /// How a team names its member.
    var teamMemberID: String { "dbmid:AAE\(space)" }
}

/// What an access token allows.
struct Token: Sendable {
    let account: String
    /// The last second at which it works; nil for one that does not expire.
    let expiresAt: Timestamp?
    /// The scopes that it has; nil for all.
    let scopes: [String]?
    /// The refresh token that it came from.
    let refreshToken: String?
    /// Whether it is a team's: calls then name the member as whom they act.
    var isTeam = false
}

/// What a refresh token allows.
struct RefreshToken: Sendable {
    let account: String
    let client: String
    let scopes: [String]?
}
