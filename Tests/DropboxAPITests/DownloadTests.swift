// Downloads: their requests, and answers that are accepted or refused.

import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)))
struct DownloadTests {
    private typealias Failure = CallError<Files.DownloadError>

    private static func result(size: Int) -> String {
        #"{"name":"n","id":"id:1","client_modified":"2015-05-12T15:50:38Z","#
            + #""server_modified":"2015-05-12T15:50:38Z","rev":"a1c10ce0dd78","size":\#(size)}"#
    }

    private static func answer(
        _ status: Int, size: Int, range: String? = nil, body: String
    ) -> [Step] {
        var headers = [("Dropbox-API-Result", result(size: size))]
        if let range { headers.append(("Content-Range", range)) }
        return .answer(status, headers, body)
    }

    private func download(
        _ answer: [Step], range: ByteRange? = nil
    ) async throws(CallError<Files.DownloadError>) -> String {
        do {
            let server = try ScriptedServer(answers: [answer])
            defer { server.stop() }
            let client = try DropboxClient.testing(server) { $0.retryPolicy.maxAttempts = 1 }
            let download = try await client.download(
                Files.download, .init(path: "rev:a1c10ce0dd78"), range: range)
            return String(decoding: try await download.body.collect(upTo: 1_000), as: UTF8.self)
        } catch let error as CallError<Files.DownloadError> {
            throw error
        } catch {
            Issue.record(error)
            return ""
        }
    }

    @Test("a whole download has its argument as a header, no body, and no content type")
    func whole() async throws {
        let server = try ScriptedServer(answers: [Self.answer(200, size: 5, body: "hello")])
        defer { server.stop() }
        let client = try DropboxClient.testing(server)
        let download = try await client.download(Files.download, .init(path: "/a"))
        #expect(download.result.rev == "a1c10ce0dd78")
        #expect(download.range == 0..<5)
        #expect(try await download.body.collect(upTo: 5) == Array("hello".utf8))
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.headers["content-length"] == "0")
        #expect(request.headers["content-type"] == nil)
        #expect(request.headers["range"] == nil)
        #expect(request.headers["dropbox-api-arg"] == #"{"path":"/a"}"#)
        #expect(request.headers["accept-encoding"] == nil)
    }

    @Test(
        "a range is asked for, and clipped at the end of the file",
        arguments: [
            (ByteRange.bytes(1..<4), "bytes=1-3", "bytes 1-3/5", "ell"),
            (.bytes(3..<100), "bytes=3-99", "bytes 3-4/5", "lo"),
            (.from(2), "bytes=2-", "bytes 2-4/5", "llo"),
        ])
    func ranges(range: ByteRange, asked: String, given: String, body: String) async throws {
        let server = try ScriptedServer(answers: [
            Self.answer(206, size: 5, range: given, body: body)
        ])
        defer { server.stop() }
        let client = try DropboxClient.testing(server)
        let download = try await client.download(Files.download, .init(path: "/a"), range: range)
        #expect(download.range == range.resolved(size: 5))
        #expect(try await download.body.collect(upTo: 5) == Array(body.utf8))
        #expect(server.requests.first?.headers["range"] == asked)
    }

    @Test(
        "an answer to another range than the one asked for is refused",
        arguments: [
            (200, nil, "hello"), (200, "bytes 1-3/5", "ell"), (206, nil, "ell"),
            (206, "bytes 0-2/5", "hel"), (206, "bytes 1-2/5", "el"), (206, "bytes 1-4/5", "ello"),
            (206, "bytes 1-3/6", "ell"), (206, "nonsense", "ell"),
        ] as [(Int, String?, String)])
    func wrongRange(status: Int, header: String?, body: String) async throws {
        let error = await #expect(throws: Failure.self) {
            try await download(
                Self.answer(status, size: 5, range: header, body: body), range: .bytes(1..<4))
        }
        #expect(
            error?.kind == .response(.rangeNotHonoured(status: status, contentRange: header)))
    }

    @Test("a body of another length than its range is refused, before or after reading")
    func wrongLength() async throws {
        var error = await #expect(throws: Failure.self) {
            try await download(
                Self.answer(206, size: 5, range: "bytes 1-3/5", body: "el"), range: .bytes(1..<4))
        }
        #expect(error?.kind == .response(.bodyLength(expected: 3, received: 2)))
        let chunked: [(String, UInt64)] = [
            ("2\r\nel\r\n0\r\n\r\n", 2), ("4\r\nello\r\n0\r\n\r\n", 4),
        ]
        for (body, received) in chunked {
            error = await #expect(throws: Failure.self) {
                try await download(
                    .answer(
                        206,
                        [
                            ("Dropbox-API-Result", Self.result(size: 5)),
                            ("Content-Range", "bytes 1-3/5"), ("Transfer-Encoding", "chunked"),
                        ], body), range: .bytes(1..<4))
            }
            #expect(error?.kind == .response(.bodyLength(expected: 3, received: received)))
        }
    }

    @Test("a body cut short is never silent")
    func cut() async throws {
        let error = await #expect(throws: Failure.self) {
            try await download(
                .answer(
                    200, [("Dropbox-API-Result", Self.result(size: 5)), ("Content-Length", "5")],
                    "hel") + [.close])
        }
        guard case .transport(let failure) = error?.kind else {
            Issue.record("unexpected \(String(describing: error))")
            return
        }
        #expect(failure.kind == .bodyCutShort)
    }

    @Test("content that has another size than the metadata says is refused")
    func wrongSize() async throws {
        let error = await #expect(throws: Failure.self) {
            try await download(Self.answer(200, size: 6, body: "hello"))
        }
        #expect(error?.kind == .response(.bodyLength(expected: 6, received: 5)))
    }

    @Test("a compressed answer to a request without Accept-Encoding is counted as it comes")
    func unaskedCompression() async throws {
        let error = await #expect(throws: Failure.self) {
            try await download(
                .answer(
                    200,
                    [
                        ("Dropbox-API-Result", Self.result(size: 6)),
                        ("Content-Encoding", "gzip"),
                    ], "hello"))
        }
        #expect(error?.kind == .response(.bodyLength(expected: 6, received: 5)))
    }

    @Test("a range behind the end, a missing result, an empty range")
    func others() async throws {
        var error = await #expect(throws: Failure.self) {
            try await download(.answer(416), range: .from(9))
        }
        #expect(error?.kind == .response(.rangeNotSatisfiable))
        error = await #expect(throws: Failure.self) { try await download(.answer(200)) }
        #expect(error?.kind == .response(.missingResult))
        error = await #expect(throws: Failure.self) {
            try await download(.answer(200), range: .bytes(5..<5))
        }
        #expect(error?.kind == .badInput("empty range"))
    }

    @Test("an empty file is a whole download of nothing")
    func empty() async throws {
        #expect(try await download(Self.answer(200, size: 0, body: "")) == "")
    }

    @Test("a download is retried until its head is there")
    func retry() async throws {
        let server = try ScriptedServer(answers: [
            .answer(503), [.close], Self.answer(200, size: 5, body: "hello"),
        ])
        defer { server.stop() }
        let client = try DropboxClient.testing(server)
        let download = try await client.download(Files.download, .init(path: "/a"))
        #expect(try await download.body.collect(upTo: 5).count == 5)
        #expect(server.requests.count == 3)
    }
}
