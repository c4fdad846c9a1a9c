// Every hostile or broken request that a login's port was tried with: none ends the login, none is
// repeated in the answer, and the browser is served afterwards. Not about who may enter at all
// (`LoopbackEntranceTests`).

import Glibc
import Testing

@testable import Mounting

/// A request to a login that has everything right but what its name says.
struct HostileRequest: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int
    /// The whole request. `{port}`, `{state}` and `{cookie}` stand for the login's own.
    let bytes: [UInt8]

    /// An answer whose text is sent as it is.
    init(_ name: String, _ status: Int, raw: String, then more: [UInt8] = []) {
        testDescription = name
        self.status = status
        bytes = Array(raw.utf8) + more
    }

    /// As a browser sends it, but for the given parts.
    init(
        _ name: String, _ status: Int, method: String = "GET",
        target: String = "/?code=evil&state={state}", version: String = "HTTP/1.1",
        host: String? = "localhost:{port}", cookie: String = "{cookie}", more: String = "",
        body: String = ""
    ) {
        let head = "\(method) \(target) \(version)\r\n"
        let lines = (host.map { "Host: \($0)\r\n" } ?? "") + "X-Marker: evil\r\n" + cookie + more
        self.init(name, status, raw: head + lines + "\r\n" + body)
    }

    static let targets: [HostileRequest] = [
        .init("wrong state", 403, target: "/?code=evil&state=evil"),
        .init("no state", 403, target: "/?code=evil"),
        .init("nothing at all", 403, target: "/"),
        .init("empty state", 403, target: "/?code=evil&state="),
        .init("a beginning of the state", 403, target: "/?code=evil&state=0123456789abcde"),
        .init("the state and more", 403, target: "/?code=evil&state={state}0"),
        .init("the state in capitals", 403, target: "/?code=evil&state=0123456789ABCDEF"),
        .init(
            "two states, the right one last", 400, target: "/?state=evil&code=evil&state={state}"),
        .init(
            "two states, the right one first", 400, target: "/?state={state}&code=evil&state=evil"),
        .init("two names of one state", 400, target: "/?state={state}&code=evil&%73tate=evil"),
        .init("no code", 400, target: "/?state={state}"),
        .init("empty code", 400, target: "/?code=&state={state}"),
        .init("two codes", 400, target: "/?code=evil&code=other&state={state}"),
        .init("a code of two lines", 400, target: "/?code=evil%0D%0AX:&state={state}"),
        .init("a code with a null byte", 400, target: "/?code=evil%00&state={state}"),
        .init("a code with a space", 400, target: "/?code=evil+evil&state={state}"),
        .init("a code that is no UTF-8", 400, target: "/?code=%ff%fe&state={state}"),
        .init("a code with an overlong slash", 400, target: "/?code=%c0%af&state={state}"),
        .init("half an escape", 400, target: "/?code=evil%4&state={state}"),
        .init("no escape", 400, target: "/?code=%zz&state={state}"),
        .init("a signed escape", 400, target: "/?code=%+1&state={state}"),
        .init(
            "a code of 3,000 characters", 400,
            target: "/?code=\(String(repeating: "e", count: 3000))&state={state}"),
        .init("an error without state", 403, target: "/?error=evil"),
        .init("an error with a wrong state", 403, target: "/?error=evil&state=evil"),
        .init("another path", 404, target: "/evil?code=evil&state={state}"),
        .init("two slashes", 404, target: "//?code=evil&state={state}"),
        .init("a path that goes up", 404, target: "/../?code=evil&state={state}"),
        .init("an escaped slash", 404, target: "/%2f?code=evil&state={state}"),
        .init("an address as to a proxy", 404, target: "http://localhost/?code=evil&state={state}"),
        .init(
            "an address of elsewhere", 404, target: "http://evil.example/?code=evil&state={state}"),
        .init("the server as a whole", 404, target: "*"),
        .init("the icon", 404, target: "/favicon.ico"),
        .init("a fragment in place of the query", 404, target: "/#code=evil&state={state}"),
    ]

    static let methods: [HostileRequest] =
        ["POST", "HEAD", "PUT", "OPTIONS", "TRACE", "DELETE", "get", "EVIL"].map {
            .init("method \($0)", 405, method: $0)
        } + [
            .init("a tunnel", 405, method: "CONNECT", target: "evil.example:443"),
            .init(
                "a form", 405, method: "POST", target: "/",
                more: "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 10\r\n",
                body: "code=evil1"),
            .init(
                "a method overridden", 405, method: "POST", more: "X-HTTP-Method-Override: GET\r\n"),
        ]

    static let hosts: [HostileRequest] =
        [
            "evil.example", "evil.example:{port}", "localhost", "localhost:1", "127.0.0.1",
            "localhost.evil.example:{port}", "[::1]:{port}", "", "127.0.0.2:{port}",
            "2130706433:{port}", "0x7f.0.0.1:{port}", "localhost.:{port}",
            "evil@localhost:{port}", "localhost:{port}, evil.example", "localhost:{port}/",
        ].map { (name: String) in .init("host '\(name)'", 403, host: name) } + [
            .init("no host", 403, host: nil),
            .init("the host twice", 403, more: "Host: localhost:{port}\r\n"),
            .init("a second host", 403, more: "host: evil.example\r\n"),
            .init(
                "a host for a proxy", 403, host: "evil.example",
                more: "X-Forwarded-Host: localhost:{port}\r\n"),
        ]

    static let cookies: [HostileRequest] = [
        .init("no cookie", 403, cookie: ""),
        .init("another cookie", 403, cookie: "Cookie: dbxfs-login-{port}=evil\r\n"),
        .init("an empty cookie", 403, cookie: "Cookie: dbxfs-login-{port}=\r\n"),
        .init("a cookie of another port", 403, cookie: "Cookie: dbxfs-login-1=evil\r\n"),
        .init("the cookie's name in capitals", 403, cookie: "Cookie: DBXFS-LOGIN-{port}=evil\r\n"),
    ]

    private static let line = "GET /?code=evil&state={state} HTTP/1.1"
    private static let right = "Host: localhost:{port}\r\n{cookie}"

    static let broken: [HostileRequest] = [
        .init("an empty request", 400, raw: "\r\n\r\n"),
        .init("a method only", 400, raw: "GET\r\n\r\n"),
        .init("no version", 400, raw: "GET /?code=evil&state={state}\r\n\(right)\r\n"),
        .init("two spaces", 400, raw: "GET  /?code=evil&state={state} HTTP/1.1\r\n\(right)\r\n"),
        .init("a tab", 400, raw: "GET\t/?code=evil&state={state} HTTP/1.1\r\n\(right)\r\n"),
        .init("a space in the address", 400, target: "/?code=evil &state={state}"),
        .init("another version", 400, version: "HTTP/2.0"),
        .init("no such version", 400, version: "HTTP/1.1evil"),
        .init("lines that end in LF", 400, raw: "\(line)\n\(right)\r\n"),
        .init("a line that ends in CR", 400, raw: "\(line)\r\(right)\r\n"),
        .init("a line without a colon", 400, more: "no header\r\n"),
        .init("a folded line", 400, more: " folded: evil\r\n"),
        .init("a header without a name", 400, more: ": evil\r\n"),
        .init("a space before the colon", 400, host: nil, more: "Host : localhost:{port}\r\n"),
        .init("a null byte", 400, target: "/?code=evil\u{0}&state={state}"),
        .init("an escape character", 400, more: "X-Evil: \u{1b}]0;evil\u{7}\r\n"),
        .init("other letters", 400, target: "/ä?code=evil&state={state}"),
        .init(
            "no UTF-8", 400, raw: "\(line)\r\nX-Evil: ",
            then: [0xff, 0xfe] + Array("\r\n\r\n".utf8)),
        .init("a TLS handshake", 400, raw: "\u{16}\u{3}\u{1} evil\r\n\r\n"),
        .init(
            "a request behind the body of another", 405, method: "POST", target: "/",
            more: "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            body: "0\r\n\r\n\(line)\r\n\(right)\r\n"),
        .init(
            "a request behind another", 404, target: "/evil", body: "\(line)\r\n\(right)\r\n"),
        .init(
            "a head of 17 KiB", 431, more: "X: \(String(repeating: "x", count: 17 << 10))\r\n"),
        .init(
            "a head of 1 MiB without end", 431,
            raw: "\(line)\r\nX: " + String(repeating: "x", count: 1 << 20)),
        .init("an address of 300 KB", 431, target: "/" + String(repeating: "x", count: 300_000)),
        .init("100,000 headers", 431, more: String(repeating: "X: y\r\n", count: 100_000)),
    ]

    static let all = targets + methods + hosts + cookies + broken
}

@Suite(.serialized) struct HostileLoginTests {
    private func bytes(_ request: HostileRequest, _ login: WaitingLogin) -> [UInt8] {
        var bytes = request.bytes
        for (name, value) in [
            ("{port}", "\(login.port)"), ("{state}", WaitingLogin.state),
            ("{cookie}", login.cookie),
        ] { bytes.replace(Array(name.utf8), with: Array(value.utf8)) }
        return bytes
    }

    @Test("a request other than the browser's return is refused, and the login goes on")
    func requests() throws {
        let login = try WaitingLogin()
        for request in HostileRequest.all {
            let page = try login.exchange(bytes(request, login))
            #expect(
                page.hasPrefix("HTTP/1.1 \(request.status) "),
                "\(request.testDescription): \(page.prefix(60))")
            #expect(page.contains("\r\nConnection: close\r\n"), "\(request.testDescription)")
            #expect(page.contains("\r\nAllow: GET\r\n") == (request.status == 405))
            for secret in ["evil", WaitingLogin.state, login.login.printed.cookie, "dropbox.com"] {
                #expect(!page.contains(secret), "\(request.testDescription): \(secret)")
            }
            #expect(!login.isOver, "\(request.testDescription)")
        }
        try login.finish()
    }

    @Test("the request that all of them are made of is the browser's return")
    func right() throws {
        let login = try WaitingLogin()
        #expect(try login.exchange(bytes(.init("right", 200), login)).hasPrefix("HTTP/1.1 200 "))
        #expect(login.result() == .code("evil"))
    }
}
