// Statements about async-http-client alone: clients of the app, proxies, compressed bodies that grow. Not responsible for the
// promises of every transport: see StreamTests.

#if AsyncHTTPClient
    import AsyncHTTPClient
    import Foundation
    import NIOCore
    import NIOHTTP1
    import NIOPosix
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
                let request = HTTPRequest(
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
                    HTTPRequest(url: server.url + "/", headers: ["Authorization": "Bearer secret"]))
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
                HTTPRequest(url: server.url, acceptsCompression: true))
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
                HTTPRequest(url: server.url, acceptsCompression: true))
            let error = await #expect(throws: TransportError.self) {
                try await response.body.collect(upTo: Self.megabyte)
            }
            #expect(error?.kind == .bodyCutShort)
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
