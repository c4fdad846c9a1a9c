// A server that asks for a pause while a caller waits: the caller is told soon, and all calls obey.

import Testing

@testable import DropboxAPI

@Suite("patience with pauses", .timeLimit(.minutes(5)))
struct ReadPatienceTests {
    private static let space = [Step].json(
        #"{"used":5,"allocation":{".tag":"individual","allocated":10}}"#)

    private static func limited(_ seconds: Int) -> [Step] {
        .answer(429, [("Retry-After", "\(seconds)")], "slow down")
    }

    /// A call that may move for ten minutes, and pause for one.
    private func options(_ clock: StepClock) -> CallOptions {
        CallOptions(
            deadline: clock.now.advanced(by: .seconds(600)),
            pauseDeadline: clock.now.advanced(by: .seconds(60)))
    }

    @Test(
        "a pause beyond the patience ends the call at once, and those after it",
        arguments: [
            60, 300, 3_600, 86_400,
        ])
    func tooLong(_ seconds: Int) async throws {
        let server = try ScriptedServer(answers: [Self.limited(seconds), Self.space])
        defer { server.stop() }
        let clock = StepClock()
        let client = try DropboxClient.testing(server, clock: clock)
        let believed = Duration.seconds(min(seconds, 3_600))
        for _ in 0..<2 {
            let error = await #expect(throws: CallError<NoError>.self) {
                try await client.call(Users.getSpaceUsage, options: options(clock))
            }
            #expect(
                error?.kind == .rateLimited(reason: .tooManyRequests, retryAfter: believed))
        }
        #expect(server.requests.count == 1)
        #expect(clock.sleeps.isEmpty)
        #expect(client.rateLimitDelay == believed)
        // A background call obeys the pause, and goes on after it.
        _ = try await client.call(Users.getSpaceUsage)
        #expect(clock.sleeps == [believed])
        #expect(server.requests.count == 2)
    }

    @Test("a short pause is waited for, and so are several, up to the patience")
    func several() async throws {
        let server = try ScriptedServer(answers: [
            Self.limited(25), Self.limited(25), Self.limited(25), Self.space,
        ])
        defer { server.stop() }
        let clock = StepClock()
        let client = try DropboxClient.testing(server, clock: clock)
        let error = await #expect(throws: CallError<NoError>.self) {
            try await client.call(Users.getSpaceUsage, options: options(clock))
        }
        #expect(
            error?.kind == .rateLimited(reason: .tooManyRequests, retryAfter: .seconds(25)))
        #expect(clock.sleeps == [.seconds(25), .seconds(25)])
        // A later call has its own patience.
        _ = try await client.call(Users.getSpaceUsage, options: options(clock))
        #expect(clock.sleeps == [.seconds(25), .seconds(25), .seconds(25)])
    }

    @Test("a call that is only slow is not cut off by the patience with pauses")
    func slow() async throws {
        let server = try ScriptedServer(answers: [.answer(503), Self.space])
        defer { server.stop() }
        let clock = StepClock()
        let client = try DropboxClient.testing(server, clock: clock)
        let patient = options(clock)
        clock.advance(.seconds(120))
        _ = try await client.call(Users.getSpaceUsage, options: patient)
        #expect(server.requests.count == 2)
    }
}
