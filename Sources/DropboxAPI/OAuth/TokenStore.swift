// Storage for logins of several accounts, by names that the app chooses. Not responsible for using
// them.

/// Stores logins by account name.
///
/// The name is the app's own, for example `work` or an e-mail address.
public protocol TokenStore: Sendable {
    /// The login of an account; nil when there is none.
    func load(_ account: String) async throws(TokenStoreError) -> StoredLogin?

    /// Replaces an account's login. It survives a crash once this returns.
    func save(_ login: StoredLogin, for account: String) async throws(TokenStoreError)

    /// Removes an account's login, if there is one. The login stays valid until it is revoked
    /// (`auth/token/revoke`).
    func remove(_ account: String) async throws(TokenStoreError)

    /// The names of all accounts, sorted.
    func accounts() async throws(TokenStoreError) -> [String]
}
