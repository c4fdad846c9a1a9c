// Why the keyring of the user's session does not have a login, or does not give it. The texts
// contain no secret.

/// Why a login cannot be had from the keyring, or cannot be kept there.
package enum KeyringFault: Error, Hashable, Sendable {
    /// There is no session bus, as in units of the system, in cron and often over ssh.
    case noSession
    /// A program or a service is missing, or refuses.
    case unavailable(String)
    /// It is locked, and the user was not asked or did not unlock it.
    case locked
    /// No response within so many seconds.
    case silent(seconds: Int)
    /// It has no such login.
    case missing
    /// Its login cannot be used.
    case damaged(reason: String)

    /// The notice that the keyring still has the secret of a login that was replaced or ended.
    package static let leftover =
        "the keyring could not be cleared, and still has the secret of the login before: the next `dbxfs login` or "
        + "`dbxfs logout` tries again; or remove the entries of dbxfs in the desktop's password settings"

    /// The fault without a remedy, for secrets of other programs.
    var reason: String {
        switch self {
        case .noSession:
            "the keyring cannot be reached outside of a desktop's session (DBUS_SESSION_BUS_ADDRESS is not set)"
        case .unavailable(let reason): "the keyring cannot be used (\(reason))"
        case .locked: "the keyring is locked"
        case .silent(let seconds): "the keyring does not answer within \(seconds) s"
        case .missing: "the keyring does not have it"
        case .damaged(let reason): "what the keyring has is damaged (\(reason))"
        }
    }

    /// The fault and the remedy, with the command that logs the account in.
    func message(_ login: String) -> String {
        let instead = "or keep the login in a file, run: \(login) --no-keyring"
        return switch self {
        case .noSession:
            "the keyring cannot be reached outside of a desktop's session (DBUS_SESSION_BUS_ADDRESS is not set): "
                + "do this in one, \(instead)"
        case .unavailable(let reason):
            "the keyring cannot be used (\(reason)): put that right, \(instead)"
        case .locked:
            "the keyring is locked: unlock it in the desktop, where `dbxfs mount` and `dbxfs login` ask for its password, "
                + instead
        case .silent(let seconds):
            "the keyring does not answer within \(seconds) s: enter its password where the desktop asks for it, \(instead)"
        case .missing:
            "the keyring has no secret for this login: log in again, run: \(login)"
        case .damaged(let reason):
            "the login in the keyring cannot be used (\(reason)): log in again, run: \(login)"
        }
    }
}
