// Logins: between the page and the code, granted, and stored. Not responsible for OAuth itself: the
// SDK's OAuthClient.

import Blocking
import DropboxAPI
import Essentials
import Saturating
import Synchronization

/// The object behind a `dropbox_login` of dropbox.h.
final class LoginHandle: Sendable {
    /// The secrets that the code is exchanged with.
    private enum Proof {
        /// The page shows a code.
        case code(PKCE)
        /// The page sends the user to an address of the program.
        case redirect(PendingLogin)
    }

    private enum State {
        case pending(Proof)
        case spent
        case granted(TokenGrant)
    }

    /// The address of the page.
    let page: String
    private let settings: BorderSettings
    private let app: AppCredentials
    private let transport: CurlTransport
    private let oauth: OAuthClient
    private let state: Mutex<State>

    /// Begins a login for the app of the settings.
    init(_ settings: BorderSettings, redirect: String?, scopes: String?) throws(BorderError) {
        self.settings = settings
        app = try settings.app()
        transport = try settings.transport()
        oauth = settings.oauth(app: app, over: transport)
        let request = LoginRequest(
            scopes: scopes.map { $0.split(separator: " ").map(String.init) } ?? [])
        if let redirect {
            let (page, pending) = oauth.beginLogin(redirect: redirect, request: request)
            self.page = page
            state = Mutex(.pending(.redirect(pending)))
        } else {
            let pkce = PKCE()
            page = oauth.authorizationURL(request, pkce: pkce)
            state = Mutex(.pending(.code(pkce)))
        }
    }

    /// Exchanges the code. It blocks.
    func finish(_ answer: String) throws(BorderError) {
        let taken = state.withLock { state -> Proof? in
            guard case .pending(let proof) = state else { return nil }
            state = .spent
            return proof
        }
        guard let taken else { throw .login("this login has ended; begin another one") }
        let oauth = oauth
        let grant = try waiting { () async throws(BorderError) -> TokenGrant in
            switch taken {
            case .code(let pkce):
                do throws(TokenError) {
                    let code = answer.filter { !$0.isWhitespace }
                    return try await oauth.exchange(code: code, pkce: pkce)
                } catch {
                    throw BorderError(error)
                }
            case .redirect(let pending):
                do throws(LoginError) {
                    return try await oauth.finishLogin(pending, returned: answer)
                } catch {
                    throw BorderError(error)
                }
            }
        }
        state.withLock { $0 = .granted(grant) }
    }

    /// The access that was granted.
    func grant() throws(BorderError) -> TokenGrant {
        guard case .granted(let grant) = state.withLock({ $0 }) else {
            throw .login("this login is not finished")
        }
        return grant
    }

    /// A client with the access that was granted.
    func client() throws(BorderError) -> ClientHandle {
        let grant = try grant()
        let token = AccessToken(grant.accessToken)
        guard let refreshToken = grant.refreshToken else {
            return ClientHandle(settings, FixedAccessToken(token), over: transport)
        }
        let tokens = RefreshingAccessTokens(
            client: oauth, refreshToken: refreshToken, accessToken: token,
            validFor: .seconds(clamping: max(0, grant.expiresIn ?? 365 * 86_400)))
        return ClientHandle(settings, tokens, over: transport)
    }

    /// Stores the login under an account's name.
    func save(to store: FolderTokenStore, as account: String) throws(BorderError) {
        let grant = try grant()
        guard let login = StoredLogin(grant, app: app, hosts: settings.configuration.hosts) else {
            throw .login("the grant has no refresh token, or names no account")
        }
        do throws(TokenStoreError) {
            try store.save(login, for: account)
        } catch {
            throw BorderError(error)
        }
    }
}

/// The logins that a folder holds.
enum LoginFolder {
    /// The store in a folder.
    static func store(_ folder: CString?) throws(BorderError) -> FolderTokenStore {
        let path = try CText.required(folder, "folder")
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw .argument("folder is not an absolute path")
        }
        return FolderTokenStore(folder: path)
    }

    /// Tokens of a stored login, for the app that it is of.
    static func tokens(
        of account: String, in store: FolderTokenStore, _ settings: BorderSettings,
        over transport: CurlTransport
    ) throws(BorderError) -> RefreshingAccessTokens {
        do throws(TokenStoreError) {
            guard let login = try store.load(account) else {
                throw TokenStoreError.failed("\(account) has no login in \(store.folder)")
            }
            let app = AppCredentials(key: login.appKey, secret: settings.appSecret)
            let oauth = settings.oauth(app: app, over: transport)
            let tokens = try waiting {
                () async throws(TokenStoreError) -> RefreshingAccessTokens? in
                try await oauth.tokens(of: account, in: store)
            }
            guard let tokens else {
                throw TokenStoreError.failed("\(account) has no login in \(store.folder)")
            }
            return tokens
        } catch {
            throw BorderError(error)
        }
    }
}

/// Runs work in a task, and waits for it in this thread, which is one of the program's.
func waiting<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () async throws(Failure) -> Value
) throws(Failure) -> Value {
    let outcome = Mutex<Result<Value, Failure>?>(nil)
    let ended = Latch()
    Task.detached {
        let result: Result<Value, Failure>
        do throws(Failure) {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        outcome.withLock { $0 = result }
        ended.set()
    }
    while true {
        ended.wait()
        if let result = outcome.withLock({ $0 }) { return try result.get() }
    }
}
