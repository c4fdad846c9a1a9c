// Logins and tokens of an app, by the names of SwiftyDropbox, over the OAuth client of DropboxAPI.
// How the page is shown and how its answer comes back: DropboxOAuthManager+Login.

import Blocking
import Dispatch
import DropboxAPI
public import Foundation
import Synchronization

/// Logs users in, and keeps and renews their tokens.
public class DropboxOAuthManager: AccessTokenRefreshing, @unchecked Sendable {
    // Sendable: all fields are constants; `login` is guarded by its own lock.

    /// A login whose answer is waited for.
    struct Login: Sendable {
        let pkce: PKCE
        let state: String
        /// Nil where the page shows the code.
        let redirect: String?
    }

    /// Held for an access only.
    private static let shared = Mutex<DropboxOAuthManager?>(nil)

    /// The manager that `DropboxClientsManager` was set up with.
    public static var sharedOAuthManager: DropboxOAuthManager? {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }

    /// The language of the page.
    public let locale: Locale?
    let appKey: String
    let host: String
    /// The address to which the page leads back on Apple's systems.
    let redirectURL: String
    let hosts: BaseHosts
    private let storage: any SecureStorageAccess
    /// Held for an access only.
    let login = Mutex<Login?>(nil)

    /// A manager for an app, with a place for its tokens, and the servers of Dropbox unless others
    /// are given.
    public init(
        appKey: String, host: String, secureStorageAccess: any SecureStorageAccess,
        baseHosts: BaseHosts = .default, locale: Locale? = nil
    ) {
        self.appKey = appKey
        self.host = host
        self.locale = locale
        hosts = baseHosts
        storage = secureStorageAccess
        redirectURL = "db-\(appKey)://2/token"
    }

    /// The same with the page of Dropbox itself.
    public convenience init(appKey: String, secureStorageAccess: any SecureStorageAccess) {
        self.init(appKey: appKey, host: "www.dropbox.com", secureStorageAccess: secureStorageAccess)
    }

    /// The client of DropboxAPI. Throws when there are no connections.
    func client() throws(TransportError) -> OAuthClient {
        let web = host.contains("://") ? host : "https://\(host)"
        let configuration = DropboxConfiguration(
            hosts: try DropboxHosts(
                api: hosts.apiHost, content: hosts.contentHost, notify: hosts.notifyHost, web: web),
            userAgent: Constants.userAgent,
            retryPolicy: RetryPolicy(maxAttempts: 1, maxThrottles: 0))
        return OAuthClient(
            app: AppCredentials(key: appKey), configuration: configuration,
            transport: try Connections.transport(NetworkSessionConfiguration.usualConnections))
    }

    // MARK: Stored tokens

    /// All tokens, by their accounts.
    public func getAllAccessTokens() -> [String: DropboxAccessToken] {
        var tokens: [String: DropboxAccessToken] = [:]
        for user in storage.getAllUserIds() {
            tokens[user] = storage.getDropboxAccessToken(for: user)
        }
        return tokens
    }

    /// Whether there is a token.
    public func hasStoredAccessTokens() -> Bool { !getAllAccessTokens().isEmpty }

    /// The token of an account.
    public func getAccessToken(_ user: String?) -> DropboxAccessToken? {
        user.flatMap { storage.getDropboxAccessToken(for: $0) }
    }

    /// The token of the first account in order.
    public func getFirstAccessToken() -> DropboxAccessToken? {
        getAllAccessTokens().min { $0.key < $1.key }?.value
    }

    /// Removes the token of an account from the storage.
    public func clearStoredAccessToken(_ token: DropboxAccessToken) -> Bool {
        storage.deleteInfo(for: token.uid)
    }

    /// Removes the tokens of all accounts.
    public func clearStoredAccessTokens() -> Bool { storage.deleteInfoForAllKeys() }

    /// Keeps a token; false where that is not possible.
    @discardableResult
    public func storeAccessToken(_ token: DropboxAccessToken) -> Bool {
        guard let data = try? JSONEncoder().encode(token) else { return false }
        return storage.setAccessTokenData(for: token.uid, data: data)
    }

    func checkAccessibilityMigrationOneTime() {
        storage.checkAccessibilityMigrationOneTime()
    }

    // MARK: Tokens for requests

    /// Gives a token to requests, and renews one that expires.
    public func accessTokenProviderForToken(_ token: DropboxAccessToken) -> any AccessTokenProvider
    {
        token.isShortLivedToken
            ? ShortLivedAccessTokenProvider(token: token, tokenRefresher: self)
            : LongLivedAccessTokenProvider(accessToken: token.accessToken)
    }

    /// Gets a new token for one that expires, keeps it, and then calls; on the main queue, unless
    /// another is given.
    public func refreshAccessToken(
        _ accessToken: DropboxAccessToken, scopes: [String], queue: DispatchQueue?,
        completion: @escaping DropboxOAuthCompletion
    ) {
        let waiter = OAuthCompletion(call: completion)
        let queue = queue ?? LibrarySettings.responseQueue
        guard let refreshToken = accessToken.refreshToken else {
            return waiter.call(
                .error(.unknown, "a token without a refresh token cannot be renewed"))
        }
        Task {
            let result = await self.token(of: accessToken.uid, refreshToken: refreshToken) {
                () throws(TokenError) in
                do throws(TransportError) {
                    return try self.client()
                } catch {
                    throw .transport(error)
                }
            } grant: { (client) throws(TokenError) in
                try await client.refresh(refreshToken, scopes: scopes)
            }
            queue.async { waiter.call(result) }
        }
    }

    /// Asks the server for a token, and keeps it.
    ///
    /// An account of its own has the token's number; a refresh keeps the account and the refresh
    /// token.
    func token(
        of uid: String?, refreshToken: String?,
        client: () async throws(TokenError) -> OAuthClient,
        grant: (OAuthClient) async throws(TokenError) -> TokenGrant
    ) async -> DropboxOAuthResult {
        do throws(TokenError) {
            let grant = try await grant(try await client())
            guard let uid = uid ?? grant.uid ?? grant.accountID ?? grant.teamID else {
                return .error(.unknown, "the server names no account")
            }
            let end = grant.expiresIn.map { Date().timeIntervalSince1970 + Double($0) }
            let token = DropboxAccessToken(
                accessToken: grant.accessToken, uid: uid,
                refreshToken: grant.refreshToken ?? refreshToken, tokenExpirationTimestamp: end)
            let isStored = await TemporaryFile.disk.run { self.storeAccessToken(token) }
            return isStored ? .success(token) : .error(.tokenStorageError, nil)
        } catch {
            return .error(OAuth2Error(error), error.words)
        }
    }
}
