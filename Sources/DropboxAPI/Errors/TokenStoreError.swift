// The error of a store of logins. An observer of the client sees it, too, when a renewed token
// cannot be kept.

/// The reason why a login could not be loaded, saved or removed. None of the texts contains a
/// secret.
@nonexhaustive public enum TokenStoreError: Error, Hashable, Sendable {
    /// The store is not available on this machine, or not now: a program or a service is missing.
    case unavailable(String)
    /// The store is locked, and the user has not unlocked it.
    case locked
    /// Other users can access the folder or file of this path, or own it. Its content is not used.
    case notPrivate(String)
    /// The data stored for an account is not a login.
    case damaged(account: String, reason: String)
    /// The login is for another server (nil is Dropbox) than the client's, which must not get its
    /// secret.
    case otherServer(account: String, server: String?)
    /// The name is not allowed.
    case invalidAccount(String)
    /// The store failed with this message.
    case failed(String)
}

extension TokenStoreError: CustomStringConvertible {
    /// The failure and the remedy.
    public var description: String {
        switch self {
        case .unavailable(let reason): "logins cannot be kept there: \(reason)"
        case .locked: "the store of logins is locked: unlock it, and try again"
        case .notPrivate(let path):
            "\(path) is not private; take it from other users, and log in again"
        case .damaged(let account, let reason):
            "the login of \(account) cannot be used: \(reason); log in again"
        case .otherServer(let account, let server):
            "the login of \(account) is for \(server ?? "Dropbox"), and is sent to no other server"
        case .invalidAccount(let name): "no account can have the name '\(name)'"
        case .failed(let reason): "logins could not be read or kept: \(reason)"
        }
    }
}

extension TokenStoreError {
    /// Checks the name of an account: 1 to 100 bytes, none of which is a control character.
    package static func check(account: String) throws(TokenStoreError) {
        let isSound =
            (1...100).contains(account.utf8.count)
            && account.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard isSound else { throw .invalidAccount(account) }
    }
}
