// Whose a token is, before anything is sent by it: against the emulator with two accounts.

import DropboxAPI
import DropboxAPITesting
import DropboxEmulator
import Synchronization
import Testing

@testable import RemoteStore

@Suite("tokens of one account")
struct VerifiedTokensTests {
    /// Tokens that are changed under a mount's hands, as a login by `dbxfs login` does.
    private final class ChangingTokens: AccessTokenProvider {
        private let token: Mutex<String>
        private let replacement: String?

        init(_ token: String, replacement: String? = nil) {
            self.token = Mutex(token)
            self.replacement = replacement
        }

        func change(to other: String) {
            token.withLock { $0 = other }
        }

        func accessToken() async throws(TokenError) -> AccessToken {
            AccessToken(token.withLock { $0 })
        }

        func accessToken(replacing expired: AccessToken) async throws(TokenError) -> AccessToken? {
            if let replacement { change(to: replacement) }
            return replacement.map { AccessToken($0) }
        }
    }

    /// The emulator, with "own" and "other" as tokens of two accounts, and how to call it.
    private func withAccounts(
        _ body: (
            _ configuration: DropboxConfiguration, _ transport: CurlTransport
        ) async throws -> Void
    ) async throws {
        try await EmulatedAccount.withAccount { account in
            _ = try account.server.makeTeamMember(token: "own", teamToken: "team1")
            _ = try account.server.makeTeamMember(token: "other", teamToken: "team2")
            let configuration = account.client.configuration
            let transport = try CurlTransport(
                configuration: configuration.transport, logger: silent)
            do {
                try await body(configuration, transport)
            } catch {
                await transport.shutDown()
                throw error
            }
            await transport.shutDown()
        }
    }

    private func verified(
        _ base: ChangingTokens, expected: String?, _ configuration: DropboxConfiguration,
        _ transport: any HTTPTransport
    ) -> VerifiedTokens {
        VerifiedTokens(base, expected: expected) { token in
            DropboxClient(
                configuration: configuration, tokens: FixedAccessToken(token), transport: transport,
                logger: silent)
        } explanation: { found in
            "the token is \(found.email)'s"
        }
    }

    @Test("the first account is the account for good, and another one's token is not given out")
    func otherAccount() async throws {
        try await withAccounts { configuration, transport in
            let base = ChangingTokens("own")
            let tokens = verified(base, expected: nil, configuration, transport)
            let owner = try await tokens.owner()
            #expect(try await tokens.accessToken() == AccessToken("own"))
            base.change(to: "other")
            let error = await #expect(throws: TokenError.self) { try await tokens.accessToken() }
            guard case .withheld(let text) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.hasPrefix("the token is "))
            base.change(to: "own")
            #expect(try await tokens.accessToken() == AccessToken("own"))

            // An account that is known from before.
            let later = verified(
                ChangingTokens("other"), expected: owner.id, configuration, transport)
            #expect(try await later.owner().id != owner.id)
            await #expect(throws: TokenError.self) { try await later.accessToken() }
        }
    }

    @Test("a token that the server refuses is replaced, and the new one is asked about, too")
    func replaced() async throws {
        try await withAccounts { configuration, transport in
            let owner = try await verified(
                ChangingTokens("own"), expected: nil, configuration, transport
            ).owner()
            let good = verified(
                ChangingTokens("expired", replacement: "own"), expected: owner.id, configuration,
                transport)
            #expect(try await good.accessToken() == AccessToken("own"))
            let bad = verified(
                ChangingTokens("expired", replacement: "other"), expected: owner.id, configuration,
                transport)
            await #expect(throws: TokenError.self) { try await bad.accessToken() }
            let dead = verified(
                ChangingTokens("expired"), expected: owner.id, configuration, transport)
            await #expect(throws: TokenError.self) { try await dead.accessToken() }
        }
    }

    @Test("as long as the server does not say whose a token is, none is given out")
    func unknown() async throws {
        // None of them is worth asking again at once.
        for answer in ["nonsense", "{}", "[]"] {
            let transport = ScriptedTransport(json: answer)
            let tokens = verified(
                ChangingTokens("own"), expected: "dbid:1", DropboxConfiguration(), transport)
            let error = await #expect(throws: TokenError.self) { try await tokens.accessToken() }
            switch error {
            case .server, .transport: break
            default: Issue.record("\(String(describing: error))")
            }
        }
    }

    // MARK: Several at a time

    /// Holds the questions about some tokens back, and counts all.
    private final class HoldingTransport: HTTPTransport {
        private struct State {
            var held: Set<String> = []
            var asked: [String] = []
            var waiters: [(token: String, continuation: CheckedContinuation<Void, Never>)] = []
            var arrivals: [CheckedContinuation<Void, Never>] = []
        }

        private let inner: any HTTPTransport
        private let state: Mutex<State>

        init(over inner: any HTTPTransport, holding held: Set<String>) {
            self.inner = inner
            state = Mutex(State(held: held))
        }

        var asked: [String] { state.withLock { $0.asked } }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let token = String(request.headers["Authorization"]?.dropFirst(7) ?? "")
            await withCheckedContinuation { continuation in
                let arrivals = state.withLock { state in
                    defer { state.arrivals = [] }
                    state.asked.append(token)
                    if state.held.contains(token) {
                        state.waiters.append((token, continuation))
                        return (state.arrivals, false)
                    }
                    return (state.arrivals, true)
                }
                if arrivals.1 { continuation.resume() }
                for arrival in arrivals.0 { arrival.resume() }
            }
            return try await inner.send(request)
        }

        /// Returns when a question is or was on its way.
        func arrival() async {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.asked.isEmpty { state.arrivals.append(continuation) }
                    return !state.asked.isEmpty
                }
                if isThere { continuation.resume() }
            }
        }

        func release() {
            let waiters = state.withLock { state in
                defer { state.waiters = [] }
                state.held = []
                return state.waiters
            }
            for waiter in waiters { waiter.continuation.resume() }
        }

        func limitBandwidth(up: UInt64?, down: UInt64?) {}
        func shutDown() async {}
    }

    @Test("calls at the same time share one question")
    func shared() async throws {
        try await withAccounts { configuration, transport in
            let held = HoldingTransport(over: transport, holding: ["own"])
            let tokens = verified(ChangingTokens("own"), expected: nil, configuration, held)
            try await withThrowingTaskGroup(of: AccessToken.self) { group in
                for _ in 0..<20 { group.addTask { try await tokens.accessToken() } }
                await held.arrival()
                for _ in 0..<1_000 { await Task.yield() }
                held.release()
                for try await token in group { #expect(token == AccessToken("own")) }
            }
            #expect(held.asked == ["own"])
        }
    }

    @Test("a failure about an old token reaches none whose token is a newer one")
    func olderFailure() async throws {
        try await withAccounts { configuration, transport in
            let owner = try await verified(
                ChangingTokens("own"), expected: nil, configuration, transport
            ).owner()
            for old in ["revoked", "other"] {
                let held = HoldingTransport(over: transport, holding: [old])
                let base = ChangingTokens(old)
                let tokens = verified(base, expected: owner.id, configuration, held)
                let early = Task { try await tokens.accessToken() }
                await held.arrival()
                base.change(to: "own")
                // Does not wait for the question about the old one.
                #expect(try await tokens.accessToken() == AccessToken("own"))
                held.release()
                #expect(try await early.value == AccessToken("own"))
                #expect(try await tokens.accessToken() == AccessToken("own"))
                #expect(held.asked == [old, "own"])
            }
        }
    }

    @Test("a call that is cancelled does not take the answer from the others")
    func cancelled() async throws {
        try await withAccounts { configuration, transport in
            let held = HoldingTransport(over: transport, holding: ["own"])
            let tokens = verified(ChangingTokens("own"), expected: nil, configuration, held)
            let first = Task { try await tokens.accessToken() }
            await held.arrival()
            let second = Task { try await tokens.accessToken() }
            first.cancel()
            await #expect(throws: TokenError.cancelled) { try await first.value }
            held.release()
            let token = try await second.value
            #expect(token == AccessToken("own"))
            #expect(held.asked == ["own"])
        }
    }

    @Test("a server that asks for a pause is not asked before its end, and calls fail at once")
    func pause() async throws {
        let transport = ScriptedTransport { _ in
            ScriptedResponse(status: 429, headers: ["Retry-After": "3600"])
        }
        let moment = Mutex(ContinuousClock.now)
        let tokens = VerifiedTokens(
            ChangingTokens("own"), expected: "dbid:1",
            client: { token in
                DropboxClient(
                    configuration: DropboxConfiguration(), tokens: FixedAccessToken(token),
                    transport: transport, logger: silent)
            }, explanation: { $0.email }, now: { moment.withLock { $0 } })
        for _ in 0..<3 {
            let error = await #expect(throws: TokenError.self) { try await tokens.accessToken() }
            let told = error.map { RemoteError($0) }
            #expect(told == .rateLimited(retryAfter: 5))
        }
        #expect(transport.requests.count == 1)
        moment.withLock { $0 += .seconds(3601) }
        await #expect(throws: TokenError.self) { try await tokens.accessToken() }
        #expect(transport.requests.count == 2)
    }
}
