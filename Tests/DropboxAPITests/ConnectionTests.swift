// The way to servers: proxies that are named, versions of IP, how many connections.

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)))
struct ConnectionTests {
    private func send(
        _ url: String, _ change: (inout TransportConfiguration) throws -> Void
    ) async throws -> TransportResponse {
        var configuration = TransportConfiguration()
        try change(&configuration)
        return try await TransportUnderTest(configuration: configuration).send(
            TransportRequest(url: url))
    }

    @Test("a change of the network ends transfers from an address that is gone, and no others")
    func leftNetwork() async throws {
        let server = try ScriptedServer(answers: [[.awaitEnd]])
        defer { server.stop() }
        let transport = try TransportUnderTest()
        let waiting = Task { try await transport.send(TransportRequest(url: server.url + "/x")) }
        _ = await server.nextRequest()
        transport.networkChanged(addresses: ["127.0.0.1", "192.0.2.1"])
        // Commands are obeyed in their order: this one, then a whole transfer, and the first one
        // still waits.
        let other = try ScriptedServer(answers: [.answer(200)])
        defer { other.stop() }
        _ = try await transport.send(TransportRequest(url: other.url + "/y"))
        transport.networkChanged(addresses: ["192.0.2.1"])
        let error = await #expect(throws: TransportError.self) { try await waiting.value }
        #expect(error?.kind == .reset)
        #expect(error?.mayHaveBeenReceived == true)
        #expect(await server.connectionEnds())
        await transport.shutDown()
    }

    @Test("a transfer whose first packet was lost connects anew when the network changes")
    func connectsAnew() async throws {
        let server = try DeafServer()
        defer { server.stop() }
        let transport = try CurlTransport()
        // So long that only the kernel gives up, after two minutes.
        let patient = TransferTimeouts(connect: .seconds(3600))
        let call = Task {
            try await transport.send(TransportRequest(url: server.url, timeouts: patient))
        }
        try await waitWhile { server.unheardClients.isEmpty }
        let first = server.unheardClients
        // Left alone, this connection tries again until the transfer fails. One that is younger
        // than a change takes is not concerned by it, so the change is told until one is.
        try await waitWhile {
            transport.networkChanged(addresses: ["127.0.0.1"])
            return !server.unheardClients.isDisjoint(with: first)
        }
        server.answerAll()
        #expect(try await call.value.status == 200)
        await transport.shutDown()
    }

    @Test("a call that waits because it found no server goes on when the network changes")
    func networkIsBack() async throws {
        let space = #"{"used":1,"allocation":{".tag":"individual","allocated":2}}"#
        let server = try ScriptedServer(answers: [[.reset], .json(space)])
        defer { server.stop() }
        // Without a change, the second attempt would come after an hour.
        var testing = try DropboxClient.testing(server) {
            $0.retryPolicy.firstFaultDelay = .seconds(3600)
            $0.retryPolicy.longestFaultDelay = .seconds(3600)
        }
        testing.clock = CallClock()
        let client = testing
        let call = Task { try await client.call(Users.getSpaceUsage) }
        _ = await server.nextRequest()
        let isOver = Atomic(false)
        let end = Task {
            defer { isOver.store(true, ordering: .relaxed) }
            return try? await call.value
        }
        try await waitWhile {
            client.networkChanged(addresses: ["127.0.0.1"])
            return !isOver.load(ordering: .relaxed)
        }
        _ = await end.value
        #expect(server.requests.count == 2)
        await client.shutDown()
    }

    @Test("a named proxy is asked for a tunnel, with its user and password")
    func proxy() async throws {
        let proxy = try ScriptedServer(answers: [.answer(502)])
        defer { proxy.stop() }
        let error = await #expect(throws: TransportError.self) {
            try await send("https://api.example.com/2/x") {
                $0.proxy = .proxy(try Proxy("http://me:hush@127.0.0.1:\(proxy.port)"))
            }
        }
        #expect(error?.mayHaveBeenReceived == false)
        #expect(proxy.requests.map(\.method) == ["CONNECT"])
        #expect(proxy.requests.map(\.path) == ["api.example.com:443"])
        #expect(proxy.requests.first?.headers["proxy-authorization"] == "Basic bWU6aHVzaA==")
    }

    @Test(
        "a proxy gets no token, and its password is in no error, whether it refuses or is not there"
    )
    func proxyHearsNothing() async throws {
        let refusing = try ScriptedServer(answers: [.answer(407)])
        defer { refusing.stop() }
        let dead = try ScriptedServer(answers: [[.close]])
        dead.stop()
        for port in [refusing.port, dead.port] {
            let transport = try TransportUnderTest(
                configuration: {
                    var configuration = TransportConfiguration()
                    configuration.proxy = .proxy(try Proxy("http://me:hush@127.0.0.1:\(port)"))
                    return configuration
                }())
            var request = TransportRequest(url: "https://api.example.com/2/x")
            request.headers = ["Authorization": "Bearer the-token"]
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(request)
            }
            #expect(error?.message.contains("hush") == false)
            await transport.shutDown()
        }
        #expect(!refusing.requests.isEmpty)
        for request in refusing.requests {
            #expect(request.headers["authorization"] == nil)
        }
    }

    @Test("hosts that are named as exceptions, and this machine, are reached without it")
    func exceptions() async throws {
        let proxy = try ScriptedServer(answers: [.answer(502)])
        defer { proxy.stop() }
        let here = try ScriptedServer(answers: [.answer(200)])
        defer { here.stop() }
        let setting = ProxySetting.proxy(
            try Proxy(proxy.url, except: ["example.invalid", "10.0.0.0/8"]))
        let error = await #expect(throws: TransportError.self) {
            try await send("https://api.example.invalid/2/x") { $0.proxy = setting }
        }
        #expect(error?.kind == .nameResolution)
        #expect(try await send(here.url) { $0.proxy = setting }.status == 200)
        #expect(proxy.requests.isEmpty)
    }

    // The environment belongs to the whole process, so this runs in one of its own.
    @Test("without a proxy, the environment's is not asked; a named one comes before it")
    func environment() async {
        await #expect(processExitsWith: .success) {
            let proxy = try ScriptedServer(answers: [.answer(502)])
            let named = try ScriptedServer(answers: [.answer(502)])
            setenv("https_proxy", proxy.url, 1)
            setenv("no_proxy", "*", 1)
            let tests = ConnectionTests()
            let error = await #expect(throws: TransportError.self) {
                try await tests.send("https://api.example.invalid/2/x") { $0.proxy = .none }
            }
            #expect(error?.kind == .nameResolution)
            await #expect(throws: TransportError.self) {
                try await tests.send("https://api.example.invalid/2/x") {
                    $0.proxy = .proxy(try Proxy(named.url))
                }
            }
            #expect(proxy.requests.isEmpty)
            #expect(named.requests.map(\.method) == ["CONNECT"])
        }
    }

    @Test(
        "an address that no proxy can have is refused, and its password is not repeated",
        arguments: [
            "", "proxy:3128", "ftp://proxy", "http://", "http://me:hush@", "http://p/path",
            "http://p?hush",
        ])
    func invalidProxy(address: String) {
        let error = #expect(throws: TransportError.self) { try Proxy(address) }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.message.contains("hush") == false)
    }

    @Test("a proxy's password is in no text, and exceptions are single hosts")
    func proxyTexts() throws {
        let proxy = try Proxy("socks5h://me:hush@proxy.example.com:1080")
        #expect("\(proxy)" == "socks5h://proxy.example.com:1080")
        #expect(!"\(ProxySetting.proxy(proxy))".contains("hush"))
        var text = ""
        dump(proxy, to: &text)
        #expect(!text.contains("hush"))
        for host in ["", "a,b", "a b"] {
            #expect(throws: TransportError.self) { try Proxy("http://p", except: [host]) }
        }
    }

    @Test("a pinned key is a hash of 32 bytes")
    func pinnedKeys() {
        let hash = Data(repeating: 7, count: 32).base64EncodedString()
        #expect(PinnedKey(hash)?.description == "sha256//" + hash)
        #expect(PinnedKey("sha256//" + hash) == PinnedKey(hash))
        #expect(PinnedKey(Data(repeating: 7, count: 31).base64EncodedString()) == nil)
        #expect(PinnedKey(hash + ";sha256//" + hash) == nil)
        #expect(PinnedKey("") == nil)
    }

    @Test("a host gets no more connections than are allowed for all purposes together")
    func connectionsPerHost() async throws {
        let server = try ScriptedServer { _ in .answer(200) }
        defer { server.stop() }
        let transport = try TransportUnderTest(configuration: .init(connectionsPerHost: 2))
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    let purpose: TransferPurpose = number.isMultiple(of: 2) ? .rpc : .download
                    let response = try await transport.send(
                        TransportRequest(url: server.url, purpose: purpose, mayBeSentTwice: true))
                    _ = try await response.body.collect(upTo: 10)
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 40)
        #expect(Set(server.requests.map(\.connection)).count <= 2)
        await transport.shutDown()
    }

    @Test("a version of IP that a host does not have is not used")
    func ipVersion() async throws {
        let server = try ScriptedServer(answers: [.answer(200)])
        defer { server.stop() }
        let url = "http://localhost:\(server.port)"
        #expect(try await send(url) { $0.ipVersion = .v4 }.status == 200)
        let error = await #expect(throws: TransportError.self) {
            try await send(url) { $0.ipVersion = .v6 }
        }
        #expect([.connect, .nameResolution].contains(error?.kind))
        #expect(server.requests.count == 1)
    }
}
