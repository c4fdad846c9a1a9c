// Whether an account keeps modes, times and attributes for other machines, and why not.

/// The knowledge about that before a mount.
package enum PosixSharing: Hashable, Sendable {
    /// The credentials do not tell their scopes.
    case unknown
    /// They are kept on Dropbox.
    case shared
    /// The option or the configuration says `posix = "local"`.
    case switchedOff
    /// The login lacks this scope; the command logs in again.
    case scopeMissing(String, command: String)

    /// For a mount that is to keep them, and a login with these scopes, which an old one may not
    /// tell.
    package init(isWanted: Bool, scopes: [String], command: String) {
        self =
            if !isWanted {
                .switchedOff
            } else if scopes.isEmpty {
                .unknown
            } else if scopes.contains(LoginScopes.posix) {
                .shared
            } else {
                .scopeMissing(LoginScopes.posix, command: command)
            }
    }

    /// Whether a mount asks Dropbox to keep them. A token that cannot is found out at the first
    /// request.
    package var isTried: Bool {
        switch self {
        case .unknown, .shared: true
        case .switchedOff, .scopeMissing: false
        }
    }

    /// The facts of POSIX, in the words of messages.
    package static let kinds = "modes, exact times, links, names and attributes"

    /// The findings of `dbxfs doctor`: about a running mount, or about the configuration file.
    func findings(about account: String, isOfMount: Bool) -> [Finding] {
        func finding(_ level: Finding.Level, _ text: String) -> [Finding] {
            [Finding("posix", about: account, level, text)]
        }
        let facts = Self.kinds
        return switch self {
        case .unknown: []
        case .shared:
            finding(
                .ok,
                "\(facts) are kept on Dropbox"
                    + (isOfMount ? "" : ", unless a mount has posix=local"))
        case .switchedOff:
            finding(
                .ok,
                "\(facts) stay on this machine (posix=local"
                    + (isOfMount ? ")" : " in the configuration file)"))
        case .scopeMissing(let scope, let command):
            finding(
                .note,
                "\(facts) stay on this machine, because the login lacks \(scope): tick it at "
                    + "\(CommandError.appConsole) under Permissions, submit, and run: \(command)")
        }
    }
}
