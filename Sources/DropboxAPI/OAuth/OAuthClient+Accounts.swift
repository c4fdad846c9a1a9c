// Tokens of accounts with a stored login. Not responsible for logging in.

import Saturating

extension OAuthClient {
    /// Access tokens of an account, from its stored login; nil without one.
    ///
    /// A stored access token is used while it is valid. It is renewed with the app's secret: that
    /// of this client, else the stored one of the same app. Each renewal is saved, including a new
    /// refresh token, before the new token is used. If the store's login was replaced or removed
    /// since, it is left alone. If saving fails, the tokens continue from memory. Throws
    /// `otherServer` for a login from another server than `configuration.hosts`.
    public func tokens(
        of account: String, in store: any TokenStore
    ) async throws(TokenStoreError) -> RefreshingAccessTokens? {
        guard let login = try await store.load(account) else { return nil }
        guard login.server == configuration.hosts.loginServer else {
            throw .otherServer(account: account, server: login.server)
        }
        let keeper = LoginKeeper(login, account: account, store: store)
        return RefreshingAccessTokens(
            refreshToken: login.refreshToken,
            accessToken: login.accessToken.map { AccessToken($0) },
            validFor: login.validity(at: .now), onRenewal: { await keeper.keep($0) },
            client: adoptingSecret(of: login),
            account: account)
    }
}

extension StoredLogin {
    /// The remaining validity of the access token, capped at a year.
    func validity(at now: Timestamp) -> Duration {
        let year = Int64(365 * 86_400)
        guard let end = expires?.secondsSince1970 else { return .seconds(clamping: year) }
        let (left, overflow) = end.subtractingReportingOverflow(now.secondsSince1970)
        if overflow { return .seconds(clamping: end < 0 ? 0 : year) }
        return .seconds(clamping: min(max(left, 0), year))
    }
}

/// Saves renewed logins, or returns why it could not. Renewals are sequential, so calls never
/// overlap.
private actor LoginKeeper {
    private var login: StoredLogin
    /// The refresh token that was last read from or saved to the store.
    private var kept: String
    private let account: String
    private let store: any TokenStore

    init(_ login: StoredLogin, account: String, store: any TokenStore) {
        self.login = login
        kept = login.refreshToken
        self.account = account
        self.store = store
    }

    func keep(_ grant: TokenGrant) async -> TokenStoreError? {
        login.adopt(grant, at: .now)
        do throws(TokenStoreError) {
            if try await store.load(account)?.refreshToken == kept {
                try await store.save(login, for: account)
                kept = login.refreshToken
            }
            return nil
        } catch {
            return error
        }
    }
}
