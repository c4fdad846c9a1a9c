// The messages of `CommandError` about logging in and out.

extension CommandError {
    /// The page on which apps are registered.
    package static let appConsole = "https://www.dropbox.com/developers/apps"
    /// The page on which users revoke an app's access.
    package static let connectedApps = "https://www.dropbox.com/account/connected_apps"

    var loginMessage: String {
        switch self {
        case .loginDamaged(let file, let reason):
            "\(file) cannot be used (\(reason)): log in again, run: dbxfs login"
        case .otherServer(let file, let login, let configured):
            "the login in \(file) is for \(login), but the server is \(configured), by DBXFS_ENDPOINT or `endpoint` in the "
                + "configuration file: change that, or log in there, run: dbxfs login"
        case .noAppKey:
            "no app to log in with: make one at \(Self.appConsole) (Scoped access) with the "
                + "permissions account_info.read, files.metadata.read, files.content.read and "
                + "files.content.write and the redirect URIs "
                + LoopbackListener.ports.map(LoopbackListener.redirect).joined(separator: ", ")
                + "; then name its App key by --app-key or DBXFS_APP_KEY"
        case .loginFailed(let detail): "the login failed: \(detail)"
        case .loginRefused(let detail):
            "access was not allowed (\(detail)): nothing was changed; run dbxfs login to try again"
        case .otherLogin(let account, let folder, let expected, let found):
            "this login is \(found)'s, but \(folder) keeps the files of \(expected), which must not "
                + "be mixed; nothing was changed: log in as \(expected), or use another name than "
                + "\(quoted(account)): dbxfs login --account NAME"
        case .notLoggedIn(let account):
            "the account \(quoted(account)) has no login here"
        case .stillMounted(let account, let mountpoint):
            "the account \(quoted(account)) is mounted at \(mountpoint): unmount it first, or add "
                + "--force, after which the mount only has what is cached, and keeps what is queued"
        case .notRevoked(let server, let detail):
            "\(server) could not be told to end the login (\(detail)), so it was kept: try again "
                + "later, or add --force to remove it here and end it at \(Self.connectedApps)"
        default: String(describing: self)
        }
    }
}
