// Access tokens renewed with a refresh token: before they expire, and once for all waiting callers.
// Not responsible for storage: the owner receives each new grant; see also OAuthClient+Accounts.

import Saturating

/// Renews an access token before it expires, or after the server called it expired.
public actor RefreshingAccessTokens: AccessTokenProvider, CustomStringConvertible,
    CustomReflectable
{
    /// A token with less validity than this is renewed before it is used; as in the official SDKs.
    public static let margin = Duration.seconds(300)

    private typealias Outcome = Result<AccessToken, TokenError>

    private var refreshToken: String
    /// Renews the grant, and returns when it is saved.
    private let source: @Sendable (String) async throws(TokenError) -> TokenGrant
    private let now: @Sendable () -> ContinuousClock.Instant
    private var current: (token: AccessToken, expires: ContinuousClock.Instant)?
    /// Set when the server refused the grant: a retry is useless and looks like an attack.
    private var refusal: TokenError?
    private var waiters: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
    private var lastWaiter: UInt64 = 0
    private var isRenewing = false

    /// Renews tokens with `client`.
    ///
    /// A known access token may be given with its remaining validity. `onRenewal` receives each new
    /// grant to store it; callers get the new token after it returns.
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

    /// Like the public initialiser, for an account of a store. `onRenewal` returns the reason if a
    /// grant could not be saved.
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

    /// A fixed text without tokens.
    public nonisolated var description: String { "<renewed access tokens>" }
    /// A mirror without tokens.
    public nonisolated var customMirror: Mirror { Mirror(self, children: []) }

    /// A token that is valid for minutes; renewed first if it is not.
    ///
    /// When renewing fails temporarily, a token with seconds left is still returned.
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

    /// A token in place of one that the server refused; renewed unless another caller has done so.
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

    /// Joins the renewal in progress, or starts one. Cancelling one caller does not cancel it for
    /// the others.
    private func renewed() async throws(TokenError) -> AccessToken {
        if let refusal { throw refusal }
        lastWaiter +|= 1
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
            // A token without a lifetime does not expire; its validity is capped at a year.
            let seconds = min(max(grant.expiresIn ?? .max, 0), 365 * 86_400)
            current = (token, now().advanced(by: .seconds(clamping: seconds)))
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
