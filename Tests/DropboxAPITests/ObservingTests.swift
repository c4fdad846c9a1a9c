// The events that observers get: every request, every decision to send again, how calls end,
// tokens.

import Foundation
import Synchronization
import Testing

@testable import DropboxAPI

/// Notes each call of the protocol.
private final class Notes: DropboxObserver {
    private let state = Mutex<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    private func note(_ line: String) { state.withLock { $0.append(line) } }

    func requestEnded(_ record: RequestRecord) {
        note("request \(record.route) \(record.attempt) \(record.status.map(String.init) ?? "-")")
    }

    func retryDecided(_ record: RetryRecord) {
        let failure = record.failure
        note(
            "retry \(failure.context.route) \(failure.context.attempts) \(failure.kind.rawValue) "
                + "\(record.delay.milliseconds)\(record.holdsAllCalls ? " all" : "")")
    }

    func callEnded(_ record: CallRecord) {
        note(
            "end \(record.context.route) \(record.context.attempts) "
                + "\(record.failure?.kind.rawValue ?? "ok") \(record.context.requestID ?? "-")"
                + (record.failure?.routeError.map { " \($0)" } ?? ""))
    }

    func downloadFailed(_ failure: CallFailure) {
        note("download \(failure.context.route) \(failure.kind.rawValue)")
    }

    func tokenRefreshed(_ record: TokenRefreshRecord) {
        note(
            "token \(record.account ?? "-") \(record.failure.map { "\($0)" } ?? "ok")"
                + (record.storeFailure.map { " \($0)" } ?? ""))
    }
}

@Suite(.timeLimit(.minutes(5)))
struct ObservingTests {
    @Test("each observer sees requests, retries with their reason and pause, and the end")
    func retries() async throws {
        let server = try ScriptedServer(answers: [
            .answer(500), .answer(429, [("Retry-After", "7")]), .json(#"{"result":"x"}"#),
        ])
        defer { server.stop() }
        let (notes, others) = (Notes(), Notes())
        let client = try DropboxClient.testing(server, observers: [notes, others])
        _ = try await client.call(Check.user, .init(query: "x"))
        #expect(
            notes.lines == [
                "request check/user 1 500", "retry check/user 1 internal_server 250",
                "request check/user 2 429", "retry check/user 2 rate_limited 7000 all",
                "request check/user 3 200", "end check/user 3 ok r1",
            ])
        #expect(others.lines == notes.lines)
    }

    @Test("the error that a call ends with is seen, the route's own with its value")
    func failures() async throws {
        let server = try ScriptedServer(answers: [
            .json(#"{"error":{".tag":"path","path":{".tag":"not_found"}}}"#, status: 409)
        ])
        defer { server.stop() }
        let notes = Notes()
        let client = try DropboxClient.testing(server, observers: [notes])
        await #expect(throws: (any Error).self) {
            try await client.call(Files.getMetadata, .init(path: "/a"))
        }
        #expect(
            notes.lines == [
                "request files/get_metadata 1 409",
                "end files/get_metadata 1 route r1 path(DropboxAPI.Files.LookupError.notFound)",
            ])
    }

    @Test("a call that is not sent ends, too")
    func unsent() async throws {
        let server = try ScriptedServer(answers: [.answer(200)])
        defer { server.stop() }
        let notes = Notes()
        let client = try DropboxClient.testing(
            server, tokens: FixedAccessToken(AccessToken("")), observers: [notes])
        await #expect(throws: (any Error).self) {
            try await client.call(Check.user, .init(query: "x"))
        }
        await #expect(throws: (any Error).self) {
            try await client.acting(as: .app).call(Check.user, .init(query: "x"))
        }
        #expect(notes.lines == ["end check/user 0 token -", "end check/user 0 bad_input -"])
    }

    @Test("a download whose body ends early is seen after the end of its call")
    func shortBody() async throws {
        let result = Examples.file.replacing("\n", with: "")
        let server = try ScriptedServer(answers: [
            .answer(200, [("Dropbox-API-Result", result), ("Content-Length", "7212")], "short")
                + [.close]
        ])
        defer { server.stop() }
        let notes = Notes()
        let client = try DropboxClient.testing(server, observers: [notes])
        let download = try await client.download(Files.download, .init(path: "/a"))
        await #expect(throws: (any Error).self) { try await download.body.collect(upTo: 10_000) }
        #expect(
            notes.lines == [
                "request files/download 1 200", "end files/download 1 ok -",
                "download files/download transport",
            ])
    }

    @Test("renewals are seen, with their requests and what became of keeping them")
    func tokens() async throws {
        let server = try ScriptedServer(answers: [
            .answer(503), .json(#"{"access_token":"fresh"}"#),
            .json(#"{"error":"invalid_grant","error_description":"revoked"}"#, status: 400),
        ])
        defer { server.stop() }
        let notes = Notes()
        var client = OAuthClient(
            app: AppCredentials(key: "k"),
            configuration: .init(
                hosts: try DropboxHosts(endpoint: server.url), observers: [notes]),
            transport: try TransportUnderTest(), logger: silent)
        client.clock = StepClock().callClock
        let store = FullStore(server: server.url)
        let tokens = try #require(try await client.tokens(of: "work", in: store))
        let token = try await tokens.accessToken()
        await #expect(throws: TokenError.self) {
            try await tokens.accessToken(replacing: token)
        }
        #expect(
            notes.lines == [
                "request oauth2/token 1 503", "retry oauth2/token 1 token 250",
                "request oauth2/token 2 200", "token work ok \(TokenStoreError.failed("full"))",
                "request oauth2/token 1 400", "token work \(TokenError.invalidGrant("revoked"))",
            ])
    }

    /// Has a login and keeps none.
    private struct FullStore: TokenStore {
        let server: String

        func load(_ account: String) -> StoredLogin? {
            StoredLogin(
                appKey: "k", refreshToken: "r", scopes: [], accountID: "dbid:1", server: server)
        }

        func save(_ login: StoredLogin, for account: String) throws(TokenStoreError) {
            throw .failed("full")
        }

        func remove(_ account: String) {}

        func accounts() -> [String] { ["work"] }
    }
}
