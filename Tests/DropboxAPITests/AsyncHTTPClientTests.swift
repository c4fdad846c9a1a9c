// Statements about async-http-client alone: clients of the app, proxies, compressed bodies that
// grow. Not responsible for the promises of every transport: see StreamTests.

#if AsyncHTTPClient
    import AsyncHTTPClient
    import Foundation
    import Logging
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import Synchronization
    import TestSupport
    import Testing

    @testable import DropboxAPI
    @testable import DropboxAsyncHTTPClient

    @Suite(.timeLimit(.minutes(5)))
    struct AsyncHTTPClientTests {
        private static let megabyte = 1 << 20

        /// A client of an app, as it stands by itself: it follows redirects.
        private func withClient(
            _ body: (HTTPClient, AsyncHTTPClientTransport) async throws -> Void
        ) async throws {
            let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton)
            let transport = AsyncHTTPClientTransport(client: client)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(client, transport))
            } catch {
                result = .failure(error)
            }
            await transport.shutDown()
            try await client.shutdown()
            try result.get()
        }

        @Test("a client of the app is used, and outlives the transport")
        func shared() async throws {
            let server = try ScriptedServer(answers: [.answer(200, [], "hello")])
            defer { server.stop() }
            try await withClient { client, transport in
                let request = TransportRequest(
                    url: server.url, body: PatternBody(length: UInt64(3 * Self.megabyte)))
                let response = try await transport.send(request)
                #expect(try await response.body.collect(upTo: 10) == Array("hello".utf8))
                #expect(server.requests[0].bodyHash == PatternBody(length: 3 << 20).hash)
                await transport.shutDown()
                let error = await #expect(throws: TransportError.self) {
                    try await transport.send(request)
                }
                #expect(error?.kind == .shutDown)
                #expect(try await client.get(url: server.url).get().status == .ok)
                #expect(Set(server.requests.map(\.connection)).count == 1)
            }
        }

        @Test("a redirect is not followed, also by a client of the app that follows its own")
        func redirect() async throws {
            let server = try ScriptedServer { request in
                request.path == "/" ? .answer(307, [("Location", "/other")]) : .answer(200)
            }
            defer { server.stop() }
            try await withClient { client, transport in
                let response = try await transport.send(
                    TransportRequest(
                        url: server.url + "/", headers: ["Authorization": "Bearer secret"]))
                #expect(response.status == 307)
                #expect(response.headers["location"] == "/other")
                #expect(try await response.body.collect(upTo: 10).isEmpty)
                #expect(server.requests.map(\.path) == ["/"])
                #expect(try await client.get(url: server.url + "/").get().status == .ok)
            }
        }

        @Test("a compressed body grows no faster than it is read")
        func compressed() async throws {
            let size = 64 * Self.megabyte
            let bytes = try compress(size)
            let server = try ScriptedServer(answers: [
                .answer(200, [("Content-Encoding", "gzip"), ("Content-Length", "\(bytes.count)")])
                    + [.send(bytes)]
            ])
            defer { server.stop() }
            let counter = TrafficCounter()
            let transport = try AsyncHTTPClientTransport(
                configuration: .init(observers: [counter]))
            let response = try await transport.send(
                TransportRequest(url: server.url, acceptsCompression: true))
            var received = 0
            var held = 0
            for try await chunk in response.body {
                held = max(held, Int(counter.totals.bytesDown) - received)
                received += chunk.count
            }
            #expect(received == size)
            #expect(held <= 2 * Exchange.highWater + 16_384)
            await transport.shutDown()
        }

        @Test("a compressed body without its end is an error")
        func compressedCut() async throws {
            let bytes = Array(try compress(100_000).dropLast(10))
            let server = try ScriptedServer(answers: [
                .answer(200, [("Content-Encoding", "gzip"), ("Content-Length", "\(bytes.count)")])
                    + [.send(bytes)]
            ])
            defer { server.stop() }
            let transport = try AsyncHTTPClientTransport()
            let response = try await transport.send(
                TransportRequest(url: server.url, acceptsCompression: true))
            let error = await #expect(throws: TransportError.self) {
                try await response.body.collect(upTo: Self.megabyte)
            }
            #expect(error?.kind == .bodyCutShort)
            await transport.shutDown()
        }

        @Test("a compressed body of no bytes is an empty one")
        func compressedNothing() async throws {
            let server = try ScriptedServer(answers: [.answer(200, [("Content-Encoding", "gzip")])])
            defer { server.stop() }
            let transport = try AsyncHTTPClientTransport()
            let response = try await transport.send(
                TransportRequest(url: server.url, acceptsCompression: true))
            #expect(try await response.body.collect(upTo: 10).isEmpty)
            await transport.shutDown()
        }

        private func compress(_ count: Int) throws -> [UInt8] {
            let folder = try TemporaryFolder()
            let file = URL(fileURLWithPath: folder.path + "/zeros")
            try Data(count: count).write(to: file)
            let gzip = Process()
            gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            gzip.arguments = ["gzip", file.path]
            try gzip.run()
            gzip.waitUntilExit()
            return [UInt8](try Data(contentsOf: file.appendingPathExtension("gz")))
        }

        @Test("the end of a transport waits for connections that were replaced before")
        func replacedConnections() async throws {
            let server = try ScriptedServer(answers: [.answer(200)])
            defer { server.stop() }
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let pool = ClientPool(
                try ClientFactory(
                    group: group, configuration: .init(), logger: Logger(label: "test")))
            let lease = try pool.lend(for: try ServerURL(base: server.url), .rpc)
            #expect(try await lease.client.get(url: server.url).get().status == .ok)
            pool.takeBack(lease)
            // The connection cannot be closed as long as its event loop is busy.
            let gate = Gate()
            group.next().execute { gate.wait() }
            pool.replaceConnections()
            let isOpen = Atomic(false)
            async let ended: Bool = {
                await pool.shutDown()
                return isOpen.load(ordering: .sequentiallyConsistent)
            }()
            // An end that does not wait is over by then; a slow machine cannot fail here.
            try await Task.sleep(for: .milliseconds(100))
            isOpen.store(true, ordering: .sequentiallyConsistent)
            gate.open()
            #expect(await ended)
            try await group.shutdownGracefully()
        }

        @Test("the wait for another request's connection is no connection attempt")
        func waitForConnection() async throws {
            let gate = Gate()
            let server = try ScriptedServer { request in
                request.path == "/first" ? [.await(gate)] + .answer(200) : .answer(200)
            }
            defer {
                gate.open()
                server.stop()
            }
            let transport = try AsyncHTTPClientTransport(
                configuration: .init(connectionsPerHost: 1))
            async let first = transport.send(TransportRequest(url: server.url + "/first"))
            #expect(await server.nextRequest()?.path == "/first")
            async let second = transport.send(
                TransportRequest(
                    url: server.url + "/second", purpose: .download,
                    timeouts: .init(connect: .seconds(2))))
            // Longer than the timeout, which must not run out.
            try await Task.sleep(for: .milliseconds(2500))
            gate.open()
            #expect(try await first.body.collect(upTo: 10).isEmpty)
            #expect(try await second.status == 200)
            #expect(server.requests.map(\.path) == ["/first", "/second"])
            #expect(Set(server.requests.map(\.connection)).count == 1)
            await transport.shutDown()
        }

        @Test("transfers start when their purpose and server have room, in their order")
        func lines() {
            var lines = TransferLines(
                concurrency: [.rpc: 2, .download: 1], connectionsPerHost: 2)
            func line(_ purpose: TransferPurpose, _ server: String) -> TransferLines.Line {
                TransferLines.Line(
                    TransportRequest(url: "https://\(server)/path", purpose: purpose))
            }
            func enter(_ id: UInt64, _ purpose: TransferPurpose, _ server: String) -> Bool {
                lines.enter(id, line(purpose, server))
            }
            func leave(_ id: UInt64, _ purpose: TransferPurpose, _ server: String) -> [UInt64] {
                lines.leave(id, line(purpose, server))
            }
            #expect(enter(1, .rpc, "a"))
            #expect(enter(2, .download, "A"))
            // The server is full, then the purpose, then both are.
            #expect(!enter(3, .rpc, "a"))
            #expect(!enter(4, .download, "b"))
            #expect(!enter(5, .download, "a"))
            #expect(enter(6, .rpc, "a:444"))
            #expect(!enter(7, .rpc, "b"))
            // One that waits has no place to give.
            #expect(leave(7, .rpc, "b").isEmpty)
            // The purpose of 3 is full still; the place among downloads goes to the first of them.
            #expect(leave(2, .download, "A") == [4])
            #expect(leave(6, .rpc, "a:444") == [3])
            #expect(leave(4, .download, "b").isEmpty)
            #expect(leave(1, .rpc, "a") == [5])
        }

        @Test(
            "a proxy that cannot be talked to is refused at the start",
            arguments: ["https://proxy.example.com", "socks5://me:hush@proxy.example.com"])
        func proxies(address: String) throws {
            let proxy = try Proxy(address)
            let error = #expect(throws: TransportError.self) {
                try AsyncHTTPClientTransport(configuration: .init(proxy: .proxy(proxy)))
            }
            #expect(error?.kind == .invalidRequest)
            #expect(error?.message.contains("hush") == false)
        }

        @Test(
            "an exception names a host with its subdomains, an address, a network, or all",
            arguments: [
                ("example.com", "example.com", true), ("api.example.com", ".Example.com", true),
                ("notexample.com", "example.com", false), ("10.1.2.3", "10.0.0.0/8", true),
                ("11.1.2.3", "10.0.0.0/8", false), ("10.1.2.3", "10.1.2.3", true),
                ("10.1.2.3", "10.1.2.2/31", true), ("10.1.2.4", "10.1.2.2/31", false),
                ("10.1.2.3", "0.0.0.0/0", true), ("fe80::1", "fe80::/10", true),
                ("::2", "::1", false), ("10.1.2.3", "fe80::/10", false), ("a.b", "*", true),
                ("10.example", "10.0.0.0/8", false), ("10.1.2.3", "10.0.0.0/99", false),
            ])
        func exceptions(host: String, exception: String, isMatched: Bool) {
            #expect(ProxyRule.matches(host, exception) == isMatched)
        }

        @Test("the environment's proxy is used for all but its exceptions and this machine")
        func environment() throws {
            let values = [
                "https_proxy": "proxy.example.com:3128", "no_proxy": "b.example, c.example",
            ]
            let rule = try ProxyRule(.environment) { values[$0] }
            #expect(rule.proxy?.host == "proxy.example.com")
            #expect(rule.proxy?.port == 3128)
            for (host, isProxied) in [
                ("a.example", true), ("b.example", false), ("x.c.example", false),
                ("127.0.0.1", false), ("localhost", false),
            ] {
                #expect(rule.holds(for: try ServerURL(base: "https://\(host)")) == isProxied)
            }
            #expect(try ProxyRule(.none) { values[$0] }.proxy == nil)
        }
    }
#endif
