// The transport and a real server of HTTP/2: nghttpx, in front of the emulator, as Dropbox's own
// servers are in front of theirs. Its log says by which protocol and on which connection a request
// came.

import ContentHashing
import DropboxAPI
import DropboxEmulator
import Foundation
import LocalIO
import SystemPackage
import TestSupport
import Testing

@Suite(
    .timeLimit(.minutes(3)), .serialized,
    .enabled(if: HTTP2Server.isInstalled, "nghttpx of Debian's nghttp2-proxy is not here"))
struct HTTP2Tests {
    /// A client of an emulator that is reached by HTTP/2 only.
    private func with(
        _ body: (TestAccount, HTTP2Server, DropboxClient) async throws -> Void
    ) async throws {
        try await TestAccount.with { account in
            let server = try HTTP2Server(before: account)
            let transport = try CurlTransport(
                configuration: TransportConfiguration(
                    certificateFile: server.certificate, http2: Set(TransferPurpose.allCases)),
                logger: silent)
            let client = DropboxClient(
                configuration: DropboxConfiguration(
                    hosts: try DropboxHosts(endpoint: "https://127.0.0.1:\(server.port)"),
                    retryPolicy: .impatient),
                tokens: FixedAccessToken(AccessToken("token")), transport: transport,
                logger: silent)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(account, server, client))
            } catch {
                result = .failure(error)
            }
            await client.shutDown()
            await transport.shutDown()
            try result.get()
        }
    }

    @Test("calls at the same time are streams of one connection")
    func parallel() async throws {
        try await with { account, server, client in
            try await account.put("/a", [1, 2, 3])
            try await withThrowingTaskGroup(of: Files.Metadata.self) { group in
                for _ in 1...24 {
                    group.addTask { try await client.files.getMetadata(path: "/a") }
                }
                for try await entry in group { #expect(entry.name == "a") }
            }
            try await waitWhile { try server.requests(of: "files/get_metadata").count < 24 }
            let requests = try server.requests(of: "files/get_metadata")
            #expect(requests.allSatisfy { $0.isHTTP2 && $0.status == 200 })
            #expect(Set(requests.map(\.connection)).count == 1)
        }
    }

    @Test("content goes up and comes down, whole and in ranges")
    func content() async throws {
        try await with { account, server, client in
            let bytes = pattern(21 << 20 | 7)
            let file = try await client.files.upload(Data(bytes), to: "/big")
            #expect(file.contentHash == ContentHasher.hash(bytes))
            let range: Range<UInt64> = 5 << 20..<6 << 20 | 3
            let part = try await client.files.download(path: "/big", range: .bytes(range))
            #expect(
                try await part.body.collect(upTo: 2 << 20)
                    == Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
            let target = account.folder + "/copy"
            try await client.files.download("/big", to: target)
            #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data(bytes))
            let single = try await client.files.upload(
                path: "/small", mode: .overwrite, body: BytesBody(Array(bytes[..<100_000])))
            #expect(single.size == 100_000)
            try await waitWhile { try server.requests(of: "files/upload").isEmpty }
            let all = try server.requests()
            #expect(all.allSatisfy { $0.isHTTP2 })
            #expect(all.contains { $0.status == 206 })
        }
    }

    @Test("a stream that is cancelled leaves its connection to the others")
    func cancel() async throws {
        try await with { account, server, client in
            try await account.put("/big", pattern(32 << 20))
            _ = try await client.files.getMetadata(path: "/big")
            let (first, arrived) = AsyncStream.makeStream(of: Void.self)
            let download = Task {
                for try await _ in try await client.files.content(of: "/big") {
                    arrived.yield()
                    await waitForCancellation()
                }
            }
            for await _ in first { break }
            download.cancel()
            await #expect {
                try await download.value
            } throws: { error in
                (error as? any DropboxError)?.isCancellation ?? false
            }
            for _ in 1...3 { _ = try await client.files.getMetadata(path: "/big") }
            try await waitWhile { try server.requests(of: "files/get_metadata").count < 4 }
            let calls = try server.requests(of: "files/get_metadata")
            #expect(Set(calls.map(\.connection)).count == 1)
        }
    }

    @Test("a server that says goodbye ends its streams, and new calls go by a new connection")
    func goodbye() async throws {
        try await with { account, server, client in
            let bytes = pattern(48 << 20)
            try await account.put("/big", bytes)
            var chunks = try await client.files.content(of: "/big").makeAsyncIterator()
            var received = try await chunks.next() ?? []
            _ = try await client.files.getMetadata(path: "/big")
            server.restart()
            // Each call works, whichever side of the goodbye it is on.
            try await waitWhile {
                _ = try await client.files.getMetadata(path: "/big")
                let calls = try server.requests(of: "files/get_metadata")
                return Set(calls.map(\.connection)).count < 2
            }
            while let chunk = try await chunks.next() { received += chunk }
            #expect(received == bytes)
            // It was not asked for again.
            try await waitWhile { try server.requests(of: "files/download").isEmpty }
            #expect(try server.requests(of: "files/download").count == 1)
        }
    }
}

/// nghttpx in a child process, with a certificate of its own.
private final class HTTP2Server: Sendable {
    /// A request as its log has it.
    struct Request {
        let isHTTP2: Bool
        /// The port of the client's side, which tells connections apart.
        let connection: String
        let status: Int
        let path: String
    }

    static let isInstalled = ChildProcess.find("nghttpx") != nil

    let port: Int
    let certificate: String
    private let log: String
    private let process: ChildProcess
    /// The pipe of its messages, open as long as it lives.
    private let output: DescriptorPipe

    init(before account: TestAccount) throws {
        let folder = account.folder
        (certificate, log) = (folder + "/certificate.pem", folder + "/access")
        let outcome = try ChildProcess.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "2", "-subj", "/CN=test", "-addext",
                "subjectAltName=IP:127.0.0.1", "-keyout", folder + "/key.pem", "-out", certificate,
            ])
        try #require(outcome.status == 0, "\(outcome.errors)")
        let program = try #require(ChildProcess.find("nghttpx"))
        let backend = account.server.port
        // It takes no port of the system's choice, and another process may take one that is free
        // now.
        let output = try DescriptorPipe()
        self.output = output
        var started: (process: ChildProcess, port: Int)?
        for _ in 1...20 where started == nil {
            let port = try Self.freePort()
            let process = try Self.start(
                program, output,
                [
                    "--conf=/dev/null", "-f127.0.0.1,\(port)", "-b127.0.0.1,\(backend)",
                    "--workers=1", "--no-ocsp", "--log-level=NOTICE", "--accesslog-file=\(log)",
                    "--accesslog-format=$alpn $remote_port $status $path",
                    folder + "/key.pem", certificate,
                ])
            started = process.map { (process: $0, port: port) }
        }
        (process, port) = try #require(started)
    }

    /// Nil if it cannot have its port.
    private static func start(
        _ program: String, _ output: DescriptorPipe, _ arguments: [String]
    ) throws -> ChildProcess? {
        let process = try ChildProcess.start(
            program, arguments, descriptors: [2: output.writing], isDetached: false)
        while let line = output.readLine() {
            if line.contains("Listening on") { return process }
            if line.contains(" FATAL ") { break }
        }
        _ = process.wait()
        return nil
    }

    private static func freePort() throws -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(socket >= 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) | getsockname(socket, $0, &size)
            }
        }
        try #require(status == 0)
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// The requests that have ended, of a route or of all.
    func requests(of route: String? = nil) throws -> [Request] {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 4, let status = Int(words[2]),
                route.map({ words[3] == "/2/" + $0 }) ?? true
            else { return nil }
            return Request(
                isHTTP2: words[0] == "h2", connection: String(words[1]), status: status,
                path: String(words[3]))
        }
    }

    /// New connections come to a new process; those of the old one are told that it goes (GOAWAY),
    /// and end with their streams.
    func restart() {
        kill(process.id, SIGHUP)
    }

    deinit {
        process.terminate()
        _ = process.wait()
        try? output.reading.close()
        try? output.writing.close()
    }
}
