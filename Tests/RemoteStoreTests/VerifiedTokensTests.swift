// Whose a token is, before anything is sent by it: against the emulator with two accounts.

import DropboxAPI
import DropboxAPITesting
import DropboxEmulator
import RemoteStore
import Synchronization
import Testing

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
}
