// The error for each wrong response, and its one line.

import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)))
struct ErrorTests {
    private typealias Failure = Files.GetMetadataError

    /// Calls a route once against a server that answers as given.
    private func error(
        _ answer: [Step], policy: RetryPolicy = .init(maxAttempts: 1)
    ) async throws -> CallError<Failure> {
        let server = try ScriptedServer(answers: [answer])
        defer { server.stop() }
        let client = try DropboxClient.testing(server) { $0.retryPolicy = policy }
        do {
            _ = try await client.call(
                Files.getMetadata, .init(path: "/x"), options: .within(.seconds(20)))
        } catch {
            return error
        }
        throw UnexpectedSuccess()
    }

    private struct UnexpectedSuccess: Error {}

    @Test("status 409 is the route's own error, with the message for the user and the request's id")
    func route() async throws {
        let error = try await error(
            .json(
                #"{"error_summary":"path/not_found/..","error":{".tag":"path","path":"#
                    + #"{".tag":"not_found"}},"user_message":{"locale":"en","text":"Gone."}}"#,
                status: 409))
        #expect(error.kind == .route(.path(.notFound), userMessage: "Gone."))
        #expect(error.routeError == .path(.notFound))
        #expect(error.context.route == "files/get_metadata")
        #expect(error.context.requestID == "r1")
        #expect(error.context.status == 409)
        #expect(error.context.attempts == 1)
        #expect(error.userMessage == UserMessage(text: "Gone.", locale: "en"))
        #expect(
            error.summary
                == "files/get_metadata: Gone. (path(DropboxAPI.Files.LookupError.notFound)) [request r1]"
        )
        #expect(!error.mayHaveTakenEffect)
    }

    @Test("an error with an unknown tag keeps the tag")
    func unknownTag() async throws {
        let error = try await error(
            .json(#"{"error":{".tag":"on_fire","degrees":9}}"#, status: 409))
        #expect(error.routeError == .unknown("on_fire"))
        // Its fields are there for a caller that knows them.
        #expect(error.context.answer?.body == #"{"error":{".tag":"on_fire","degrees":9}}"#)
    }

    @Test("status 409 without JSON is a plain status with the start of the body")
    func nonsense() async throws {
        let error = try await error(.json("<html>\nno", status: 409))
        #expect(error.kind == .http(status: 409, body: "<html> no"))
    }

    @Test(
        "the statuses that any route can answer",
        arguments: [
            (400, "Error in call: bad\n", .badInput("Error in call: bad ")),
            (401, #"{"error":{".tag":"invalid_access_token"}}"#, .auth(.invalidAccessToken)),
            (
                401, #"{"error":{".tag":"missing_scope","required_scope":"files.content.write"}}"#,
                .auth(.missingScope(.init(requiredScope: "files.content.write")))
            ),
            (401, #"{"error":{".tag":"new_reason"}}"#, .auth(.unknown("new_reason"))),
            (
                403,
                #"{"error":{".tag":"invalid_account_type","invalid_account_type":"endpoint"}}"#,
                .access(.invalidAccountType(.endpoint))
            ),
            (
                422,
                #"{"error":{".tag":"invalid_root","invalid_root":{".tag":"team","#
                    + #""root_namespace_id":"7","home_namespace_id":"8","home_path":"/F"}}}"#,
                .pathRoot(
                    .invalidRoot(
                        .team(
                            .init(rootNamespaceID: "7", homeNamespaceID: "8", homePath: "/F"))))
            ),
            (422, #"{"error":{".tag":"no_permission"}}"#, .pathRoot(.noPermission)),
            (500, "oops", .internalServer(status: 500)),
            (503, "", .internalServer(status: 503)),
            (418, "teapot", .http(status: 418, body: "teapot")),
            (302, "", .http(status: 302, body: "")),
            (204, "", .http(status: 204, body: "")),
        ] as [(Int, String, CallError<Files.GetMetadataError>.Kind)])
    func statuses(
        status: Int, body: String, kind: CallError<Files.GetMetadataError>.Kind
    ) async throws {
        let error = try await error(.json(body, status: status))
        #expect(error.kind == kind)
        #expect(error.context.requestID == "r1")
    }

    @Test(
        "a redirect of any kind is not followed",
        arguments: [300, 301, 302, 303, 305, 307, 308])
    func redirect(status: Int) async throws {
        let other = try ScriptedServer { _ in .json(Examples.taggedFile) }
        defer { other.stop() }
        let server = try ScriptedServer { request in
            request.path == "/elsewhere"
                ? .json(Examples.taggedFile)
                : .answer(
                    status,
                    [
                        ("Location", status == 307 ? "/elsewhere" : other.url),
                        ("Refresh", "0; url=\(other.url)"),
                        ("Alt-Svc", "h2=\"127.0.0.1:\(other.port)\"; ma=3600"),
                        ("Content-Location", other.url),
                    ])
        }
        defer { server.stop() }
        let client = try DropboxClient.testing(server)
        for count in 1...2 {
            let error = await #expect(throws: CallError<Failure>.self) {
                try await client.call(Files.getMetadata, .init(path: "/x"))
            }
            #expect(error?.kind == .http(status: status, body: ""))
            #expect(server.requests.count == count)
        }
        #expect(other.requests.isEmpty)
    }

    @Test(
        "an answer that is not what the route promises is a serialization error, never a crash",
        arguments: [
            "", "null", "[]", "17", "{", #"{".tag":"file"}"#, #"{".tag":17,"name":"x"}"#,
            #"{".tag":"folder","name":"x","id":5}"#, "\u{FEFF}", "\"file\"",
            #"{".tag":"file","id":"i","name":"n","client_modified":"yesterday","#
                + #""server_modified":"2015-05-12T15:50:38Z","rev":"a","size":1}"#,
            fileWithSize("-1"), fileWithSize("1e99"), fileWithSize("1.5"),
            fileWithSize("18446744073709551616"), fileWithSize("\"7\""),
            String(repeating: "[", count: 100_000),
            #"{".tag":"folder","id":"i","name":"\ud800"}"#,
        ])
    func nonsenseResults(body: String) async throws {
        let error = try await error(.json(body))
        guard case .serialization(let message) = error.kind else {
            Issue.record("unexpected \(error)")
            return
        }
        #expect(!message.isEmpty && message.count < 2_000)
        #expect(error.mayHaveTakenEffect)
    }

    private static func fileWithSize(_ size: String) -> String {
        #"{".tag":"file","id":"i","name":"n","client_modified":"2015-05-12T15:50:38Z","#
            + #""server_modified":"2015-05-12T15:50:38Z","rev":"a","size":\#(size)}"#
    }

    @Test("a body that is not UTF-8 is a serialization error")
    func notUTF8() async throws {
        var answer = [Step].answer(200, [("Content-Length", "4")])
        answer.append(.send([0x22, 0xFF, 0xFE, 0x22]))
        let error = try await error(answer)
        guard case .serialization = error.kind else {
            Issue.record("unexpected \(error)")
            return
        }
    }

    @Test(
        "an answer that is not HTTP is malformed",
        arguments: ["SSH-2.0-OpenSSH\r\n", "\u{0}\u{1}\u{2}\r\n\r\n"])
    func notHTTP(text: String) async throws {
        let error = try await error(.text(text) + [.close])
        guard case .transport(let failure) = error.kind else {
            Issue.record("unexpected \(error)")
            return
        }
        #expect(failure.kind == .malformedResponse)
    }

    @Test("a head without end is refused")
    func endlessHead() async throws {
        let line = [UInt8]("X-Filler: \(String(repeating: "a", count: 50_000))\r\n".utf8)
        let steps =
            .text("HTTP/1.1 200 OK\r\n") + [Step](repeating: .send(line), count: 100) + [.awaitEnd]
        let error = try await error(steps)
        guard case .transport(let failure) = error.kind else {
            Issue.record("unexpected \(error)")
            return
        }
        #expect(failure.kind == .tooLarge)
    }

    @Test("endless JSON ends at the limit, and the connection with it")
    func endlessResult() async throws {
        let server = try ScriptedServer(answers: [
            .answer(200, [("Content-Length", "1000000000000")]) + [.stream(-1)]
        ])
        defer { server.stop() }
        let client = try DropboxClient.testing(server) { $0.resultLimit = 5 << 20 }
        let error = await #expect(throws: CallError<Failure>.self) {
            try await client.call(Files.getMetadata, .init(path: "/x"))
        }
        guard case .transport(let failure) = error?.kind else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(failure.kind == .tooLarge)
        #expect(await server.connectionEnds())
    }

    @Test("an endless error body is cut, not read")
    func endlessErrorBody() async throws {
        let error = try await error(
            .answer(503, [("Content-Length", "1000000000000")]) + [.stream(-1)])
        #expect(error.kind == .internalServer(status: 503))
    }

    @Test("a refused connection is connectivity loss and had no effect")
    func refused() async throws {
        let server = try ScriptedServer(answers: [[.close]])
        server.stop()
        let client = try DropboxClient.testing(server) { $0.retryPolicy.maxAttempts = 1 }
        let error = await #expect(throws: CallError<Failure>.self) {
            try await client.call(Files.getMetadata, .init(path: "/x"))
        }
        guard case .transport(let failure) = error?.kind else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(failure.kind == .connect || failure.kind == .reset)
        #expect(error?.isConnectivityLoss == true)
    }

    @Test("an unknown host is a failure of name resolution")
    func unknownHost() async throws {
        let transport = try TransportUnderTest()
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(TransportRequest(url: "https://no-such-host.invalid/"))
        }
        #expect(error?.kind == .nameResolution)
        #expect(error?.mayHaveBeenReceived == false)
        await transport.shutDown()
    }

    @Test(
        "only TLS leaves this machine",
        arguments: [
            "http://example.com/", "ftp://127.0.0.1/", "http://127.0.0.1@example.com/",
            "http://127.0.0.1.example.com/", "127.0.0.1", "https://", "http://127.0.0.1 /",
            "file:///etc/passwd", "http://0x7f000001/",
        ])
    func onlyTLS(url: String) async throws {
        #expect(throws: TransportError.self) { try DropboxHosts(endpoint: url) }
        let transport = try TransportUnderTest()
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(TransportRequest(url: url))
        }
        #expect(error?.kind == .invalidRequest)
        await transport.shutDown()
    }

    @Test(
        "loopback may be http, and anything may be https",
        arguments: [
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
            ("http://[::1]:1", "http://[::1]:1"),
            ("http://localhost", "http://localhost"), ("https://a.b/c/", "https://a.b/c"),
        ])
    func endpoints(url: String, base: String) throws {
        let hosts = try DropboxHosts(endpoint: url)
        #expect(hosts.api == base && hosts.content == base && hosts.notify == base)
    }
}
