// Tokens of accounts whose logins are in a store. Not responsible for logging in.

extension OAuthClient {
    /// Access tokens of an account, from the login that a store has; nil when it has none.
    ///
    /// A kept access token is used while it is good. Each renewal is kept, a new refresh token with it,
    /// before the new token is used. A login that took this one's place in the store meanwhile is left
    /// alone, and so is a store that was told to forget the account. If keeping fails, the tokens go on
    /// from memory.
    public func tokens(
        of account: String, in store: any TokenStore
    ) async throws(TokenStoreError) -> RefreshingAccessTokens? {
        guard let login = try await store.load(account) else { return nil }
        let keeper = LoginKeeper(login, account: account, store: store)
        return RefreshingAccessTokens(
            refreshToken: login.refreshToken,
            accessToken: login.accessToken.map { AccessToken($0) },
            validFor: login.validity(at: .now), onRenewal: { await keeper.keep($0) }, client: self,
            account: account)
    }
}

extension StoredLogin {
    /// How long the access token is good; a year is as good as for ever.
    func validity(at now: Timestamp) -> Duration {
        let year = Int64(365 * 86_400)
        guard let end = expires?.secondsSince1970 else { return .seconds(year) }
        let (left, overflow) = end.subtractingReportingOverflow(now.secondsSince1970)
        if overflow { return .seconds(end < 0 ? 0 : year) }
        return .seconds(min(max(left, 0), year))
    }
}

/// Keeps what renewals give, or says why it cannot. One renewal follows another, so calls never overlap.
private actor LoginKeeper {
    private var login: StoredLogin
    /// The refresh token that the store has, as far as is known here.
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
