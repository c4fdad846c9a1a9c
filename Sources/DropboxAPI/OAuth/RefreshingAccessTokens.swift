// Access tokens that renew themselves by a refresh token: early, and once for all who wait.
// Not responsible for storing anything: the owner is told of each new grant, and see OAuthClient+Accounts.

/// Renews an access token before it expires, or when the server says that it did.
public actor RefreshingAccessTokens: AccessTokenProvider {
    /// A token that has less than this left is renewed before it is used; as the official SDKs do.
    public static let margin = Duration.seconds(300)

    private typealias Outcome = Result<AccessToken, TokenError>

    private var refreshToken: String
    /// Renews, and returns when the grant is kept.
    private let source: @Sendable (String) async throws(TokenError) -> TokenGrant
    private let now: @Sendable () -> ContinuousClock.Instant
    private var current: (token: AccessToken, expires: ContinuousClock.Instant)?
    /// Set when the server refused the grant: asking again is useless and looks like an attack.
    private var refusal: TokenError?
    private var waiters: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
    private var lastWaiter: UInt64 = 0
    private var isRenewing = false

    /// Renews by `client`.
    ///
    /// A known access token may be given with the time that it has left. `onRenewal` is told of
    /// each new grant, to store it, and nobody gets the new token before it returns.
    public init(
        client: OAuthClient, refreshToken: String, accessToken: AccessToken? = nil,
        validFor: Duration = .zero,
        onRenewal: @escaping @Sendable (TokenGrant) async -> Void = { _ in }
    ) {
        self.init(
            refreshToken: refreshToken, accessToken: accessToken, validFor: validFor,
            onRenewal: {
                await onRenewal($0)
                return nil
            }, client: client, account: nil)
    }

    /// The same, for an account of a store. `onRenewal` says why a grant could not be kept, if so.
    init(
        refreshToken: String, accessToken: AccessToken?, validFor: Duration,
        onRenewal: @escaping @Sendable (TokenGrant) async -> TokenStoreError?,
        client: OAuthClient, account: String?
    ) {
        self.init(
            refreshToken: refreshToken, accessToken: accessToken, validFor: validFor,
            now: client.clock.now
        ) { (token: String) async throws(TokenError) -> TokenGrant in
            let start = client.clock.now()
            var record = TokenRefreshRecord(account: account, duration: .zero)
            defer {
                record.duration = start.duration(to: client.clock.now())
                client.reporter.tokenRefreshed(record)
            }
            do throws(TokenError) {
                let grant = try await client.refresh(token, options: .within(.seconds(60)))
                record.storeFailure = await onRenewal(grant)
                return grant
            } catch {
                record.failure = error
                throw error
            }
        }
    }

    init(
        refreshToken: String, accessToken: AccessToken?, validFor: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        source: @escaping @Sendable (String) async throws(TokenError) -> TokenGrant
    ) {
        self.refreshToken = refreshToken
        self.source = source
        self.now = now
        current = accessToken.map { ($0, now().advanced(by: validFor)) }
    }

    /// A token that is good for minutes; renewed first if it is not.
    ///
    /// When renewing fails for a passing reason, a token that has seconds left is still given.
    public func accessToken() async throws(TokenError) -> AccessToken {
        if let current, current.expires > now().advanced(by: Self.margin) { return current.token }
        do {
            return try await renewed()
        } catch .transport(let error) {
            return try usable(otherwise: .transport(error))
        } catch .server(let status, let message) {
            return try usable(otherwise: .server(status: status, message: message))
        }
    }

    /// A token in place of one that the server refused; renewed unless that happened meanwhile.
    public func accessToken(replacing expired: AccessToken) async throws(TokenError) -> AccessToken?
    {
        if let current, current.token != expired { return try await accessToken() }
        current = nil
        return try await renewed()
    }

    private func usable(otherwise error: TokenError) throws(TokenError) -> AccessToken {
        guard let current, current.expires > now() else { throw error }
        return current.token
    }

    /// Joins the renewal that is under way, or starts one. Cancelling a caller leaves it running
    /// for the others.
    private func renewed() async throws(TokenError) -> AccessToken {
        if let refusal { throw refusal }
        lastWaiter += 1
        let id = lastWaiter
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: CheckedContinuation<Outcome, Never>) in
                if Task.isCancelled {
                    waiter.resume(returning: .failure(.cancelled))
                    return
                }
                waiters[id] = waiter
                startRenewal()
            }
        } onCancel: {
            Task { await self.stopWaiting(id) }
        }
        return try outcome.get()
    }

    private func stopWaiting(_ id: UInt64) {
        waiters.removeValue(forKey: id)?.resume(returning: .failure(.cancelled))
    }

    private func startRenewal() {
        guard !isRenewing else { return }
        isRenewing = true
        let source = source
        let refreshToken = refreshToken
        Task {
            do throws(TokenError) {
                finish(.success(try await source(refreshToken)))
            } catch {
                finish(.failure(error))
            }
        }
    }

    private func finish(_ result: Result<TokenGrant, TokenError>) {
        isRenewing = false
        let outcome: Outcome
        switch result {
        case .success(let grant):
            let token = AccessToken(grant.accessToken)
            // Without a time it lasts; a year is as good as for ever.
            let seconds = min(max(grant.expiresIn ?? .max, 0), 365 * 86_400)
            current = (token, now().advanced(by: .seconds(seconds)))
            refreshToken = grant.refreshToken ?? refreshToken
            outcome = .success(token)
        case .failure(let error):
            if case .invalidGrant = error {
                refusal = error
                current = nil
            }
            outcome = .failure(error)
        }
        let waiting = waiters
        waiters = [:]
        for waiter in waiting.values {
            waiter.resume(returning: outcome)
        }
    }
}
