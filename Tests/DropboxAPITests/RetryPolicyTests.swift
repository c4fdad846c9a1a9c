// The retry policy as a table, without any network.

import Testing

@testable import DropboxAPI

struct RetryPolicyTests {
    private let policy = RetryPolicy()

    private static func failure(
        _ kind: TransportError.Kind, received: Bool = true
    ) -> RetryPolicy.Event {
        .transport(TransportError(kind: kind, message: "", mayHaveBeenReceived: received))
    }

    @Test(
        "the failures after which reads and writes are sent again",
        arguments: [
            (.serverFault, true, false),
            (failure(.reset), true, false),
            (failure(.reset, received: false), true, true),
            (failure(.connect, received: false), true, true),
            (failure(.nameResolution, received: false), true, true),
            (failure(.tls, received: false), true, true),
            (failure(.timedOut(.response)), true, false),
            (failure(.timedOut(.connect), received: false), true, true),
            (failure(.bodyCutShort), true, false),
            (failure(.timedOut(.deadline)), false, false),
            (failure(.certificate, received: false), false, false),
            (failure(.tooLarge), false, false),
            (failure(.bodySource), false, false),
            (failure(.cancelled), false, false),
            (failure(.shutDown), false, false),
            (failure(.invalidRequest, received: false), false, false),
            (.route(.none), false, false),
            (.route(.waitForWriters), true, true),
            (.route(.waitForWritersUnlessBody), true, true),
            (.route(.resendBody), true, true),
            (.rateLimited(.tooManyRequests, retryAfter: nil), true, true),
            (.rateLimited(.tooManyWriteOperations, retryAfter: nil), true, true),
            (.permanent, false, false),
        ] as [(RetryPolicy.Event, Bool, Bool)])
    func table(event: RetryPolicy.Event, read: Bool, write: Bool) {
        for (isRead, expected) in [(true, read), (false, write)] {
            let isThrottling = RetryPolicy.isThrottling(event)
            let progress = RetryPolicy.Progress(
                faults: isThrottling ? 0 : 1, throttles: isThrottling ? 1 : 0,
                isSafeToRepeat: isRead)
            let decision = policy.decide(event, progress, random: 0)
            #expect((decision != .giveUp) == expected, "read: \(isRead)")
        }
    }

    private static let offline = TransportError(
        kind: .connect, message: "", mayHaveBeenReceived: false)

    @Test(
        "a renewal that fails for the network or the server is a fault, any other is permanent",
        arguments: [
            (.transport(offline), .transport(offline)),
            (.server(status: 503, message: ""), .serverFault),
            (.server(status: 429, message: ""), .serverFault),
            (.server(status: 400, message: ""), .permanent),
            (.invalidGrant("revoked"), .permanent),
            (.rejected(code: "invalid_client", description: ""), .permanent),
            (.missing("no login"), .permanent),
            (.withheld("another account"), .permanent),
        ] as [(TokenError, RetryPolicy.Event)])
    func renewal(reason: TokenError, event: RetryPolicy.Event) {
        let kind = CallError<NoError>.Kind.token(reason)
        #expect(kind.retryEvent == event)
        #expect(kind.concernsAllCalls == (event == .permanent))
        let failure = CallFailure(CallError(kind: kind, context: CallContext(route: "r")))
        #expect(failure.isConnectivityLoss == (reason == .transport(Self.offline)))
        #expect(failure.tokenError == reason)
    }

    @Test("faults are counted, and their pauses double up to a limit")
    func faults() {
        let delays = (1...8).map { count in
            policy.decide(
                .serverFault, .init(faults: count, isSafeToRepeat: true, maxAttempts: 8), random: 1)
        }
        #expect(
            delays == [
                .retry(after: .milliseconds(500)), .retry(after: .seconds(1)),
                .retry(after: .seconds(2)), .retry(after: .seconds(4)), .retry(after: .seconds(8)),
                .retry(after: .seconds(16)), .retry(after: .seconds(30)), .giveUp,
            ])
    }

    @Test("chance spreads a pause over its upper half")
    func jitter() {
        let progress = RetryPolicy.Progress(faults: 2, isSafeToRepeat: true)
        #expect(
            policy.decide(.serverFault, progress, random: 0) == .retry(after: .milliseconds(500)))
        #expect(
            policy.decide(.serverFault, progress, random: 0.5) == .retry(after: .milliseconds(750)))
    }

    @Test("a rate limit holds all calls for as long as the server says, within reason")
    func rateLimit() {
        let decide = { (wish: Duration?) in
            policy.decide(
                .rateLimited(.tooManyRequests, retryAfter: wish),
                .init(throttles: 999, isSafeToRepeat: false), random: 0)
        }
        #expect(decide(.seconds(17)) == .holdAllCalls(for: .seconds(17)))
        #expect(decide(nil) == .holdAllCalls(for: .seconds(5)))
        #expect(decide(.seconds(1 << 40)) == .holdAllCalls(for: .seconds(3600)))
        #expect(decide(.zero) == .holdAllCalls(for: .seconds(1)))
        #expect(decide(.seconds(-3)) == .holdAllCalls(for: .seconds(1)))
    }

    @Test("of all failures only a rate limit is about every call")
    func closure() {
        let limited = RetryPolicy.Event.rateLimited(.tooManyRequests, retryAfter: nil)
        #expect(policy.closure(after: limited) == Duration.seconds(5))
        let unknown = RetryPolicy.Event.rateLimited(.unknown("x"), retryAfter: .seconds(1 << 40))
        #expect(policy.closure(after: unknown) == Duration.seconds(3600))
        let busy = RetryPolicy.Event.rateLimited(
            .tooManyWriteOperations, retryAfter: .seconds(300))
        #expect(policy.closure(after: busy) == nil)
        #expect(policy.closure(after: .serverFault) == nil)
        #expect(policy.closure(after: .route(.waitForWriters)) == nil)
    }

    @Test("contention makes only this call wait, however often it comes")
    func contention() {
        let event = RetryPolicy.Event.rateLimited(.tooManyWriteOperations, retryAfter: nil)
        let delays = [1, 2, 3, 50, 5_000].map { count in
            policy.decide(event, .init(throttles: count, isSafeToRepeat: false), random: 1)
        }
        #expect(
            delays == [
                .retry(after: .seconds(1)), .retry(after: .seconds(2)), .retry(after: .seconds(4)),
                .retry(after: .seconds(30)), .retry(after: .seconds(30)),
            ])
    }

    @Test("a pause that would outlast the deadline is not begun")
    func deadline() {
        let decide = { (remaining: Duration) in
            policy.decide(
                .rateLimited(.tooManyRequests, retryAfter: .seconds(10)),
                .init(throttles: 1, remaining: remaining, isSafeToRepeat: true), random: 0)
        }
        #expect(decide(.seconds(10)) == .giveUp)
        #expect(decide(.seconds(11)) == .holdAllCalls(for: .seconds(10)))
        #expect(decide(.zero) == .giveUp)
    }

    @Test("a commit whose body was taken is not sent again with it")
    func takenBody() {
        let progress = RetryPolicy.Progress(throttles: 1, isSafeToRepeat: true, hasContent: true)
        #expect(
            policy.decide(.route(.waitForWritersUnlessBody), progress, random: 0) == .giveUp)
    }

    @Test("calls that their caller paces are never sent again")
    func pacedByCaller() {
        let progress = RetryPolicy.Progress(
            faults: 1, isSafeToRepeat: true, isPacedByCaller: true)
        #expect(policy.decide(.serverFault, progress, random: 0) == .giveUp)
        #expect(
            policy.decide(
                .rateLimited(.tooManyRequests, retryAfter: .seconds(1)), progress, random: 0)
                == .giveUp)
    }

    @Test("each union tells where busy writers hide in it")
    func remedies() {
        #expect(Files.DeleteError.tooManyWriteOperations.remedy == .waitForWriters)
        #expect(Files.DeleteError.pathWrite(.tooManyWriteOperations).remedy == .waitForWriters)
        #expect(Files.DeleteError.pathLookup(.notFound).remedy == .none)
        #expect(Files.CreateFolderError.path(.tooManyWriteOperations).remedy == .waitForWriters)
        #expect(Files.RelocationError.to(.tooManyWriteOperations).remedy == .waitForWriters)
        #expect(Files.RelocationError.fromWrite(.tooManyWriteOperations).remedy == .waitForWriters)
        #expect(Files.RelocationError.internalError.remedy == .none)
        #expect(
            Files.UploadSessionFinishError.path(.tooManyWriteOperations).remedy
                == .waitForWritersUnlessBody)
        #expect(
            Files.UploadError.path(
                .init(reason: .tooManyWriteOperations, uploadSessionID: "s")
            ).remedy
                == .waitForWriters)
        #expect(Files.UploadSessionAppendError.contentHashMismatch.remedy == .resendBody)
        #expect(Files.RestoreError.pathWrite(.tooManyWriteOperations).remedy == .waitForWriters)
        #expect(NoError.unknown("too_many_write_operations").remedy == .waitForWriters)
        #expect(NoError.unknown("other").remedy == .none)
    }
}
