// Many transfers at once: limits by purpose, connections, bandwidth, memory, counters, logs.

import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)), .serialized)
struct TrafficTests {
    private static let megabyte = 1 << 20
    private static let space = [Step].json(
        #"{"used":5,"allocation":{".tag":"individual","allocated":10}}"#)

    @Test("two hundred calls at once all finish, over no more connections than are allowed")
    func manyCalls() async throws {
        let server = try ScriptedServer(answers: [Self.space])
        defer { server.stop() }
        let client = try DropboxClient.testing(server) { $0.transport.concurrency = [.rpc: 8] }
        try await withThrowingTaskGroup(of: UInt64.self) { group in
            for _ in 0..<200 {
                group.addTask { try await client.call(Users.getSpaceUsage).used }
            }
            var sum: UInt64 = 0
            for try await used in group { sum += used }
            #expect(sum == 1_000)
        }
        #expect(server.requests.count == 200)
        #expect(Set(server.requests.map(\.connection)).count <= 8)
        await client.shutDown()
    }

    @Test("calls one after another share one connection")
    func keepAlive() async throws {
        let server = try ScriptedServer(answers: [Self.space])
        defer { server.stop() }
        let client = try DropboxClient.testing(server)
        for _ in 0..<20 { _ = try await client.call(Users.getSpaceUsage) }
        #expect(Set(server.requests.map(\.connection)).count == 1)
        await client.shutDown()
    }

    @Test("waiting for changes and slow downloads never hold up calls")
    func purposes() async throws {
        let server = try ScriptedServer { request in
            request.path.hasSuffix("get_space_usage") ? Self.space : [.awaitEnd]
        }
        defer { server.stop() }
        let client = try DropboxClient.testing(server) {
            $0.transport.concurrency = [.rpc: 1, .download: 1, .upload: 1, .longpoll: 1]
        }
        let waiting = [
            Task { _ = try await client.call(Files.listFolderLongpoll, .init(cursor: "c")) },
            Task { _ = try await client.download(Files.download, .init(path: "/a")) },
            Task {
                _ = try await client.upload(
                    Files.upload, .init(path: "/b"), body: BytesBody([1]))
            },
        ]
        for _ in 0..<3 { _ = await server.nextRequest() }
        for _ in 0..<5 { _ = try await client.call(Users.getSpaceUsage) }
        for task in waiting {
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
        }
        await client.shutDown()
    }

    @Test("half a gigabyte goes through in each direction within bounded memory")
    func memory() async throws {
        let size = 512 * Self.megabyte
        let result =
            #"{"name":"n","id":"id:1","client_modified":"2015-05-12T15:50:38Z","#
            + #""server_modified":"2015-05-12T15:50:38Z","rev":"a1c10ce0dd78","size":\#(size)}"#
        let server = try ScriptedServer { request in
            request.path.hasSuffix("/download")
                ? .answer(
                    200, [("Dropbox-API-Result", result), ("Content-Length", "\(size)")])
                    + [.stream(size)]
                : .json("null")
        }
        defer { server.stop() }
        let counter = TrafficCounter()
        let client = try DropboxClient.testing(server, observers: [counter])
        let download = try await client.download(Files.download, .init(path: "/a"))
        var received = 0
        var held = 0
        for try await chunk in download.body {
            received += chunk.count
            // Not the process's memory: other tests run in it at the same time.
            held = max(held, Int(counter.totals.bytesDown) - received)
        }
        #expect(received == size)
        #expect(held <= Exchange.highWater + 16_384)

        let source = CountingBody(length: UInt64(size))
        _ = try await client.upload(
            Files.uploadSessionAppendV2, .init(cursor: .init(sessionID: "s", offset: 0)),
            body: source
        )
        #expect(server.requests.last?.bodyLength == size)
        // The source is asked piece by piece, never for more than libcurl's upload buffer.
        #expect(source.largestRead <= 512 << 10)
        await client.shutDown()
    }

    private final class CountingBody: BodySource {
        let length: UInt64
        private let largest = Mutex(0)

        init(length: UInt64) { self.length = length }

        var largestRead: Int { largest.withLock { $0 } }

        func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let count = Int(min(UInt64(buffer.count), length - offset))
            largest.withLock { $0 = max($0, count) }
            return count
        }
    }

    @Test("bandwidth limits hold for all bodies together and can be changed at any time")
    func bandwidth() async throws {
        let size = 2 * Self.megabyte
        let server = try ScriptedServer { request in
            request.method == "GET"
                ? .answer(200, [("Content-Length", "\(size)")]) + [.stream(size)] : .answer(200)
        }
        defer { server.stop() }
        let transport = try TransportUnderTest(
            configuration: .init(
                uploadRate: UInt64(4 * Self.megabyte), downloadRate: UInt64(4 * Self.megabyte)))
        let url = server.url + "/x"
        let fetch = { @Sendable () async throws -> Int in
            let response = try await transport.send(
                TransportRequest(method: .get, url: url, purpose: .download))
            return try await response.body.collect(upTo: size).count
        }
        let clock = ContinuousClock()
        // Two bodies of 2 MiB at 4 MiB/s: a second, less the burst of a quarter.
        let down = try await clock.measure {
            async let first = fetch()
            async let second = fetch()
            let sum = try await first + second
            #expect(sum == 2 * size)
        }
        #expect(down > .milliseconds(600))
        let up = try await clock.measure {
            let body = PatternBody(length: UInt64(size * 2))
            let response = try await transport.send(
                TransportRequest(url: url, body: body, purpose: .upload))
            _ = try await response.body.collect(upTo: 10)
        }
        #expect(up > .milliseconds(600))
        #expect(server.requests.last?.bodyLength == size * 2)
        // At a trickle this would take minutes; lifting the limit lets it go at once.
        transport.limitBandwidth(up: 10_000, down: 10_000)
        let slow = Task { try await fetch() }
        try await waitWhile { server.requests.count < 4 }
        transport.limitBandwidth(up: nil, down: nil)
        #expect(try await slow.value == size)
        await transport.shutDown()
    }

    @Test("requests are counted by route with their repetitions, and bytes in both directions")
    func counters() async throws {
        let server = try ScriptedServer(answers: [.answer(500), Self.space, .json("null")])
        defer { server.stop() }
        let counter = TrafficCounter()
        let client = try DropboxClient.testing(server, observers: [counter])
        _ = try await client.call(Users.getSpaceUsage)
        _ = try await client.upload(
            Files.uploadSessionAppendV2, .init(cursor: .init(sessionID: "s", offset: 0)),
            body: BytesBody([UInt8](repeating: 0, count: 1_000)))
        let totals = counter.totals
        #expect(
            totals.requests == ["users/get_space_usage": 2, "files/upload_session/append_v2": 1])
        #expect(totals.failures == ["users/get_space_usage": 1])
        #expect(totals.bytesUp == 1_008)
        #expect(
            totals.bytesDown
                == UInt64(
                    #"{"used":5,"allocation":{".tag":"individual","allocated":10}}"#.utf8.count + 4)
        )
        await client.shutDown()
    }

    @Test("each request is logged at debug with its route, status, id and attempt; never a token")
    func logging() async throws {
        let lines = LogLines()
        var logger = Logger(label: "test") { _ in lines }
        logger.logLevel = .trace
        let server = try ScriptedServer(answers: [
            .json("oops secret-token", status: 500), Self.space,
            .json(#"{"error":{".tag":"invalid_access_token"}}"#, status: 401),
        ])
        defer { server.stop() }
        let client = try DropboxClient.testing(server, logger: logger)
        _ = try await client.call(Users.getSpaceUsage)
        await #expect(throws: CallError<NoError>.self) {
            try await client.call(Users.getSpaceUsage)
        }
        let written = lines.all
        #expect(
            written.map { $0.split(separator: " attempt")[0] } == [
                "debug request failed", "debug request will be sent again", "debug request",
                "debug request failed", "debug call failed",
            ])
        #expect(written.allSatisfy { $0.contains("route=users/get_space_usage") })
        #expect(written.allSatisfy { $0.contains("request_id=r1") })
        #expect(written[0].contains("status=500"))
        #expect(written[1].contains("delay_ms=250"))
        #expect(written[1].contains("kind=internal_server"))
        #expect(written[2].contains("attempt=2"))
        #expect(written[4].contains("kind=auth"))
        #expect(written.allSatisfy { !$0.contains("secret-token") })
        await client.shutDown()
    }

    @Test("JSON may come compressed, and its limit holds for what it becomes")
    func compression() async throws {
        // 20 MiB of spaces around a small document, compressed by gzip to some 20 KB.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "dropbox-api-gzip-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("body")
        try Data(
            #"{"result":"small"}"#.utf8 + [UInt8](repeating: 0x20, count: 20 * Self.megabyte)
        ).write(to: file)
        let gzip = Process()
        gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gzip.arguments = ["gzip", file.path]
        try gzip.run()
        gzip.waitUntilExit()
        let bytes = [UInt8](try Data(contentsOf: file.appendingPathExtension("gz")))
        let server = try ScriptedServer(answers: [
            .answer(200, [("Content-Encoding", "gzip"), ("Content-Length", "\(bytes.count)")])
                + [.send(bytes)]
        ])
        defer { server.stop() }
        let client = try DropboxClient.testing(server)
        #expect(try await client.call(Check.user, .init(query: "x")).result == "small")
        #expect(server.requests.first?.headers["accept-encoding"] == "gzip")
        let careful = try DropboxClient.testing(server) { $0.resultLimit = Self.megabyte }
        let error = await #expect(throws: CallError<Check.EchoError>.self) {
            try await careful.call(Check.user, .init(query: "x"))
        }
        guard case .transport(let failure) = error?.kind else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(failure.kind == .tooLarge)
    }
}

/// Keeps the logged messages.
private final class LogLines: LogHandler {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let fields = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted()
        lines.withLock {
            $0.append("\(event.level) \(event.message) \(fields.joined(separator: " "))")
        }
    }
}
