// OAuth 2 with Dropbox: the authorization page and the token endpoint. Not responsible for showing
// pages, reading codes, or storing tokens.
// https://developers.dropbox.com/oauth-guide

public import Logging
import Saturating

/// The response of the token endpoint.
public struct TokenGrant: Codable, Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The access token for calls.
    public var accessToken: String
    /// Lifetime of the access token in seconds; nil for tokens that do not expire.
    public var expiresIn: Int64?
    /// The refresh token; only from an exchange of a code with offline access.
    public var refreshToken: String?
    /// The granted scopes, separated by spaces.
    public var scope: String?
    /// The account's id, `dbid:…`.
    public var accountID: String?
    /// The account's number, which older programs know accounts by.
    public var uid: String?
    /// The team's id, for tokens of teams.
    public var teamID: String?

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
        case scope
        case accountID = "account_id"
        case uid
        case teamID = "team_id"
    }

    /// A text without tokens.
    public var description: String { "<grant for \(accountID ?? "an account")>" }
    /// A mirror without tokens.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Makes authorization URLs and calls the token endpoint for one app.
public struct OAuthClient: Sendable {
    /// Maximum bytes of a response of the token endpoint.
    private static let resultLimit = 64 << 10

    private var app: AppCredentials
    let configuration: DropboxConfiguration
    private let transport: any HTTPTransport
    let reporter: Reporter
    var clock = CallClock()

    /// The name of the token endpoint for observers and logs.
    private static let route = "oauth2/token"

    /// A client for one app over shared connections, whose observers see its own bytes.
    public init(
        app: AppCredentials, configuration: DropboxConfiguration = .init(),
        transport: any HTTPTransport, logger: Logger = Logger(label: "dropbox.oauth")
    ) {
        self.app = app
        self.configuration = configuration
        self.transport = ClientTransport(transport, observers: configuration.observers)
        reporter = Reporter(observers: configuration.observers, logger: logger)
    }

    /// This client with the secret of a stored login, if it is for the same app and has none
    /// itself.
    func adoptingSecret(of login: StoredLogin) -> OAuthClient {
        guard app.key == login.appKey, app.secret == nil else { return self }
        var client = self
        client.app.secret = login.appSecret
        return client
    }

    /// The URL of the page on which the user allows access and gets a code.
    ///
    /// Without a redirect the page shows the code for the user to copy. The login is for offline
    /// access: it yields a refresh token.
    public func authorizationURL(
        pkce: PKCE, redirect: String? = nil, state: String? = nil, scopes: [String] = [],
        includesGrantedScopes: Bool = false
    ) -> String {
        let request = LoginRequest(
            scopes: scopes, grantedScopes: includesGrantedScopes ? .user : nil)
        return authorizationURL(request, pkce: pkce, redirect: redirect, state: state)
    }

    /// The URL of the page on which the user allows access, with all of its parameters.
    public func authorizationURL(
        _ request: LoginRequest, pkce: PKCE, redirect: String? = nil, state: String? = nil
    ) -> String {
        var fields = [
            ("client_id", app.key), ("response_type", "code"),
            ("code_challenge", pkce.challenge), ("code_challenge_method", "S256"),
            ("token_access_type", request.access.rawValue),
        ]
        if let redirect { fields.append(("redirect_uri", redirect)) }
        if let state { fields.append(("state", state)) }
        fields.append(contentsOf: request.fields)
        return configuration.hosts.web + "/oauth2/authorize?" + FormEncoding.encode(fields)
    }

    /// Exchanges the browser's code. A code can be exchanged once, so this is not retried when it
    /// is unknown if the first request was received.
    public func exchange(
        code: String, pkce: PKCE, redirect: String? = nil, options: CallOptions = .init()
    ) async throws(TokenError) -> TokenGrant {
        var fields = [
            ("grant_type", "authorization_code"), ("code", code),
            ("code_verifier", pkce.verifier),
        ]
        if let redirect { fields.append(("redirect_uri", redirect)) }
        return try await grant(fields, isSafeToRepeat: false, options)
    }

    /// Gets a new access token, with some of the granted scopes or with all. Throws `invalidGrant`
    /// when the user has to log in again.
    public func refresh(
        _ refreshToken: String, scopes: [String] = [], options: CallOptions = .init()
    ) async throws(TokenError) -> TokenGrant {
        var fields = [("grant_type", "refresh_token"), ("refresh_token", refreshToken)]
        if !scopes.isEmpty { fields.append(("scope", scopes.joined(separator: " "))) }
        return try await grant(fields, isSafeToRepeat: true, options)
    }

    private func grant(
        _ fields: [(String, String)], isSafeToRepeat: Bool, _ options: CallOptions
    ) async throws(TokenError) -> TokenGrant {
        var progress = RetryPolicy.Progress(
            isSafeToRepeat: isSafeToRepeat, maxAttempts: options.maxAttempts)
        var context = CallContext(route: Self.route)
        while true {
            context.attempts +|= 1
            progress.remaining = options.deadline.map { clock.now().duration(to: $0) }
            let error: TokenError
            let event: RetryPolicy.Event
            switch await attempt(fields, remaining: progress.remaining, &context) {
            case .success(let grant): return grant
            case .failure(let failure): (error, event) = (failure.error, failure.event)
            }
            if RetryPolicy.isThrottling(event) {
                progress.throttles +|= 1
            } else {
                progress.faults +|= 1
            }
            let policy = configuration.retryPolicy
            switch policy.decide(event, progress, random: clock.random()) {
            case .giveUp: throw error
            case .retry(let delay), .holdAllCalls(let delay):
                let failure = CallFailure(CallError<NoError>(kind: .token(error), context: context))
                reporter.retryDecided(
                    RetryRecord(failure: failure, delay: delay, holdsAllCalls: false))
                do {
                    try await clock.sleep(delay)
                } catch {
                    throw .cancelled
                }
            }
        }
    }

    private struct Failure: Error {
        let error: TokenError
        let event: RetryPolicy.Event
    }

    private func attempt(
        _ fields: [(String, String)], remaining: Duration?, _ context: inout CallContext
    ) async -> Result<TokenGrant, Failure> {
        let start = clock.now()
        var status: Int?
        let result: Result<TokenGrant, Failure>
        context.requestID = nil
        do throws(TransportError) {
            let response = try await transport.send(request(fields, remaining: remaining))
            status = response.status
            context.requestID = response.requestID
            let body = try await response.body.collect(upTo: Self.resultLimit)
            result = Self.read(response, body)
        } catch {
            let reason: TokenError = error.kind == .cancelled ? .cancelled : .transport(error)
            result = .failure(Failure(error: reason, event: .transport(error)))
        }
        var failure: String?
        if case .failure(let reason) = result { failure = reason.error.advice }
        reporter.requestEnded(
            RequestRecord(
                route: Self.route, status: status, requestID: context.requestID,
                duration: start.duration(to: clock.now()), attempt: context.attempts,
                failure: failure))
        return result
    }

    private func request(_ fields: [(String, String)], remaining: Duration?) -> TransportRequest {
        var fields = fields
        var headers: TransportHeaders = [
            "Content-Type": "application/x-www-form-urlencoded",
            "User-Agent": configuration.userAgent,
        ]
        // A public app sends its key in the body; one with a secret authenticates in a header.
        if app.secret == nil {
            fields.append(("client_id", app.key))
        } else {
            headers.append("Authorization", app.basicAuthorization)
        }
        var timeouts = configuration.callTimeouts
        if let remaining {
            timeouts.total = max(.zero, min(timeouts.total ?? remaining, remaining))
        }
        return TransportRequest(
            url: configuration.hosts.api + "/oauth2/token", headers: headers,
            body: BytesBody(Array(FormEncoding.encode(fields).utf8)), timeouts: timeouts,
            label: Self.route)
    }

    private struct Refusal: Decodable {
        let error: String
        let errorDescription: String?

        enum CodingKeys: String, CodingKey {
            case error
            case errorDescription = "error_description"
        }
    }

    private static func read(
        _ response: TransportResponse, _ body: [UInt8]
    ) -> Result<TokenGrant, Failure> {
        let status = response.status
        let text = CallError<NoError>.Kind.excerpt(body)
        switch status {
        case 200:
            do {
                return .success(try JSON.decode(TokenGrant.self, from: body))
            } catch {
                // The body may contain tokens: the message does not quote it.
                return .failure(
                    Failure(
                        error: .server(status: status, message: error.message), event: .permanent))
            }
        case 429:
            let kind = CallError<NoError>.Kind(
                status: status, headers: response.headers, body: body)
            return .failure(
                Failure(error: .server(status: status, message: text), event: kind.retryEvent))
        case 500...:
            return .failure(
                Failure(error: .server(status: status, message: text), event: .serverFault))
        default:
            guard let refusal = try? JSON.decode(Refusal.self, from: body) else {
                return .failure(
                    Failure(error: .server(status: status, message: text), event: .permanent))
            }
            let description = refusal.errorDescription ?? ""
            let error: TokenError =
                refusal.error == "invalid_grant"
                ? .invalidGrant(description)
                : .rejected(code: refusal.error, description: description)
            return .failure(Failure(error: error, event: .permanent))
        }
    }
}
