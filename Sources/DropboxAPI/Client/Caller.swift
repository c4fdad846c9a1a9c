// The identity in whose name a client calls. One value, so that a member and an administrator, or
// the app and a member, cannot be selected at once. Not responsible for tokens: only the server
// knows their owners.

/// The identity in whose name routes are called.
///
///     client.acting(as: .teamMember("dbmid:…")).files.listFolder(path: "")
@nonexhaustive public enum Caller: Hashable, Sendable {
    /// The token's account: a user, or a team for the routes of teams.
    case user
    /// A member of the token's team, by the id `dbmid:…`: user routes see the member's files.
    case teamMember(String)
    /// An administrator of the token's team, by the id `dbmid:…`: user routes also see the team's
    /// files.
    case teamAdmin(String)
    /// The app, by its key and secret. Routes of users and teams are refused.
    case app
}

extension Caller {
    /// The header that selects a member or administrator, for user routes; nil without a selection.
    var selection: TransportHeaders.Field? {
        switch self {
        case .user, .app: nil
        case .teamMember(let id): .init(name: "Dropbox-API-Select-User", value: id)
        case .teamAdmin(let id): .init(name: "Dropbox-API-Select-Admin", value: id)
        }
    }
}

extension RouteAuthentication {
    /// The authentication of a route for a caller; nil when the caller cannot use it.
    func resolved(for caller: Caller) -> RouteAuthentication? {
        switch (self, caller) {
        case (.userOrApp, .app): .app
        case (.userOrApp, _): .user
        case (.user, .app), (.team, .app): nil
        default: self
        }
    }
}
