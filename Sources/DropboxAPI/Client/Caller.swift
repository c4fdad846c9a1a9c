// In whose name a client calls. One value, so that a member and an administrator, or the app and a member,
// cannot be named at once. Not responsible for tokens: whose a token is, only the server knows.

/// In whose name routes are called.
///
///     client.as(.teamMember("dbmid:…")).files.listFolder(path: "")
public enum Caller: Hashable, Sendable {
    /// The account that the token is of: a user, or a team for the routes of teams.
    case user
    /// A member of the team that the token is of, by the id `dbmid:…`: routes of users see what the
    /// member sees.
    case teamMember(String)
    /// An administrator of the team that the token is of, by the id `dbmid:…`: routes of users see what
    /// belongs to the team, too.
    case teamAdmin(String)
    /// The app, by its key and secret. Routes of users and teams are refused.
    case app
}

extension Caller {
    /// The header that selects somebody, for routes of users; nil when nobody is selected.
    var selection: HTTPHeaders.Field? {
        switch self {
        case .user, .app: nil
        case .teamMember(let id): .init(name: "Dropbox-API-Select-User", value: id)
        case .teamAdmin(let id): .init(name: "Dropbox-API-Select-Admin", value: id)
        }
    }
}

extension RouteAuthentication {
    /// How a route is called by somebody; nil when it is not for them.
    func resolved(for caller: Caller) -> RouteAuthentication? {
        switch (self, caller) {
        case (.userOrApp, .app): .app
        case (.userOrApp, _): .user
        case (.user, .app), (.team, .app): nil
        default: self
        }
    }
}
