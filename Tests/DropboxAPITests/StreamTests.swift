// Bodies in both directions: backpressure, cuts, stalls, cancellation, limits.

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)))
struct StreamTests {
    private static let megabyte = 1 << 20

    private func request(
        _ server: ScriptedServer, purpose: TransferPurpose = .download,
        timeouts: TransferTimeouts = .init()
    ) -> TransportRequest {
        TransportRequest(url: server.url + "/x", purpose: purpose, timeouts: timeouts)
    }

    private static func body(_ size: Int, announced: Int? = nil) -> [Step] {
        .answer(200, [("Content-Length", "\(announced ?? size)")]) + [.stream(size)]
    }

    /// The error that ends a body, after all chunks before it.
    private func failure(of body: ResponseBody) async -> (received: Int, error: TransportError?) {
        var received = 0
        do {
            for try await chunk in body { received += chunk.count }
        } catch {
            return (received, error)
        }
        return (received, nil)
    }

    /// Waits until requests of another transport, to a server that is silent after `steps`, have
    /// reached a timeout.
    private func passTimeout(
        _ phase: TransportError.Phase, _ timeouts: TransferTimeouts, steps: [Step] = []
    ) async throws {
        let server = try ScriptedServer(answers: [steps + [.awaitEnd], steps + [.awaitEnd]])
        defer { server.stop() }
        let transport = try TransportUnderTest()
        for _ in 0..<2 {
            let error: TransportError?
            do throws(TransportError) {
                let response = try await transport.send(request(server, timeouts: timeouts))
                error = await failure(of: response.body).error
            } catch let refused {
                error = refused
            }
            #expect(error?.kind == .timedOut(phase))
        }
        await transport.shutDown()
    }

    @Test(
        "a long body arrives whole, in chunks of bounded size, to a reader that is fast",
        arguments: [TransferPurpose.download, .rpc])
    func whole(purpose: TransferPurpose) async throws {
        let size = 40 * Self.megabyte
        let server = try ScriptedServer(answers: [Self.body(size)])
        defer { server.stop() }
        let transport = try TransportUnderTest()
        let response = try await transport.send(request(server, purpose: purpose))
        var received = 0
        var largest = 0
        for try await chunk in response.body {
            received += chunk.count
            largest = max(largest, chunk.count)
        }
        #expect(received == size)
        #expect(largest <= Exchange.highWater + 16_384)
        await transport.shutDown()
    }

    /// Tries a rule with growing times, until this machine keeps up with one. A rule that is broken
    /// fails with the longest, too. Each try has a transport of its own.
    private func withEnoughTime(
        until phase: TransportError.Phase, _ configuration: TransportConfiguration = .init(),
        _ body: (TransportUnderTest, Duration) async throws -> Void
    ) async throws {
        var times: [Duration] = [.seconds(1), .seconds(4), .seconds(16), .seconds(64)]
        while !times.isEmpty {
            let time = times.removeFirst()
            let transport = try TransportUnderTest(configuration: configuration)
            do {
                try await body(transport, time)
                return await transport.shutDown()
            } catch {
                await transport.shutDown()
                let isTooShort = (error as? TransportError)?.kind == .timedOut(phase)
                guard isTooShort, !times.isEmpty else { throw error }
            }
        }
    }

    @Test("an unread body holds up the server instead of filling memory")
    func backpressure() async throws {
        let counter = TrafficCounter()
        try await withEnoughTime(until: .body, .init(observers: [counter])) { transport, stall in
            let server = try ScriptedServer(answers: [
                .answer(200, [("Content-Length", "1000000000000")]) + [.stream(-1)]
            ])
            defer { server.stop() }
            let before = counter.totals.bytesDown
            var held: UInt64 { counter.totals.bytesDown - before }
            let response = try await transport.send(
                request(server, timeouts: .init(stall: stall)))
            try await waitWhile { held < UInt64(Exchange.highWater) }
            // A reader that is slow is not a server that is silent: others, which begin later,
            // reach the stall timeout.
            try await passTimeout(
                .body, .init(stall: stall), steps: .answer(200, [("Content-Length", "1")]))
            #expect(held <= UInt64(Exchange.highWater + 16_384))
            var iterator = response.body.makeAsyncIterator()
            var received = 0
            while received < 8 * Self.megabyte {
                received += try #require(try await iterator.next()).count
            }
        }
    }

    @Test("a body that is cut short ends with an error after the bytes that came")
    func cut() async throws {
        let server = try ScriptedServer(answers: [Self.body(100_000, announced: 100_001) + [.close]]
        )
        defer { server.stop() }
        let transport = try TransportUnderTest()
        let (received, error) = await failure(of: try await transport.send(request(server)).body)
        #expect(received == 100_000)
        #expect(error?.kind == .bodyCutShort)
        await transport.shutDown()
    }

    @Test("a chunked body without its end is an error")
    func cutChunked() async throws {
        let server = try ScriptedServer(answers: [
            .answer(200, [("Transfer-Encoding", "chunked")], "5\r\nhello\r\n") + [.close]
        ])
        defer { server.stop() }
        let transport = try TransportUnderTest()
        let (received, error) = await failure(of: try await transport.send(request(server)).body)
        #expect(received == 5)
        #expect(error?.kind == .bodyCutShort || error?.kind == .reset)
        await transport.shutDown()
    }

    @Test("a reset in the middle of a body is an error")
    func reset() async throws {
        let server = try ScriptedServer(answers: [Self.body(100_000, announced: 200_000) + [.reset]]
        )
        defer { server.stop() }
        let transport = try TransportUnderTest()
        let error: TransportError?
        do {
            error = await failure(of: try await transport.send(request(server)).body).error
        } catch let early {
            error = early
        }
        #expect(error?.kind == .reset)
        await transport.shutDown()
    }

    @Test("a server that goes silent in the middle of a body is given up after the stall timeout")
    func stall() async throws {
        let server = try ScriptedServer(answers: [
            Self.body(100_000, announced: 200_000) + [.awaitEnd]
        ])
        defer { server.stop() }
        let transport = try TransportUnderTest()
        let response = try await transport.send(
            request(server, timeouts: .init(stall: .seconds(2))))
        let (received, error) = await failure(of: response.body)
        #expect(received == 100_000)
        #expect(error?.kind == .timedOut(.body))
        #expect(await server.connectionEnds())
        await transport.shutDown()
    }

    @Test("a server that does not answer is given up after the response timeout")
    func silence() async throws {
        let server = try ScriptedServer(answers: [[.awaitEnd]])
        defer { server.stop() }
        let transport = try TransportUnderTest()
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(
                request(server, purpose: .rpc, timeouts: .init(response: .milliseconds(300))))
        }
        #expect(error?.kind == .timedOut(.response))
        #expect(error?.mayHaveBeenReceived == true)
        await transport.shutDown()
    }

    @Test("a deadline ends a body that keeps moving")
    func deadline() async throws {
        try await withEnoughTime(until: .deadline) { transport, time in
            let server = try ScriptedServer(answers: [
                .answer(200, [("Content-Length", "1000000000000")]) + [.stream(-1)]
            ])
            defer { server.stop() }
            let response = try await transport.send(
                request(server, timeouts: .init(total: time)))
            let (received, error) = await failure(of: response.body)
            let end = try #require(error)
            #expect(end.kind == .timedOut(.deadline))
            // The answer came, and the deadline before the first byte of its body.
            if received == 0 { throw end }
        }
    }

    @Test("a request that had to wait for its turn has all of its time for an answer")
    func patienceAfterLine() async throws {
        try await withEnoughTime(until: .response, .init(concurrency: [.rpc: 1])) {
            transport, time in
            let gate = Gate()
            let server = try ScriptedServer(answers: [
                [.await(gate)] + .answer(200), .answer(200),
            ])
            defer { server.stop() }
            let first = Task { try await transport.send(request(server, purpose: .rpc)).body }
            _ = await server.nextRequest()
            let timeouts = TransferTimeouts(response: time)
            let second = Task {
                try await transport.send(request(server, purpose: .rpc, timeouts: timeouts)).body
            }
            try await passTimeout(.response, timeouts)
            gate.open()
            #expect(await failure(of: try await first.value).error == nil)
            if let error = await failure(of: try await second.value).error { throw error }
        }
    }

    @Test("a deadline also ends what waits for its turn, which then had no effect")
    func deadlineInLine() async throws {
        let server = try ScriptedServer(answers: [[.awaitEnd]])
        defer { server.stop() }
        let transport = try TransportUnderTest(configuration: .init(concurrency: [.rpc: 1]))
        let first = Task { try await transport.send(request(server, purpose: .rpc)) }
        _ = await server.nextRequest()
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(
                request(server, purpose: .rpc, timeouts: .init(total: .milliseconds(200))))
        }
        #expect(error?.kind == .timedOut(.deadline))
        #expect(error?.mayHaveBeenReceived == false)
        #expect(server.requests.count == 1)
        first.cancel()
        _ = await first.result
        await transport.shutDown()
    }

    @Test("cancelling the task ends the connection while it waits for the head")
    func cancelHead() async throws {
        let server = try ScriptedServer(answers: [[.awaitEnd]])
        defer { server.stop() }
        let transport = try TransportUnderTest()
        let task = Task { try await transport.send(request(server)) }
        _ = await server.nextRequest()
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.kind == .cancelled)
        #expect(await server.connectionEnds())
        await transport.shutDown()
    }

    @Test("cancelling the task ends the connection in the middle of a body")
    func cancelBody() async throws {
        let server = try ScriptedServer(answers: [
            Self.body(100_000, announced: 200_000) + [.awaitEnd]
        ])
        defer { server.stop() }
        let transport = try TransportUnderTest()
        let body = try await transport.send(request(server)).body
        let hasBegun = Gate()
        let task = Task {
            var iterator = body.makeAsyncIterator()
            var received = 0
            while received < 100_000 { received += try await iterator.next()?.count ?? 0 }
            hasBegun.open()
            _ = try await iterator.next()
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                hasBegun.wait()
                continuation.resume()
            }
        }
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.kind == .cancelled)
        #expect(await server.connectionEnds())
        await transport.shutDown()
    }

    @Test("dropping a body unread ends the connection")
    func drop() async throws {
        let server = try ScriptedServer(answers: [
            Self.body(100_000, announced: 200_000) + [.awaitEnd]
        ])
        defer { server.stop() }
        let transport = try TransportUnderTest()
        var response: TransportResponse? = try await transport.send(request(server))
        #expect(response?.status == 200)
        response = nil
        #expect(await server.connectionEnds())
        await transport.shutDown()
    }

    @Test("shutting down fails requests under way, waiting and later ones")
    func shutDown() async throws {
        let server = try ScriptedServer(answers: [[.awaitEnd]])
        defer { server.stop() }
        let transport = try TransportUnderTest(configuration: .init(concurrency: [.rpc: 1]))
        let tasks = (0..<3).map { _ in
            Task { try await transport.send(request(server, purpose: .rpc)) }
        }
        _ = await server.nextRequest()
        await transport.shutDown()
        for task in tasks {
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.kind == .shutDown)
        }
        await #expect(throws: TransportError.self) {
            try await transport.send(request(server))
        }
        await transport.shutDown()
    }

    @Test("a transport without references still serves the body that is being read")
    func lifetime() async throws {
        let size = 10 * Self.megabyte
        let server = try ScriptedServer(answers: [Self.body(size)])
        defer { server.stop() }
        var transport: TransportUnderTest? = try TransportUnderTest()
        let response = try #require(try await transport?.send(request(server)))
        transport = nil
        let (received, error) = await failure(of: response.body)
        #expect(received == size)
        #expect(error == nil)
    }

    @Test("a transport without references ends its connections")
    func release() async throws {
        let server = try ScriptedServer(answers: [.answer(200)])
        defer { server.stop() }
        var transport: TransportUnderTest? = try TransportUnderTest()
        _ = try await transport?.send(request(server)).body.collect(upTo: 1)
        transport = nil
        #expect(await server.connectionEnds())
    }
}
