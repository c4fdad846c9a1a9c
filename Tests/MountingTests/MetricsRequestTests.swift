// The answers to requests for metrics, by their heads alone; and the addresses that `-o metrics=`
// takes.

import Testing

@testable import Mounting

@Suite struct MetricsRequestTests {
    private static let line = "GET /metrics HTTP/1.1\r\n"
    private static let host = "Host: localhost:9417\r\n"

    /// Requests, as they are without the empty line, and the status of their answers at a port of
    /// loopback.
    static let requests: [(String, Int)] =
        [
            (line + host, 200), (line + host + "Accept: text/plain, */*;q=0.1\r\n", 200),
            ("HEAD /metrics HTTP/1.1\r\n" + host, 200),
            ("GET /metrics?name[]=dbxfs_state HTTP/1.1\r\n" + host, 200),
            ("GET /metrics HTTP/1.0\r\n", 200), ("GET /metrics HTTP/1.0\r\n" + host, 200),
            (line, 400), (line + host + host, 400), (line + "Host localhost\r\n", 400),
            ("GET /metrics\r\n" + host, 400), ("GET  /metrics HTTP/1.1\r\n" + host, 400),
            ("GET /metrics HTTP/2.0\r\n" + host, 400), ("PRI * HTTP/2.0\r\n", 400),
            ("\u{16}\u{3}\u{1}\r\n", 400), ("", 400), ("\r\n", 400),
            ("GET /metrics HTTP/1.1\n" + host, 400), (line + " folded\r\n" + host, 400),
            ("GET / HTTP/1.1\r\n" + host, 404), ("GET /metrics/ HTTP/1.1\r\n" + host, 404),
            ("GET //metrics HTTP/1.1\r\n" + host, 404),
            ("GET /../metrics HTTP/1.1\r\n" + host, 404),
            ("GET /METRICS HTTP/1.1\r\n" + host, 404),
            ("GET http://localhost:9417/metrics HTTP/1.1\r\n" + host, 404),
            ("GET * HTTP/1.1\r\n" + host, 404),
        ]
        + ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "get", "EVIL"].map {
            ("\($0) /metrics HTTP/1.1\r\n" + host, 405)
        }
        + ["localhost", "LOCALHOST:9417", "127.0.0.1:9417", "127.8.9.1", "[::1]:9417"].map {
            (line + "Host: \($0)\r\n", 200)
        }
        + [
            "evil.example:9417", "localhost.evil.example", "192.0.2.1:9417", "", "[::2]:9417",
            "localhost.", "evil@localhost:9417", "127.0.0.1:evil", "2130706433",
        ].map { (line + "Host: \($0)\r\n", 403) }

    private func response(_ head: String, isForLoopback: Bool = true) -> HTTPReply {
        var bytes = Array(head.utf8)
        // Without the end of the last line, as connections pass them on.
        if bytes.suffix(2) == [13, 10] { bytes.removeLast(2) }
        return MetricsRequest(isForLoopback: isForLoopback)
            .response(to: .head(bytes)) { "dbxfs_mounts 1\n" }
    }

    @Test("only reads of the one path, by programs of this machine, get metrics")
    func requests() {
        for (request, status) in Self.requests {
            let response = response(request)
            #expect(response.status == status, "\(request.debugDescription)")
            #expect(
                response.body.contains("dbxfs_mounts") == (status == 200),
                "\(request.debugDescription)")
            #expect((response.headers == ["Allow: GET, HEAD"]) == (status == 405))
            #expect(!response.body.lowercased().contains("evil"), "nothing of the request")
        }
    }

    @Test("at an address that was named, and at a socket, a request may name any host")
    func hosts() {
        for (request, status) in Self.requests {
            let expected = status == 403 ? 200 : status
            #expect(
                response(request, isForLoopback: false).status == expected,
                "\(request.debugDescription)")
        }
    }

    @Test("the answer to HEAD is that to GET without its body")
    func head() {
        let get = response(Self.line + Self.host).bytes
        let head = response("HEAD /metrics HTTP/1.1\r\n" + Self.host).bytes
        let body = Array("dbxfs_mounts 1\n".utf8)
        #expect(Array(get.suffix(body.count)) == body)
        #expect(head == Array(get.dropLast(body.count)))
        #expect(String(decoding: head, as: UTF8.self).contains("\r\nContent-Length: 15\r\n"))
    }

    @Test("heads without an end are refused")
    func endless() {
        let request = MetricsRequest(isForLoopback: true)
        #expect(request.response(to: .tooLong) { "" }.status == 431)
        #expect(request.response(to: .late) { "" }.status == 408)
    }
}

@Suite struct MetricsAddressTests {
    private func address(_ value: String) throws -> MetricsAddress? {
        try MountSettings(parsing: ["metrics=" + value]).metrics
    }

    @Test("ports are those of this machine, unless an address is named")
    func ports() throws {
        #expect(try address("9417") == .loopback(port: 9417))
        #expect(try address("localhost:9417") == .loopback(port: 9417))
        #expect(try address("127.0.0.1:65535") == .address("127.0.0.1", port: 65535))
        #expect(try address("0.0.0.0:1") == .address("0.0.0.0", port: 1))
        #expect(try address("[::]:9417") == .address("::", port: 9417))
        #expect(try address("[fd00::7]:9417") == .address("fd00::7", port: 9417))
        for (value, isLoopback) in [
            ("9417", true), ("127.0.0.1:1", true), ("[::1]:1", true), ("/run/x", true),
            ("0.0.0.0:1", false), ("[::]:1", false), ("192.0.2.1:1", false),
        ] { #expect(try address(value)?.isLoopback == isLoopback, "\(value)") }
    }

    @Test("a path from the root on is a socket")
    func sockets() throws {
        #expect(try address("/run/dbxfs/a b.sock") == .socket("/run/dbxfs/a b.sock"))
        #expect(try address("unix:/run/m") == .socket("/run/m"))
    }

    @Test("an address is written as it is read")
    func texts() throws {
        for value in [
            "localhost:9417", "127.0.0.1:9417", "[::1]:9417", "0.0.0.0:80", "/run/metrics",
        ] { #expect(try address(value)?.text == value) }
    }

    @Test("all else is refused: names of hosts, port 0, paths from elsewhere")
    func refused() {
        for value in [
            "", ":", ":9417", "0", "65536", "99999999999999999999", "-1", "+9417", "9417 ", "0x50",
            "٩٤١٧", "localhost", "localhost:", "localhost:0", "example.com:9417", "127.0.0.1",
            "127.0.0.1:0", "127.1:9417", "::1:9417", "[::1]", "[]:1", "[::1:9417", "::1]:9417",
            "[127.0.0.1]:1", "[fe80::1%lo]:1", "metrics.sock", "./metrics", "~/metrics", "/run/",
            "/", "unix:", "unix:metrics", "unix:9417", "/a\0b",
        ] {
            #expect(throws: CommandError.self, "\(value.debugDescription)") { try address(value) }
        }
    }
}
