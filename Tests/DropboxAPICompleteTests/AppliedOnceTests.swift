// Random faults, for every route: a call that is not known to be harmless twice is never done
// twice. FAULT_HISTORIES says how many calls are played, FAULT_SEED repeats a run.

import DropboxAPIComplete
import Foundation
import Synchronization
import Testing

@testable import DropboxAPI

struct AppliedOnceTests {
    @Test(
        "after any sequence of faults, the server has carried a change out once at most",
        .timeLimit(.minutes(60)))
    func histories() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["FAULT_HISTORIES"].flatMap { Int($0) } ?? 10_000
        let seed = environment["FAULT_SEED"].flatMap { UInt64($0) } ?? 20_261
        var random = Mutator(seed: seed)
        let documents = try RouteDocument.all()
        var tally = Tally()
        for number in 0..<count {
            let route = allRoutes[random.index(below: allRoutes.count)]
            let document = try #require(documents[route.name])
            let faults = (0..<random.index(below: 7)).map { _ in
                Fault.allCases[random.index(below: Fault.allCases.count)]
            }
            let outcome = await play(route, document, faults, documents)
            let story = "seed \(seed), history \(number): \(route.name) met \(faults)"
            #expect(outcome.applied <= 1 || route.isSafeToRepeat, "\(story)")
            // Success and failure tell the truth of it.
            #expect(outcome.applied >= 1 || !outcome.succeeded, "\(story)")
            #expect(outcome.applied == 0 || outcome.mayHaveTakenEffect, "\(story)")
            tally.add(outcome)
        }
        // Otherwise the faults are too tame or too wild to find anything.
        #expect(tally.succeeded > count / 10 && tally.succeeded < count * 9 / 10)
        #expect(tally.appliedAgain > count / 100)
        #expect(tally.sentAgain > count / 5)
    }

    @Test("a lost answer makes a harmless call go again, and every other fail")
    func lostReply() async throws {
        let documents = try RouteDocument.all()
        for route in allRoutes {
            let document = try #require(documents[route.name])
            let outcome = await play(route, document, [.lostReply], documents)
            // The caller of a longpoll decides when to wait again.
            let goesAgain = route.isSafeToRepeat && route.host != .notify
            #expect(outcome.applied == (goesAgain ? 2 : 1), "\(route.name)")
            #expect(outcome.succeeded == goesAgain, "\(route.name)")
            #expect(outcome.mayHaveTakenEffect, "\(route.name)")
        }
    }

    private struct Tally {
        var succeeded = 0
        var appliedAgain = 0
        var sentAgain = 0

        mutating func add(_ outcome: Outcome) {
            if outcome.succeeded { succeeded += 1 }
            if outcome.applied > 1 { appliedAgain += 1 }
            if outcome.requests > 1 { sentAgain += 1 }
        }
    }

    private struct Outcome {
        let succeeded: Bool
        let mayHaveTakenEffect: Bool
        let applied: Int
        let requests: Int
    }

    /// Calls a route over a server that plays the faults, one a request, and works after that.
    private func play(
        _ route: RouteProbe, _ document: RouteDocument, _ faults: [Fault],
        _ documents: [String: RouteDocument]
    ) async -> Outcome {
        let server = FaultyServer(faults, AnsweringTransport(documents))
        var client = DropboxClient(
            configuration: DropboxConfiguration(app: AppCredentials(key: "key", secret: "secret")),
            tokens: FixedAccessToken(AccessToken("token")), transport: server)
        let time = Time()
        client.clock = CallClock(
            now: { time.now }, sleep: { time.advance($0) }, random: { 0.5 })
        var succeeded = false
        var mayHaveTakenEffect = true
        do {
            _ = try await route.call(client, document.argument)
            succeeded = true
        } catch {
            mayHaveTakenEffect = (error as? any TellsEffect)?.mayHaveTakenEffect ?? true
        }
        return Outcome(
            succeeded: succeeded, mayHaveTakenEffect: mayHaveTakenEffect,
            applied: await server.applied, requests: await server.requests)
    }
}

/// The fate of a request.
private enum Fault: CaseIterable {
    /// No connection: it was not sent.
    case refused
    /// The connection ended before the request arrived, which a client cannot tell from the next.
    case lostRequest
    /// It was carried out, and the connection ended before the answer arrived.
    case lostReply
    /// The same on a connection that was used before: a transport that may do so sends again by
    /// itself.
    case lostReplyOnUsedConnection
    case tooManyRequests
    case tooManyWriters
    /// Refused with a plain error, before anything was done.
    case unavailable
    /// Failed after it was carried out.
    case brokenAfterwards
    /// The answer of a success, cut short.
    case nonsense
}

private actor FaultyServer: HTTPTransport {
    private var faults: ArraySlice<Fault>
    private let healthy: AnsweringTransport
    /// How often the server did what the request asks for.
    private(set) var applied = 0
    private(set) var requests = 0

    init(_ faults: [Fault], _ healthy: AnsweringTransport) {
        self.faults = faults[...]
        self.healthy = healthy
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        requests += 1
        switch faults.popFirst() {
        case nil: return try await answer(request)
        case .refused:
            throw TransportError(kind: .connect, message: "refused", mayHaveBeenReceived: false)
        case .lostRequest: throw Self.reset
        case .lostReply:
            applied += 1
            throw Self.reset
        case .lostReplyOnUsedConnection:
            applied += 1
            guard request.mayBeSentTwice else { throw Self.reset }
            return try await answer(request)
        case .tooManyRequests: return Self.failure(429, "slow down")
        case .tooManyWriters:
            return Self.failure(
                429, #"{"error":{"reason":{".tag":"too_many_write_operations"},"retry_after":3}}"#)
        case .unavailable: return Self.failure(503, "")
        case .brokenAfterwards:
            applied += 1
            return Self.failure(500, "")
        case .nonsense:
            applied += 1
            return Self.failure(200, "{")
        }
    }

    private func answer(
        _ request: TransportRequest
    ) async throws(TransportError) -> TransportResponse {
        applied += 1
        return try await healthy.send(request)
    }

    private static let reset = TransportError(
        kind: .reset, message: "lost", mayHaveBeenReceived: true)

    private static func failure(_ status: Int, _ text: String) -> TransportResponse {
        TransportResponse(
            status: status, headers: [:], body: ResponseBody(Chunk(Array(text.utf8))))
    }

    nonisolated func limitBandwidth(up: UInt64?, down: UInt64?) {}

    func shutDown() async {}
}

/// A clock on which waiting takes no time.
private final class Time: Sendable {
    private let state = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { state.withLock { $0 } }

    func advance(_ duration: Duration) { state.withLock { $0 += duration } }
}

private protocol TellsEffect {
    var mayHaveTakenEffect: Bool { get }
}

extension CallError: TellsEffect {}
