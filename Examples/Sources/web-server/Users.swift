// The users who are logged in: sessions by cookie, and a client for each account.

import DropboxAPI
import HTTPTypes
import Hummingbird
import Logging
import Synchronization

// [step 1]
/// The users of the server.
final class Users: Sendable {
    /// The state of a browser's login, by its cookie.
    private enum Session {
        /// The user is at Dropbox's page.
        case pending(PendingLogin)
        /// The user has a client.
        case account(DropboxClient)
    }

    let app: AppCredentials
    private let configuration: DropboxConfiguration
    private let transport: CurlTransport
    private let logins: any TokenStore
    private let address: String
    private let oauth: OAuthClient
    private let sessions = Mutex<[String: Session]>([:])

    /// The server's users; they come back from Dropbox's page to `address`.
    init(
        app: AppCredentials, configuration: DropboxConfiguration, transport: CurlTransport,
        logins: any TokenStore, address: String
    ) {
        self.app = app
        self.configuration = configuration
        self.transport = transport
        self.logins = logins
        self.address = address
        oauth = OAuthClient(app: app, configuration: configuration, transport: transport)
    }

    // [step 2]
    /// The page to send a user to, and the cookie of the new session.
    func beginLogin() -> (page: String, cookie: String) {
        let (page, pending) = oauth.beginLogin(
            redirect: address,
            request: LoginRequest(
                scopes: ["files.metadata.read", "files.content.read", "files.content.write"]))
        let cookie = PKCE.randomState()
        sessions.withLock { $0[cookie] = .pending(pending) }
        return (page, cookie)
    }

    // [step 3]
    /// Ends the login of a session; returns the account's id.
    func finishLogin(session cookie: String?, query: String) async throws -> String {
        // It is forgotten first, because a code can be exchanged once.
        let session = cookie.flatMap { cookie in
            sessions.withLock { $0.removeValue(forKey: cookie) }
        }
        guard let cookie, case .pending(let pending) = session else { throw LoginError.otherState }
        let grant = try await oauth.finishLogin(pending, returned: query)
        guard let login = StoredLogin(grant, app: app, hosts: configuration.hosts) else {
            throw LoginError.malformed
        }
        try await logins.save(login, for: login.accountID)
        guard let tokens = try await oauth.tokens(of: login.accountID, in: logins) else {
            throw HTTPError(.internalServerError)
        }
        let client = DropboxClient(
            configuration: configuration, tokens: tokens, transport: transport)
        sessions.withLock { $0[cookie] = .account(client) }
        return login.accountID
    }

    // [step 4]
    /// The client of the user to whom the session of a request belongs.
    func client(_ request: Request) throws -> DropboxClient {
        let session = request.cookies["session"].flatMap { cookie in
            sessions.withLock { $0[cookie.value] }
        }
        guard case .account(let client) = session else { throw HTTPError(.unauthorized) }
        return client
    }
}

// [step 5]
/// Every error of the library becomes a status, and a sentence for the user.
struct Failures<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as any DropboxError {
            context.logger.notice("\(error.summary)")
            throw HTTPError(Self.status(of: error), message: error.errorDescription ?? "")
        }
    }

    private static func status(of error: any DropboxError) -> HTTPResponse.Status {
        if error is LoginError || error is WebhookError { return .forbidden }
        // Also of a token that cannot be renewed without a network.
        if error.isConnectivityLoss { return .badGateway }
        return switch error.failedCall?.kind {
        case .route, .badInput: .conflict
        case .auth, .access, .token: .forbidden
        case .rateLimited: .serviceUnavailable
        default: .badGateway
        }
    }
}
