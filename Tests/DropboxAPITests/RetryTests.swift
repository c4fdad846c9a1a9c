// Calls that are sent more than once: how often, when, with which bytes.

import ContentHashing
import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)))
struct RetryTests {
    private static let limited = [Step].answer(
        429, [("Retry-After", "7")],
        #"{"error":{"reason":{".tag":"too_many_requests"},"retry_after":300}}"#)
    private static let space = [Step].json(
        #"{"used":5,"allocation":{".tag":"individual","allocated":10}}"#)

    @Test("a read goes on after 5xx, with pauses that grow")
    func serverFaults() async throws {
        let server = try ScriptedServer(answers: [
            .answer(500), .answer(502), .answer(503), Self.space,
        ])
        defer { server.stop() }
        let clock = StepClock()
        let client = try DropboxClient.testing(server, clock: clock)
        _ = try await client.call(Users.getSpaceUsage)
        #expect(server.requests.count == 4)
        #expect(clock.sleeps == [.milliseconds(250), .milliseconds(500), .seconds(1)])
    }

    @Test("a read gives up after the attempts that its caller allows")
    func attempts() async throws {
        let server = try ScriptedServer(answers: [.answer(500)])
        defer { server.stop() }
        let client = try DropboxClient.testing(server)
        let error = await #expect(throws: CallError<NoError>.self) {
            try await client.call(Users.getSpaceUsage, options: .init(maxAttempts: 3))
        }
        #expect(error?.kind == .internalServer(status: 500))
        #expect(error?.context.attempts == 3)
        #expect(server.requests.count == 3)
    }

    @Test("a write is not sent again after 5xx or a reset, unless its caller says so")
    func writes() async throws {
        for answer in [[Step].answer(500), [Step.reset]] {
            let server = try ScriptedServer(answers: [
                answer, .json(#"{"metadata":\#(Examples.taggedFile)}"#),
            ])
            defer { server.stop() }
            let client = try DropboxClient.testing(server)
            let error = await #expect(throws: CallError<Files.DeleteError>.self) {
                try await client.call(Files.deleteV2, .init(path: "/x"))
            }
            #expect(error?.mayHaveTakenEffect == true)
            #expect(server.requests.count == 1)
            _ = try await client.call(
                Files.deleteV2, .init(path: "/x"), options: .init(isSafeToRepeat: true))
            #expect(server.requests.count == 2)
        }
    }

    @Test("an error after a lost reply says that an earlier attempt may have succeeded")
    func uncertainty() async throws {
        let server = try ScriptedServer(answers: [
            [.reset],
            .json(#"{"error":{".tag":"path_lookup","path_lookup":"not_found"}}"#, status: 409),
        ])
        defer { server.stop() }
        let client = try DropboxClient.testing(server)
        let error = await #expect(throws: CallError<Files.DeleteError>.self) {
            try await client.call(
                Files.deleteV2, .init(path: "/x"), options: .init(isSafeToRepeat: true))
        }
        #expect(error?.routeError == .pathLookup(.notFound))
        #expect(error?.context.earlierAttemptMayHaveTakenEffect == true)
        #expect(error?.mayHaveTakenEffect == true)
    }

    @Test("a rate limit is waited out by this call and by all that come later")
    func rateLimit() async throws {
        let server = try ScriptedServer(answers: [Self.limited, Self.space])
        defer { server.stop() }
        let clock = StepClock()
        let client = try DropboxClient.testing(server, clock: clock)
        client.gate.close(until: clock.now.advanced(by: .seconds(2)))
        _ = try await client.call(Users.getSpaceUsage)
        #expect(clock.sleeps == [.seconds(2), .seconds(7)])
        #expect(server.requests.count == 2)
    }

    @Test("calls without a token are not held back by the limit of those with one")
    func gateAndLongpoll() async throws {
        let server = try ScriptedServer(answers: [.json(#"{"changes":false}"#)])
        defer { server.stop() }
        let clock = StepClock()
        let client = try DropboxClient.testing(server, clock: clock)
        client.gate.close(until: clock.now.advanced(by: .seconds(99)))
        _ = try await client.call(Files.listFolderLongpoll, .init(cursor: "c"))
        #expect(clock.sleeps.isEmpty)
    }

    @Test("a rate limit that outlasts the deadline is reported at once, with the time to wait")
    func rateLimitAndDeadline() async throws {
        let server = try ScriptedServer(answers: [Self.limited])
        defer { server.stop() }
        let clock = StepClock()
        let client = try DropboxClient.testing(server, clock: clock)
        let options = CallOptions(deadline: clock.now.advanced(by: .seconds(5)))
        let error = await #expect(throws: CallError<NoError>.self) {
            try await client.call(Users.getSpaceUsage, options: options)
        }
        #expect(
            error?.kind == .rateLimited(reason: .tooManyRequests, retryAfter: .seconds(7)))
        #expect(clock.sleeps.isEmpty)
        #expect(error?.mayHaveTakenEffect == false)
    }

    @Test("a wait beyond belief is an hour", arguments: ["100000", "18446744073709551615"])
    func longestWait(_ seconds: String) async throws {
        let server = try ScriptedServer(answers: [
            .answer(429, [("Retry-After", seconds)], "slow down"), Self.space,
        ])
        defer { server.stop() }
        let clock = StepClock()
        let client = try DropboxClient.testing(server, clock: clock)
        let options = CallOptions(deadline: clock.now.advanced(by: .seconds(60)))
        let error = await #expect(throws: CallError<NoError>.self) {
            try await client.call(Users.getSpaceUsage, options: options)
        }
        #expect(
            error?.kind == .rateLimited(reason: .tooManyRequests, retryAfter: .seconds(3600)))
    }

    @Test("a rate limit that outlasts a read's deadline holds the reads after it back, too")
    func rateLimitBeyondDeadline() async throws {
        let server = try ScriptedServer(answers: [
            .answer(429, [("Retry-After", "300")], "slow down"), Self.space,
        ])
        defer { server.stop() }
        let clock = StepClock()
        let client = try DropboxClient.testing(server, clock: clock)
        for wait in [300, 290] {
            let options = CallOptions(deadline: clock.now.advanced(by: .seconds(60)))
            let error = await #expect(throws: CallError<NoError>.self) {
                try await client.call(Users.getSpaceUsage, options: options)
            }
            #expect(
                error?.kind == .rateLimited(reason: .tooManyRequests, retryAfter: .seconds(wait)))
            #expect(client.rateLimitDelay == Duration.seconds(wait))
            clock.advance(.seconds(10))
        }
        #expect(server.requests.count == 1)
        #expect(clock.sleeps.isEmpty)

        clock.advance(.seconds(280))
        #expect(client.rateLimitDelay == nil)
        _ = try await client.call(Users.getSpaceUsage)
        #expect(server.requests.count == 2)
    }

    @Test("a plain text 429 without Retry-After waits five seconds")
    func plainRateLimit() async throws {
        let server = try ScriptedServer(answers: [.answer(429, [], "slow down"), Self.space])
        defer { server.stop() }
        let clock = StepClock()
        let client = try DropboxClient.testing(server, clock: clock)
        _ = try await client.call(Users.getSpaceUsage)
        #expect(clock.sleeps == [.seconds(5)])
    }

    @Test("contention for writing makes a write wait, as status 429 and inside of a 409")
    func contention() async throws {
        let busy = #"{"error":{".tag":"path","path":{".tag":"too_many_write_operations"}}}"#
        let server = try ScriptedServer(answers: [
            .json(busy, status: 409),
            .json(#"{"error":{"reason":{".tag":"too_many_write_operations"}}}"#, status: 429),
            .json(busy, status: 409), .json(#"{"metadata":\#(Examples.folder)}"#),
        ])
        defer { server.stop() }
        let clock = StepClock()
        let client = try DropboxClient.testing(server, clock: clock)
        _ = try await client.call(Files.createFolderV2, .init(path: "/x"))
        // The second names one second in its body, by default; the others double.
        #expect(clock.sleeps == [.milliseconds(500), .seconds(1), .seconds(2)])
        #expect(client.gate.delay(at: clock.now) == nil)
    }

    @Test("a body that is sent again is sent whole and equal")
    func bodyRewinds() async throws {
        let server = try ScriptedServer(answers: [.answer(503), [.reset], .json("null")])
        defer { server.stop() }
        let body = PatternBody(length: 1_500_000)
        _ = try await DropboxClient.testing(server).upload(
            Files.uploadSessionAppendV2, .init(cursor: .init(sessionID: "s", offset: 0)), body: body
        )
        let hash = body.hash
        #expect(server.requests.map(\.bodyHash) == [hash, hash, hash])
    }

    @Test("a body that arrived damaged is sent again")
    func damagedBody() async throws {
        let server = try ScriptedServer(answers: [
            .json(#"{"error":{".tag":"content_hash_mismatch"}}"#, status: 409),
            .json(Examples.file),
        ])
        defer { server.stop() }
        _ = try await DropboxClient.testing(server).upload(
            Files.upload, .init(path: "/x"), body: BytesBody([1]),
            options: CallOptions(comparesHashes: false))
        #expect(server.requests.count == 2)
    }

    @Test("longpoll is never repeated: its caller decides when to wait again")
    func longpoll() async throws {
        for answer in [[Step].answer(500), [.reset], Self.limited] {
            let server = try ScriptedServer(answers: [answer])
            defer { server.stop() }
            let client = try DropboxClient.testing(server)
            await #expect(throws: CallError<Files.ListFolderLongpollError>.self) {
                try await client.call(Files.listFolderLongpoll, .init(cursor: "c"))
            }
            #expect(server.requests.count == 1)
            #expect(client.rateLimitDelay == nil)
        }
    }

    @Test("an idle connection that the server closed is replaced; a write is not sent twice for it")
    func idleConnection() async throws {
        // The first answer keeps the connection, the second request meets its end: it is read
        // and never answered.
        let server = try ScriptedServer { request in
            switch (request.connection, request.path) {
            case (1, "/2/users/get_space_usage"): Self.space
            case (1, _): [.reset]
            default: .json(#"{"metadata":\#(Examples.taggedFile)}"#)
            }
        }
        defer { server.stop() }
        let client = try DropboxClient.testing(server)
        _ = try await client.call(Users.getSpaceUsage)
        let error = await #expect(throws: CallError<Files.DeleteError>.self) {
            try await client.call(Files.deleteV2, .init(path: "/x"))
        }
        #expect(error?.mayHaveTakenEffect == true)
        #expect(server.requests.map(\.path) == ["/2/users/get_space_usage", "/2/files/delete_v2"])
    }

    @Test(
        "a token that expired or was revoked is replaced once, and the request sent again",
        arguments: [Auth.AuthError.expiredAccessToken, .invalidAccessToken])
    func refusedToken(refusal: Auth.AuthError) async throws {
        let tag = refusal == .expiredAccessToken ? "expired_access_token" : "invalid_access_token"
        let expired = [Step].json(#"{"error":{".tag":"\#(tag)"}}"#, status: 401)
        let server = try ScriptedServer { request in
            request.headers["authorization"] == "Bearer new" ? Self.space : expired
        }
        defer { server.stop() }
        let client = try DropboxClient.testing(server, tokens: ReplacedToken(fresh: "new"))
        _ = try await client.call(Users.getSpaceUsage)
        #expect(
            server.requests.map { $0.headers["authorization"] } == ["Bearer old", "Bearer new"])

        let useless = try DropboxClient.testing(server, tokens: ReplacedToken(fresh: "newer"))
        let error = await #expect(throws: CallError<NoError>.self) {
            try await useless.call(Users.getSpaceUsage)
        }
        #expect(error?.kind == .auth(refusal))
        #expect(server.requests.count == 4)
    }
}

private struct ReplacedToken: AccessTokenProvider {
    let fresh: String

    func accessToken() -> AccessToken { AccessToken("old") }
    func accessToken(replacing expired: AccessToken) -> AccessToken? { AccessToken(fresh) }
}
