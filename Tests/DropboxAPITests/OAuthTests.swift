// OAuth: the challenge, the page, the token endpoint, and tokens that renew themselves.

import Foundation
import Synchronization
import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)))
struct OAuthTests {
    private static let grant =
        #"{"access_token":"fresh","expires_in":14400,"token_type":"bearer","scope":"a b","#
        + #""refresh_token":"r","account_id":"dbid:1","uid":"9"}"#

    private func client(
        _ server: ScriptedServer, secret: String? = nil
    ) throws -> (OAuthClient, TransportUnderTest) {
        let transport = try TransportUnderTest()
        let configuration = DropboxConfiguration(hosts: try DropboxHosts(endpoint: server.url))
        var client = OAuthClient(
            app: AppCredentials(key: "app&key", secret: secret), configuration: configuration,
            transport: transport)
        client.clock = StepClock().callClock
        return (client, transport)
    }

    @Test("the challenge is the one of RFC 7636, appendix B")
    func challenge() throws {
        let pkce = try #require(PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(pkce.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(PKCE(verifier: "short") == nil)
        #expect(PKCE(verifier: String(repeating: "+", count: 50)) == nil)
        #expect(PKCE().verifier != PKCE().verifier)
        #expect(PKCE(verifier: PKCE().verifier) != nil)
    }

    @Test("the page's address asks for offline access with a challenge")
    func authorizationURL() throws {
        let pkce = try #require(PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        let client = OAuthClient(
            app: AppCredentials(key: "app&key"), transport: try TransportUnderTest())
        #expect(
            client.authorizationURL(
                pkce: pkce, redirect: "http://127.0.0.1:1/cb", state: "s t",
                scopes: ["files.content.read", "account_info.read"], includesGrantedScopes: true)
                == "https://www.dropbox.com/oauth2/authorize?client_id=app%26key&response_type=code"
                + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
                + "&code_challenge_method=S256&token_access_type=offline"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcb&state=s%20t"
                + "&scope=files.content.read%20account_info.read&include_granted_scopes=user")
    }

    @Test("a code is exchanged with the verifier, by a public app")
    func exchange() async throws {
        let server = try ScriptedServer(answers: [.json(Self.grant)])
        defer { server.stop() }
        let (client, transport) = try client(server)
        let pkce = PKCE()
        let grant = try await client.exchange(code: "c/1", pkce: pkce, redirect: "http://x/")
        #expect(grant.accessToken == "fresh")
        #expect(grant.refreshToken == "r")
        #expect(grant.expiresIn == 14_400)
        #expect(grant.accountID == "dbid:1")
        let request = try #require(server.requests.first)
        #expect(request.path == "/oauth2/token")
        #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["authorization"] == nil)
        #expect(
            request.text == "grant_type=authorization_code&code=c%2F1&code_verifier="
                + "\(pkce.verifier)&redirect_uri=http%3A%2F%2Fx%2F&client_id=app%26key")
        await transport.shutDown()
    }

    @Test("an app with a secret proves itself in a header")
    func secret() async throws {
        let server = try ScriptedServer(answers: [.json(Self.grant)])
        defer { server.stop() }
        let (client, transport) = try client(server, secret: "hush")
        _ = try await client.refresh("r")
        let request = try #require(server.requests.first)
        #expect(request.text == "grant_type=refresh_token&refresh_token=r")
        #expect(
            request.headers["authorization"]
                == "Basic " + Data("app&key:hush".utf8).base64EncodedString())
        await transport.shutDown()
    }

    @Test("the owner gets each new grant before a caller gets the token")
    func telling() async throws {
        let server = try ScriptedServer(answers: [.json(Self.grant)])
        defer { server.stop() }
        let (client, transport) = try client(server)
        let told = Mutex<[String]>([])
        let tokens = RefreshingAccessTokens(client: client, refreshToken: "r") { grant in
            // A caller that does not wait for this would go on here.
            for _ in 0..<100 { await Task.yield() }
            told.withLock { $0.append(grant.accessToken) }
        }
        #expect(try await tokens.accessToken().secret == "fresh")
        #expect(told.withLock { $0 } == ["fresh"])
        await transport.shutDown()
    }

    @Test("a code is not exchanged twice; a refresh is repeated after faults")
    func repetition() async throws {
        let server = try ScriptedServer(answers: [.answer(500), .answer(500), .json(Self.grant)])
        defer { server.stop() }
        let (client, transport) = try client(server)
        let error = await #expect(throws: TokenError.self) {
            try await client.exchange(code: "c", pkce: PKCE())
        }
        #expect(error == .server(status: 500, message: ""))
        #expect(server.requests.count == 1)
        #expect(try await client.refresh("r").accessToken == "fresh")
        #expect(server.requests.count == 3)
        await transport.shutDown()
    }

    @Test(
        "refusals are typed",
        arguments: [
            (
                #"{"error":"invalid_grant","error_description":"refresh token is revoked"}"#,
                TokenError.invalidGrant("refresh token is revoked")
            ),
            (
                #"{"error":"invalid_client"}"#,
                .rejected(code: "invalid_client", description: "")
            ),
            ("no JSON", .server(status: 400, message: "no JSON")),
        ])
    func refusals(body: String, expected: TokenError) async throws {
        let server = try ScriptedServer(answers: [.json(body, status: 400)])
        defer { server.stop() }
        let (client, transport) = try client(server)
        let error = await #expect(throws: TokenError.self) { try await client.refresh("r") }
        #expect(error == expected)
        #expect(server.requests.count == 1)
        await transport.shutDown()
    }
}

/// A token endpoint that counts, waits when told to, and answers from a list.
private final class TokenSource: Sendable {
    private struct State {
        var asked = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let answers: [Result<TokenGrant, TokenError>]
    private let isHeld: Bool

    init(_ answers: [Result<TokenGrant, TokenError>], isHeld: Bool = false) {
        self.answers = answers
        self.isHeld = isHeld
    }

    var asked: Int { state.withLock { $0.asked } }

    /// Whether a caller is held.
    var holdsSomebody: Bool { state.withLock { !$0.waiters.isEmpty } }

    func release() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func grant() async throws(TokenError) -> TokenGrant {
        let index = state.withLock { state in
            defer { state.asked += 1 }
            return state.asked
        }
        if isHeld {
            await withCheckedContinuation { waiter in state.withLock { $0.waiters.append(waiter) } }
        }
        return try answers[min(index, answers.count - 1)].get()
    }
}

@Suite(.timeLimit(.minutes(5)))
struct RefreshingAccessTokensTests {
    private func tokens(
        _ source: TokenSource, _ clock: StepClock, token: String? = "old",
        validFor: Duration = .seconds(600)
    ) -> RefreshingAccessTokens {
        RefreshingAccessTokens(
            refreshToken: "r", accessToken: token.map { AccessToken($0) }, validFor: validFor,
            now: { clock.now }
        ) { (_: String) async throws(TokenError) -> TokenGrant in try await source.grant() }
    }

    private static let fresh = TokenGrant(accessToken: "fresh", expiresIn: 14_400)
    private static let offline = TokenError.transport(
        TransportError(kind: .connect, message: "", mayHaveBeenReceived: false))

    @Test("a token is used until five minutes before its end, then renewed")
    func margin() async throws {
        let source = TokenSource([.success(Self.fresh)])
        let clock = StepClock()
        let tokens = tokens(source, clock)
        #expect(try await tokens.accessToken().secret == "old")
        clock.advance(.seconds(299))
        #expect(try await tokens.accessToken().secret == "old")
        #expect(source.asked == 0)
        clock.advance(.seconds(1))
        #expect(try await tokens.accessToken().secret == "fresh")
        clock.advance(.seconds(14_000))
        #expect(try await tokens.accessToken().secret == "fresh")
        #expect(source.asked == 1)
    }

    @Test("many callers at once make one request, and one that is cancelled leaves the others")
    func singleFlight() async throws {
        let source = TokenSource([.success(Self.fresh)], isHeld: true)
        let tokens = tokens(source, StepClock(), token: nil)
        let tasks = (0..<50).map { _ in Task { try await tokens.accessToken() } }
        while !source.holdsSomebody { await Task.yield() }
        tasks[7].cancel()
        let error = await #expect(throws: TokenError.self) { try await tasks[7].value }
        #expect(error == .cancelled)
        source.release()
        for (index, task) in tasks.enumerated() where index != 7 {
            #expect(try await task.value.secret == "fresh")
        }
        #expect(source.asked == 1)
    }

    @Test("a token that the server calls expired is renewed, once for all who had it")
    func replacing() async throws {
        let source = TokenSource([.success(Self.fresh)])
        let tokens = tokens(source, StepClock())
        let old = try await tokens.accessToken()
        #expect(try await tokens.accessToken(replacing: old)?.secret == "fresh")
        #expect(try await tokens.accessToken(replacing: old)?.secret == "fresh")
        #expect(source.asked == 1)
    }

    @Test("while the token endpoint cannot be reached, a token with seconds left is still given")
    func unreachable() async throws {
        let source = TokenSource([.failure(Self.offline)])
        let clock = StepClock()
        let tokens = tokens(source, clock)
        clock.advance(.seconds(590))
        #expect(try await tokens.accessToken().secret == "old")
        #expect(source.asked == 1)
        clock.advance(.seconds(11))
        let error = await #expect(throws: TokenError.self) { try await tokens.accessToken() }
        #expect(error == Self.offline)
    }

    @Test("a call whose time is over waits no longer for its token, and the renewal goes on")
    func deadline() async throws {
        let server = try ScriptedServer(answers: [
            .json(#"{"used":5,"allocation":{".tag":"individual","allocated":10}}"#)
        ])
        defer { server.stop() }
        let source = TokenSource([.success(Self.fresh)], isHeld: true)
        let clock = StepClock()
        let tokens = tokens(source, clock, token: nil)
        let first = Task { try await tokens.accessToken() }
        while !source.holdsSomebody { await Task.yield() }
        let client = try DropboxClient.testing(server, clock: clock, tokens: tokens)
        for options in [
            CallOptions(deadline: clock.now.advanced(by: .milliseconds(1))),
            CallOptions(deadline: clock.now),
        ] {
            let error = await #expect(throws: CallError<NoError>.self) {
                try await client.call(Users.getSpaceUsage, options: options)
            }
            let late = TransportError(expired: .deadline, mayHaveBeenReceived: false)
            #expect(error?.kind == .transport(late))
            #expect(error?.mayHaveTakenEffect == false)
        }
        #expect(server.requests.isEmpty)
        source.release()
        #expect(try await first.value.secret == "fresh")
        _ = try await client.call(Users.getSpaceUsage)
        #expect(server.requests.first?.headers["authorization"] == "Bearer fresh")
        #expect(source.asked == 1)
    }

    @Test("a refused grant is not asked for again")
    func refusal() async throws {
        let source = TokenSource([.failure(.invalidGrant("revoked"))])
        let tokens = tokens(source, StepClock(), token: nil)
        for _ in 0..<3 {
            let error = await #expect(throws: TokenError.self) { try await tokens.accessToken() }
            #expect(error == .invalidGrant("revoked"))
        }
        #expect(source.asked == 1)
    }
}
