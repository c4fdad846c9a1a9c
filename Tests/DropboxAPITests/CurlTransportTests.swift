// Statements about libcurl alone: its thread and the queue of commands to it. Not responsible for
// the promises of every transport: see StreamTests.

import TestSupport
import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)))
struct CurlTransportTests {
    @Test("a reader that is handed all that fits is not forgotten when more comes")
    func handOverAtHighWater() async throws {
        let inbox = try #require(Inbox())
        let exchange = Exchange(id: 1, driver: inbox, transport: nil)
        let piece = [UInt8](repeating: 1, count: Exchange.highWater)
        async let chunk = exchange.nextChunk()
        await Task.yield()
        let receptions = piece.withUnsafeBytes { bytes in
            [exchange.receive(bytes, announced: nil), exchange.receive(bytes, announced: nil)]
        }
        #expect(receptions == [.taken, .heldUp])
        exchange.wakeReader()
        #expect(try await chunk?.count == Exchange.highWater)
        guard case .resume(id: 1)? = inbox.take().first else {
            Issue.record("the transfer was not told that there is room")
            return
        }
    }

    @Test("a transport without references ends its thread and frees libcurl")
    func release() async throws {
        let server = try ScriptedServer(answers: [.answer(200)])
        defer { server.stop() }
        var transport: CurlTransport? = try CurlTransport()
        weak let inbox = transport?.inbox
        _ = try await transport?.send(TransportRequest(url: server.url)).body.collect(upTo: 1)
        #expect(inbox != nil)
        transport = nil
        try await waitWhile { inbox != nil }
    }
}
