// Certificates: which are trusted, and the message to the user if one is not.

import Foundation
import LocalIO
import SystemPackage
import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)), .serialized)
struct TLSTests {
    /// A TLS server in a child process, with a self-signed certificate.
    private final class TLSServer {
        let port: Int
        let folder: URL
        // Not Foundation's Process, which reads behind the end of a directory entry when it starts
        // one.
        private let process: ChildProcess

        var certificate: String { folder.appendingPathComponent("cert.pem").path }

        private static let script = """
            import http.server, ssl, sys
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def do_POST(self):
                    with open(sys.argv[1] + "/requests", "a") as log: log.write("x")
                    self.rfile.read(int(self.headers.get("Content-Length", 0)))
                    body = b'{"result":"secure"}'
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                def do_CONNECT(self):
                    with open(sys.argv[1] + "/requests", "a") as log: log.write("x")
                    self.send_response(502)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                def log_message(self, *arguments): pass
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1] + "/cert.pem", sys.argv[1] + "/key.pem")
            server.socket = context.wrap_socket(server.socket, server_side=True)
            print(server.server_address[1], flush=True)
            server.serve_forever()
            """

        /// `name` is what the certificate is for.
        init(name: String) throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "dropbox-api-tls-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let outcome = try ChildProcess.run(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-days", "2", "-subj", "/CN=test", "-addext",
                    "subjectAltName=\(name)", "-keyout", folder.path + "/key.pem", "-out",
                    folder.path + "/cert.pem",
                ])
            try #require(outcome.status == 0, "\(outcome.errors)")
            let output = try DescriptorPipe()
            defer {
                try? output.reading.close()
                try? output.writing.close()
            }
            process = try ChildProcess.start(
                "/usr/bin/env", ["python3", "-c", Self.script, folder.path],
                descriptors: [1: output.writing], isDetached: false)
            let line = try #require(output.readLine())
            port = try #require(Int(line))
        }

        /// The hash of the public key, in base64, as libcurl wants it.
        func publicKeyHash() throws -> String {
            try run(
                """
                openssl x509 -in '\(certificate)' -pubkey -noout | openssl pkey -pubin -outform der |
                openssl dgst -sha256 -binary | base64
                """)
        }

        /// How many requests have come in.
        func requestCount() throws -> Int {
            let log = folder.appendingPathComponent("requests")
            return (try? Data(contentsOf: log))?.count ?? 0
        }

        private func run(_ script: String) throws -> String {
            let output = try DescriptorPipe()
            defer { try? output.reading.close() }
            let shell = try ChildProcess.start(
                "/bin/sh", ["-c", script], descriptors: [1: output.writing], isDetached: false)
            try output.writing.close()
            let line = output.readLine()
            #expect(shell.wait() == 0)
            return try #require(line)
        }

        deinit {
            process.terminate()
            _ = process.wait()
            try? FileManager.default.removeItem(at: folder)
        }
    }

    private func call(
        _ server: TLSServer, certificate: String?, keys: [PinnedKey] = []
    ) async throws -> String {
        var configuration = DropboxConfiguration(
            hosts: try DropboxHosts(endpoint: "https://127.0.0.1:\(server.port)"))
        configuration.transport.certificateFile = certificate
        configuration.transport.pinnedKeys = keys
        let client = try DropboxClient(
            underTest: configuration, tokens: FixedAccessToken(AccessToken("secret")),
            logger: silent)
        return try await client.call(Check.user, .init(query: "x")).result
    }

    @Test("an untrusted certificate is refused, once, with words about the certificate")
    func untrusted() async throws {
        let server = try TLSServer(name: "IP:127.0.0.1")
        let error = await #expect(throws: CallError<Check.EchoError>.self) {
            try await call(server, certificate: nil)
        }
        guard case .transport(let failure) = error?.kind else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(failure.kind == .certificate)
        #expect(!failure.mayHaveBeenReceived)
        #expect(error?.context.attempts == 1)
        #expect(error?.summary.contains("certificate") == true)
        #expect(error?.isConnectivityLoss == false)
    }

    @Test("a certificate of the given file is trusted, for its own name only")
    func trusted() async throws {
        let server = try TLSServer(name: "IP:127.0.0.1")
        #expect(try await call(server, certificate: server.certificate) == "secure")
        let other = try TLSServer(name: "DNS:example.com")
        let error = await #expect(throws: CallError<Check.EchoError>.self) {
            try await call(other, certificate: other.certificate)
        }
        guard case .transport(let failure) = error?.kind else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(failure.kind == .certificate)
    }

    @Test("a server that has one of the pinned keys is talked to; another one is not sent anything")
    func pinning() async throws {
        let server = try TLSServer(name: "IP:127.0.0.1")
        let key = try #require(PinnedKey(try server.publicKeyHash()))
        let other = try #require(PinnedKey(Data(repeating: 7, count: 32).base64EncodedString()))
        #expect(
            try await call(server, certificate: server.certificate, keys: [other, key]) == "secure")
        #expect(try server.requestCount() == 1)
        let error = await #expect(throws: CallError<Check.EchoError>.self) {
            try await call(server, certificate: server.certificate, keys: [other])
        }
        guard case .transport(let failure) = error?.kind else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(failure.kind == .certificate)
        #expect(failure.message.contains("pinned"))
        #expect(!failure.mayHaveBeenReceived)
        #expect(error?.context.attempts == 1)
        #expect(try server.requestCount() == 1)
    }

    @Test("a pinned key is trusted only with a certificate that is")
    func pinningIsNoTrust() async throws {
        let server = try TLSServer(name: "IP:127.0.0.1")
        let key = try #require(PinnedKey(try server.publicKeyHash()))
        let error = await #expect(throws: CallError<Check.EchoError>.self) {
            try await call(server, certificate: nil, keys: [key])
        }
        guard case .transport(let failure) = error?.kind else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(failure.kind == .certificate)
        #expect(try server.requestCount() == 0)
    }

    #if !AsyncHTTPClient
        @Test(
            "a certificate of the given file is trusted of a proxy, too", arguments: [true, false])
        func proxy(isTrusted: Bool) async throws {
            let proxy = try TLSServer(name: "IP:127.0.0.1")
            var configuration = TransportConfiguration()
            configuration.certificateFile = isTrusted ? proxy.certificate : nil
            configuration.proxy = .proxy(try Proxy("https://127.0.0.1:\(proxy.port)"))
            let transport = try TransportUnderTest(configuration: configuration)
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(TransportRequest(url: "https://api.example.invalid/2/x"))
            }
            #expect((error?.kind == .certificate) == !isTrusted)
            #expect(try proxy.requestCount() == (isTrusted ? 1 : 0))
            await transport.shutDown()
        }
    #endif

    // The environment belongs to the whole process, so these run in one of their own.

    @Test("SSL_CERT_FILE names the trusted certificates")
    func certificateEnvironment() async {
        await #expect(processExitsWith: .success) {
            let server = try TLSServer(name: "IP:127.0.0.1")
            setenv("SSL_CERT_FILE", server.certificate, 1)
            let result = try await TLSTests().call(server, certificate: nil)
            #expect(result == "secure")
        }
    }

    @Test("the proxy of the environment is asked, but not for this machine")
    func proxyEnvironment() async {
        await #expect(processExitsWith: .success) {
            let proxy = try ScriptedServer(answers: [.answer(502)])
            let here = try ScriptedServer(answers: [.answer(200)])
            setenv("https_proxy", proxy.url, 1)
            setenv("http_proxy", proxy.url, 1)
            let transport = try TransportUnderTest()
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(TransportRequest(url: "https://api.example.com/2/x"))
            }
            #expect(error?.mayHaveBeenReceived == false)
            #expect(proxy.requests.map(\.method) == ["CONNECT"])
            #expect(proxy.requests.map(\.path) == ["api.example.com:443"])
            #expect(try await transport.send(TransportRequest(url: here.url)).status == 200)
            #expect(proxy.requests.count == 1)
        }
    }

    @Test("a certificate file that cannot be read is an error at the start")
    func missingFile() {
        let error = #expect(throws: TransportError.self) {
            try TransportUnderTest(configuration: .init(certificateFile: "/no/such/file.pem"))
        }
        #expect(error?.kind == .certificate)
        #expect(error?.message.contains("/no/such/file.pem") == true)
    }

    @Test("a server that never answers the handshake is given up after the connection timeout")
    func silentHandshake() async throws {
        let server = try ScriptedServer(answers: [[.awaitEnd]])
        defer { server.stop() }
        let transport = try TransportUnderTest()
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(
                TransportRequest(
                    url: "https://127.0.0.1:\(server.port)/",
                    timeouts: .init(connect: .milliseconds(300))))
        }
        #expect(error?.kind == .timedOut(.connect))
        #expect(error?.mayHaveBeenReceived == false)
        await transport.shutDown()
    }
}
