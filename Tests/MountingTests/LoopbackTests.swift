// The end of a login over real sockets: what ends it, and what hostile or broken visitors get instead.

import Foundation
import Glibc
import Synchronization
import Testing

@testable import Mounting

/// A login that waits on a free port.
private final class Waiting: Sendable {
    static let state = "0123456789abcdef"
    static let page = "https://www.dropbox.com/oauth2/authorize?state=\(state)"
    let login = LoopbackLogin(state: Waiting.state, page: Waiting.page)
    let port: UInt16
    private let answer = Mutex<RedirectAnswer?>(nil)
    private let end = Signal()

    /// With `isBegun`, a browser has entered by the printed address, and its cookie goes with each request.
    init(
        seconds: Double = 20, limits: LoopbackListener.Limits = .init(), isBegun: Bool = true
    ) throws {
        let listener = try #require(LoopbackListener(ports: [0], limits: limits))
        port = listener.port
        let box = ListenerBox(listener)
        Mounting.Thread.start { [self] in
            let answer = box.wait(login, seconds: seconds)
            self.answer.withLock { $0 = answer }
            end.set()
        }
        if isBegun { _ = try get("/" + login.printed.nonce, headers: "") }
    }

    /// What a browser brings that has entered by the printed address.
    var cookie: String { Self.cookie(port, login.printed) }

    static func cookie(_ port: UInt16, _ entrance: LoopbackLogin.Entrance) -> String {
        "Cookie: other=1; dbxfs-login-\(port)=\(entrance.cookie)\r\n"
    }

    var isOver: Bool { end.hasHappened }

    /// The answer, once the wait is over.
    func result(within seconds: Double = 10) -> RedirectAnswer? {
        #expect(end.wait(seconds: seconds), "the login still waits")
        return answer.withLock { $0 }
    }

    func connect() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(status == 0, "connect: \(errno)")
        return descriptor
    }

    static func send(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    static func receive(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Sends a request as it is, and returns the whole answer.
    func exchange(_ request: String) throws -> String {
        let descriptor = try connect()
        defer { close(descriptor) }
        Self.send(request, to: descriptor)
        return Self.receive(descriptor)
    }

    /// What a browser sends.
    func get(
        _ target: String, method: String = "GET", host: String? = nil, headers: String? = nil
    ) throws -> String {
        try exchange(
            "\(method) \(target) HTTP/1.1\r\nHost: \(host ?? "localhost:\(port)")\r\n"
                + "User-Agent: test\r\n\(headers ?? cookie)\r\n")
    }

    /// Ends the login as it should end, and checks that it does.
    func finish() throws {
        #expect(!isOver)
        #expect(try get("/?code=the-code&state=\(Self.state)").hasPrefix("HTTP/1.1 200 "))
        #expect(result() == .code("the-code"))
    }
}

/// Hands a listener to its one thread.
private struct ListenerBox: @unchecked Sendable {
    private let listener: LoopbackListener

    init(_ listener: LoopbackListener) {
        self.listener = listener
    }

    func wait(_ login: LoopbackLogin, seconds: Double) -> RedirectAnswer? {
        listener.wait(login, seconds: seconds)
    }
}

@Suite(.serialized) struct LoopbackTests {
    private static let state = Waiting.state

    @Test("the browser's return ends the login, with a page that needs nothing from elsewhere")
    func success() throws {
        let login = try Waiting()
        let page = try login.get("/?state=\(Self.state)&code=a%2Db_c.%7E1")
        #expect(login.result() == .code("a-b_c.~1"))
        #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
        for header in [
            "Cache-Control: no-store",
            "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "Cross-Origin-Resource-Policy: same-origin",
            "Referrer-Policy: no-referrer", "Connection: close",
        ] { #expect(page.contains("\r\n\(header)\r\n"), "\(header)") }
        #expect(page.contains("terminal"))
        #expect(!page.contains("a-b_c") && !page.contains("http://") && !page.contains("src="))
    }

    @Test("127.0.0.1 is as good as localhost")
    func address() throws {
        let login = try Waiting()
        _ = try login.get("/?code=c&state=\(Self.state)", host: "127.0.0.1:\(login.port)")
        #expect(login.result() == .code("c"))
    }

    @Test("a refusal ends the login, and its text cannot do anything to a terminal")
    func refusal() throws {
        let login = try Waiting()
        let page = try login.get(
            "/?error=access_denied&error_description=The+user%1B%5B31m%0A+said+no&state=\(Self.state)"
        )
        #expect(login.result() == .refused("The user[31m said no"))
        #expect(page.hasPrefix("HTTP/1.1 200 "))
        #expect(page.contains("not given access") && !page.contains("said no"))
    }

    @Test(
        "what is not the browser's return is told off, and the login goes on",
        arguments: [
            ("/?code=c&state=wrong", "403"), ("/?code=c", "403"), ("/", "403"),
            ("/?code=c&state=", "403"), ("/?state={state}", "400"),
            ("/?code=&state={state}", "400"), ("/?code=a%0D%0Ab&state={state}", "400"),
            ("/?code=a&code=b&state={state}", "400"),
            ("/?state=wrong&code=a&state={state}", "400"), ("/?code=%zz&state={state}", "400"),
            ("/?code=%ff&state={state}", "400"), ("/favicon.ico", "404"),
            ("/other?code=c&state={state}", "404"), ("//?code=c&state={state}", "404"),
            ("http://localhost/?code=c&state={state}", "404"), ("*", "404"),
            ("/?error=access_denied", "403"), ("/?error=access_denied&state=wrong", "403"),
        ])
    func strange(target: String, status: String) throws {
        let login = try Waiting()
        let page = try login.get(target.replacing("{state}", with: Self.state))
        #expect(page.hasPrefix("HTTP/1.1 \(status) "), "\(page)")
        try login.finish()
    }

    @Test("other methods get 405", arguments: ["POST", "HEAD", "PUT", "OPTIONS", "get"])
    func methods(method: String) throws {
        let login = try Waiting()
        let page = try login.get("/?code=c&state=\(Self.state)", method: method)
        #expect(page.hasPrefix("HTTP/1.1 405 "), "\(page)")
        #expect(page.contains("\r\nAllow: GET\r\n"))
        try login.finish()
    }

    @Test("a page of a stranger whose name leads here gets 403")
    func hosts() throws {
        let login = try Waiting()
        for host in [
            "evil.example", "evil.example:\(login.port)", "localhost", "localhost:1",
            "127.0.0.1", "localhost.evil.example:\(login.port)", "[::1]:\(login.port)", "",
        ] {
            let page = try login.get("/?code=c&state=\(Self.state)", host: host)
            #expect(page.hasPrefix("HTTP/1.1 403 "), "\(host): \(page)")
        }
        let own = "Host: localhost:\(login.port)\r\n"
        let target = "/?code=c&state=\(Self.state)"
        #expect(try login.get(target, headers: own + login.cookie).hasPrefix("HTTP/1.1 403 "))
        #expect(try login.exchange("GET \(target) HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 403 "))
        try login.finish()
    }

    @Test("what is no request gets 400")
    func malformed() throws {
        let login = try Waiting()
        let host = "Host: localhost:\(login.port)"
        let target = "/?code=c&state=\(Self.state)"
        for request in [
            "\r\n\r\n", "GET\r\n\r\n", "GET \(target)\r\n\(host)\r\n\r\n",
            "GET  \(target) HTTP/1.1\r\n\(host)\r\n\r\n",
            "GET \(target) HTTP/2.0\r\n\(host)\r\n\r\n",
            "GET \(target) HTTP/1.1\n\(host)\r\n\r\n",
            "GET \(target) HTTP/1.1\r\n\(host)\r\nno header\r\n\r\n",
            "GET \(target) HTTP/1.1\r\n\(host)\r\n folded: 1\r\n\r\n",
            "GET \(target)\u{0} HTTP/1.1\r\n\(host)\r\n\r\n",
            "GET /ä HTTP/1.1\r\n\(host)\r\n\r\n",
            "\u{16}\u{3}\u{1} a TLS handshake\r\n\r\n",
        ] {
            let page = try login.exchange(request)
            #expect(page.hasPrefix("HTTP/1.1 400 "), "\(request.debugDescription): \(page)")
        }
        try login.finish()
    }

    @Test("a request in pieces is one request")
    func pieces() throws {
        let login = try Waiting()
        let descriptor = try login.connect()
        defer { close(descriptor) }
        let request =
            "GET /?code=c&state=\(Self.state) HTTP/1.1\r\nHost: localhost:\(login.port)\r\n\(login.cookie)\r\n"
        for character in request.utf8 {
            Waiting.send(String(decoding: [character], as: UTF8.self), to: descriptor)
        }
        #expect(Waiting.receive(descriptor).hasPrefix("HTTP/1.1 200 "))
        #expect(login.result() == .code("c"))
    }

    @Test("headers without end get 431, although more is being sent")
    func huge() throws {
        let login = try Waiting()
        for request in [
            "GET /?code=c HTTP/1.1\r\nX: " + String(repeating: "x", count: 300_000),
            "GET /" + String(repeating: "x", count: 300_000) + " HTTP/1.1\r\n\r\n",
            String(repeating: "X: y\r\n", count: 100_000) + "\r\n\r\n",
        ] {
            #expect(try login.exchange(request).hasPrefix("HTTP/1.1 431 "))
        }
        try login.finish()
    }

    @Test("who is slow gets 408, and does not keep the browser waiting")
    func slow() throws {
        let login = try Waiting(limits: .init(request: 0.5))
        let silent = try login.connect()
        let slow = try login.connect()
        defer {
            close(silent)
            close(slow)
        }
        Waiting.send("GET /?code=c HTTP/1.1\r\n", to: slow)
        #expect(try login.get("/favicon.ico").hasPrefix("HTTP/1.1 404 "))
        #expect(Waiting.receive(slow).hasPrefix("HTTP/1.1 408 "))
        #expect(Waiting.receive(silent) == "")
        try login.finish()
    }

    @Test("many connections that say nothing do not keep the browser out")
    func crowd() throws {
        let login = try Waiting()
        let crowd = try (0..<200).map { _ in try login.connect() }
        defer { crowd.forEach { close($0) } }
        try login.finish()
    }

    @Test("who connects and leaves does no harm")
    func leaving() throws {
        let login = try Waiting()
        for _ in 0..<50 {
            let descriptor = try login.connect()
            Waiting.send("GET / HT", to: descriptor)
            // Reset instead of an orderly end.
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
            close(descriptor)
        }
        try login.finish()
    }

    @Test("a browser that never takes its page does not hold the login up")
    func unreadPage() throws {
        let login = try Waiting(limits: .init(answer: 0.3))
        let descriptor = try login.connect()
        defer { close(descriptor) }
        Waiting.send(
            "GET /?code=c&state=\(Self.state) HTTP/1.1\r\nHost: localhost:\(login.port)\r\n\(login.cookie)\r\n",
            to: descriptor)
        #expect(login.result(within: 3) == .code("c"))
    }

    @Test("nobody's answer ends with the time")
    func timeout() throws {
        let login = try Waiting(seconds: 0.2)
        #expect(login.result(within: 3) == nil)
    }

    @Test("an entrance leads to Dropbox once, and again for who has its cookie only")
    func entrance() throws {
        let login = try Waiting(isBegun: false)
        for entrance in [login.login.opened, login.login.printed] {
            let page = try login.get("/" + entrance.nonce, headers: "")
            #expect(page.hasPrefix("HTTP/1.1 303 See Other\r\n"))
            #expect(page.contains("\r\nLocation: \(Waiting.page)\r\n"))
            let cookie = "dbxfs-login-\(login.port)=\(entrance.cookie)"
            #expect(
                page.contains(
                    "\r\nSet-Cookie: \(cookie); Path=/; HttpOnly; SameSite=Lax; Max-Age=600\r\n"))
            let own = Waiting.cookie(login.port, entrance)
            #expect(try login.get("/" + entrance.nonce, headers: own).hasPrefix("HTTP/1.1 303 "))
        }
        #expect(try login.get("/?code=c&state=\(Self.state)").contains("Max-Age=0\r\n"))
        #expect(login.result() == .code("c"))
    }

    @Test("a second program at an entrance ends the login")
    func contested() throws {
        for isSeen in [true, false] {
            let login = try Waiting(isBegun: false)
            let entrance = isSeen ? login.login.opened : login.login.printed
            _ = try login.get("/" + entrance.nonce, headers: "")
            let other = Waiting.cookie(
                login.port, isSeen ? login.login.printed : login.login.opened)
            let page = try login.get("/" + entrance.nonce, headers: other)
            #expect(page.hasPrefix("HTTP/1.1 403 ") && page.contains("Another program"))
            #expect(!page.contains("dropbox.com"))
            #expect(login.result() == .contested)
        }
    }

    @Test("a return without the cookie of an entrance that was used is told off")
    func cookie() throws {
        let login = try Waiting(isBegun: false)
        let target = "/?code=c&state=\(Self.state)"
        // Nobody has entered, so nobody has been told the cookie.
        for headers in ["", login.cookie, "Cookie: dbxfs-login-\(login.port)=\r\n"] {
            #expect(try login.get(target, headers: headers).hasPrefix("HTTP/1.1 403 "))
        }
        _ = try login.get("/" + login.login.printed.nonce, headers: "")
        for headers in ["", Waiting.cookie(login.port, login.login.opened)] {
            #expect(try login.get(target, headers: headers).hasPrefix("HTTP/1.1 403 "))
        }
        try login.finish()
    }

    @Test("what was an argument is of no use to programs of other users, and is still good afterwards")
    func stranger() throws {
        var request = LoopbackRequest(
            login: LoopbackLogin(state: Self.state, page: Waiting.page), port: 1)
        let opened = request.login.opened
        func head(_ entrance: LoopbackLogin.Entrance) -> [UInt8] {
            Array("GET /\(entrance.nonce) HTTP/1.1\r\nHost: localhost:1".utf8)
        }
        #expect(request.outcome(of: head(opened)) { false } == .rejected(403))
        let way = LoopbackRequest.Outcome.forwarded(to: Waiting.page, cookie: opened.cookie)
        #expect(request.outcome(of: head(opened)) { true } == way)
        // Root may log in with the browser of another user, by the address on the terminal.
        let printed = request.login.printed
        #expect(
            request.outcome(of: head(printed)) { false }
                == .forwarded(to: Waiting.page, cookie: printed.cookie))
    }

    @Test("the kernel's table says whose a connection is")
    func owners() throws {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:D1A2 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 1 1
               1: 0100007F:D1A3 0100007F:1F90 06 00000000:00000000 00:00000000 00000000     0        0 0 1

            """
        func owner(_ local: String) -> uid_t? {
            LoopbackPeer.owner(local: local, remote: "0100007F:1F90", table: table)
        }
        #expect(owner("0100007F:D1A2") == 1000)
        #expect(owner("0100007F:D1A3") == nil && owner("0100007F:D1A4") == nil)
        let login = try Waiting()
        let descriptor = try login.connect()
        defer { close(descriptor) }
        #expect(LoopbackPeer.isOwn(descriptor))
        try login.finish()
    }

    @Test("both addresses of localhost are taken, so that nobody else gets the browser at one of them")
    func addresses() throws {
        let first = try #require(LoopbackListener(ports: [0], limits: .init()))
        let table = try readText("/proc/net/tcp6")
        // A machine without IPv6 has no such address.
        guard try readText("/proc/net/if_inet6").contains("00000000000000000000000000000001") else {
            return
        }
        let own = "00000000000000000000000001000000:"
        #expect(table.contains(own + hexadecimal(first.port)))
        let other = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(other) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let isTaken = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(other, raw, size) == 0 && listen(other, 1) == 0
                    && getsockname(other, raw, &size) == 0
            }
        }
        try #require(isTaken)
        #expect(LoopbackListener(ports: [UInt16(bigEndian: address.sin6_port)]) == nil)
    }

    private func hexadecimal(_ port: UInt16) -> String {
        let text = String(port, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - text.utf8.count) + text
    }

    @Test("the first free port is taken, and nobody but this machine reaches it")
    func ports() throws {
        let first = try #require(LoopbackListener(ports: [0], limits: .init()))
        let second = try #require(LoopbackListener(ports: [first.port, 0], limits: .init()))
        #expect(second.port != first.port)
        #expect(LoopbackListener(ports: [first.port, second.port]) == nil)
        #expect(first.redirect == "http://localhost:\(first.port)/")
        let hexadecimal = String(first.port, radix: 16, uppercase: true)
        let table = try readText("/proc/net/tcp")
        #expect(table.contains("0100007F:\(hexadecimal) "))
        #expect(!table.contains("00000000:\(hexadecimal) "))
    }
}
