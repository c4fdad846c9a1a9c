// Every server that a download was attacked with: none gives wrong bytes with success, and none
// ends the process or waits for ever. What exactly is said of the commoner ones is in
// `DownloadTests`.

import Foundation
import TestSupport
import Testing

@testable import DropboxAPI

@Suite(.timeLimit(.minutes(5)))
struct HostileDownloadTests {
    private static func result(_ size: String = "5", rev: String = "a1c10ce0dd78") -> String {
        #"{"name":"n","id":"id:1","client_modified":"2015-05-12T15:50:38Z","#
            + #""server_modified":"2015-05-12T15:50:38Z","rev":"\#(rev)","size":\#(size)}"#
    }

    /// The head of an answer to `bytes=1-3` of a file of 5 bytes that is right but for the given
    /// parts.
    private static func head(
        status: String = "206 Partial Content", result: String? = result(),
        range: String? = "bytes 1-3/5",
        length: String? = "3", more: String = ""
    ) -> String {
        "HTTP/1.1 \(status)\r\n" + (result.map { "Dropbox-API-Result: \($0)\r\n" } ?? "")
            + (range.map { "Content-Range: \($0)\r\n" } ?? "")
            + (length.map { "Content-Length: \($0)\r\n" } ?? "") + more + "\r\n"
    }

    private static func answer(_ text: String) -> [Step] { .text(text) + [.close] }

    /// The behaviour of a server. Its steps are too long for a report.
    struct Server: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]

        init(_ name: String, _ steps: [Step]) {
            testDescription = name
            self.steps = steps
        }
    }

    static let servers: [Server] = [
        .init("fewer bytes", answer(head() + "el")), .init("no bytes", answer(head(length: "0"))),
        .init("more bytes", answer(head(length: "4") + "ello")),
        .init("all bytes", answer(head(length: "5") + "hello")),
        .init("a whole file", answer(head(status: "200 OK", range: nil, length: "5") + "hello")),
        .init("another range", answer(head(range: "bytes 0-2/5") + "hel")),
        .init("a range that ends before it begins", answer(head(range: "bytes 3-1/5") + "ell")),
        .init(
            "a range of 2^64 bytes",
            answer(head(range: "bytes 1-18446744073709551615/18446744073709551616") + "ell")),
        .init(
            "a file of 2^64-1 bytes", answer(head(range: "bytes 1-3/18446744073709551615") + "ell")),
        .init("a file of another size", answer(head(range: "bytes 1-3/4") + "ell")),
        .init("a signed range", answer(head(range: "bytes +1-+3/+5") + "ell")),
        .init("a range in other units", answer(head(range: "pages 1-3/5") + "ell")),
        .init("no range", answer(head(range: nil) + "ell")),
        .init("two ranges", answer(head(more: "Content-Range: bytes 0-2/5\r\n") + "ell")),
        .init(
            "parts",
            answer(
                head(range: nil, more: "Content-Type: multipart/byteranges; boundary=x\r\n") + "ell"
            )),
        .init("no result", answer(head(result: nil) + "ell")),
        .init("a result that is none", answer(head(result: "[[[[") + "ell")),
        .init(
            "a result of 2^64 bytes", answer(head(result: result("18446744073709551616")) + "ell")),
        .init("a negative result", answer(head(result: result("-5")) + "ell")),
        .init("a negative length", answer(head(length: "-3") + "ell")),
        .init("two lengths", answer(head(length: "2", more: "Content-Length: 1\r\n") + "el")),
        .init("compressed", answer(head(length: "2", more: "Content-Encoding: gzip\r\n") + "el")),
        .init(
            "a chunk without end",
            answer(
                head(length: nil, more: "Transfer-Encoding: chunked\r\n")
                    + "ffffffffffffffff\r\nell")),
        .init(
            "a negative chunk",
            answer(
                head(length: nil, more: "Transfer-Encoding: chunked\r\n") + "-3\r\nell\r\n0\r\n\r\n"
            )),
        .init(
            "too many chunks",
            answer(
                head(length: nil, more: "Transfer-Encoding: chunked\r\n") + "4\r\nello\r\n0\r\n\r\n"
            )),
        .init(
            "3,000 headers of 1 KB",
            answer(
                head(
                    more: String(
                        repeating: "X: \(String(repeating: "x", count: 1000))\r\n", count: 3000))
                    + "ell")
        ),
        .init(
            "a flood of 1xx",
            [
                .send(
                    Array(
                        String(repeating: "HTTP/1.1 100 Continue\r\nX: y\r\n\r\n", count: 20_000)
                            .utf8)), .close,
            ]
        ),
        .init(
            "a status of 20 digits",
            answer("HTTP/1.1 20000000000000000000 OK\r\nContent-Length: 0\r\n\r\n")),
        .init("a status of none", answer("HTTP/1.1 OK\r\n\r\n")),
        .init("a status of -1", answer("HTTP/1.1 -1 OK\r\n\r\n")),
        .init("no HTTP", answer("SSH-2.0-OpenSSH\r\n")),
        .init("null bytes", [.send([UInt8](repeating: 0, count: 100_000)), .close]),
        .init("nothing", [.close]), .init("a reset", [.reset]),
        .init("half a head", answer("HTTP/1.1 206 Par")),
        .init(
            "a switch of protocols",
            answer("HTTP/1.1 101 Switching Protocols\r\nUpgrade: evil\r\n\r\nell")),
        .init(
            "a redirect",
            answer(head(status: "307 Elsewhere", length: "0", more: "Location: /elsewhere\r\n"))),
    ]

    @Test("every hostile answer leads to an error and to no wrong byte", arguments: servers)
    func hostile(lie: Server) async throws {
        let server = try ScriptedServer(answers: [lie.steps])
        defer { server.stop() }
        let client = try DropboxClient.testing(server) { $0.retryPolicy.maxAttempts = 1 }
        await #expect(throws: (any Error).self) {
            let download = try await client.download(
                Files.download, .init(path: "rev:a1c10ce0dd78"), range: .bytes(1..<4))
            _ = try await download.body.collect(upTo: 1_000)
        }
    }

    @Test("an empty file arrives, also from a server that answers with all of it for a range")
    func empty() async throws {
        let head = Self.head(status: "200 OK", result: Self.result("0"), range: nil, length: "0")
        let server = try ScriptedServer(answers: [.text(head)])
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let client = try DropboxClient.testing(server)
        let file = try await client.files.download("/a", to: folder.path + "/a")
        #expect(file.size == 0)
        #expect(FileManager.default.contents(atPath: folder.path + "/a") == Data())
        #expect(server.requests.map { $0.headers["range"] } == ["bytes=0-8388607", nil])
    }

    // NIO refuses the whole answer for a length that is none.
    #if AsyncHTTPClient
        private static let lengths = ["3"]
    #else
        private static let lengths = ["3", "18446744073709551616"]
    #endif

    @Test(
        "the answer that all of them are made of is the range, and a length that is none changes no byte",
        arguments: lengths)
    func right(length: String) async throws {
        let server = try ScriptedServer(answers: [Self.answer(Self.head(length: length) + "ell")])
        defer { server.stop() }
        let client = try DropboxClient.testing(server) { $0.retryPolicy.maxAttempts = 1 }
        let download = try await client.download(
            Files.download, .init(path: "rev:a1c10ce0dd78"), range: .bytes(1..<4))
        #expect(try await download.body.collect(upTo: 1_000) == Array("ell".utf8))
    }

    @Test(
        "a file of nearly 2^64 bytes that is asked for whole ends no process",
        arguments: [nil, ByteRange.from(1)])
    func endless(range: ByteRange?) async throws {
        let size = "18446744073709551614"
        let head = Self.head(
            status: range == nil ? "200 OK" : "206 Partial Content", result: Self.result(size),
            range: range == nil ? nil : "bytes 1-18446744073709551613/\(size)", length: nil)
        let server = try ScriptedServer(answers: [Self.answer(head + "ell")])
        defer { server.stop() }
        let client = try DropboxClient.testing(server) { $0.retryPolicy.maxAttempts = 1 }
        await #expect(throws: (any Error).self) {
            let download = try await client.download(
                Files.download, .init(path: "rev:a1c10ce0dd78"), range: range)
            _ = try await download.body.collect(upTo: 1_000)
        }
    }
}
