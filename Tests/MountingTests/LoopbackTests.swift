// The end of a login over real sockets: what ends it, and what slow visitors and crowds do to it.
// Hostile requests are in `HostileLoginTests`.

import Foundation
import Glibc
import LocalIO
import Testing

@testable import Mounting

@Suite(.serialized) struct LoopbackTests {
    private static let state = WaitingLogin.state

    @Test("the browser's return ends the login, with a page that needs nothing from elsewhere")
    func success() throws {
        let login = try WaitingLogin()
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
        let login = try WaitingLogin()
        _ = try login.get("/?code=c&state=\(Self.state)", host: "127.0.0.1:\(login.port)")
        #expect(login.result() == .code("c"))
    }

    @Test("a refusal ends the login, and its text cannot do anything to a terminal")
    func refusal() throws {
        let login = try WaitingLogin()
        let page = try login.get(
            "/?error=access_denied&error_description=The+user%1B%5B31m%0A+said+no&state=\(Self.state)"
        )
        #expect(login.result() == .refused("The user[31m said no"))
        #expect(page.hasPrefix("HTTP/1.1 200 "))
        #expect(page.contains("not given access") && !page.contains("said no"))
    }

    @Test("a scope that the app lacks is told apart from a user's refusal")
    func scopes() throws {
        let login = try WaitingLogin()
        let page = try login.get(
            "/?error=invalid_scope&error_description=not+sharing.read&state=\(Self.state)")
        #expect(login.result() == .scopesRefused("not sharing.read"))
        #expect(page.contains("lacks a permission") && !page.contains("sharing.read"))
    }

    @Test("a request in pieces is one request")
    func pieces() throws {
        let login = try WaitingLogin()
        let descriptor = try login.connect()
        defer { close(descriptor) }
        let request =
            "GET /?code=c&state=\(Self.state) HTTP/1.1\r\nHost: localhost:\(login.port)\r\n\(login.cookie)\r\n"
        for character in request.utf8 {
            WaitingLogin.send(String(decoding: [character], as: UTF8.self), to: descriptor)
        }
        #expect(WaitingLogin.receive(descriptor).hasPrefix("HTTP/1.1 200 "))
        #expect(login.result() == .code("c"))
    }

    @Test("a slow client gets 408, and does not keep the browser waiting")
    func slow() throws {
        let login = try WaitingLogin(limits: .init(request: 2))
        let silent = try login.connect()
        let slow = try login.connect()
        defer {
            close(silent)
            close(slow)
        }
        WaitingLogin.send("GET /?code=c HTTP/1.1\r\n", to: slow)
        #expect(try login.get("/favicon.ico").hasPrefix("HTTP/1.1 404 "))
        #expect(WaitingLogin.receive(slow).hasPrefix("HTTP/1.1 408 "))
        #expect(WaitingLogin.receive(silent) == "")
        try login.finish()
    }

    @Test("many connections that say nothing do not keep the browser out")
    func crowd() throws {
        let login = try WaitingLogin()
        let crowd = try (0..<200).map { _ in try login.connect() }
        defer { crowd.forEach { close($0) } }
        try login.finish()
    }

    @Test("a client that connects and leaves does no harm")
    func leaving() throws {
        let login = try WaitingLogin()
        for _ in 0..<50 {
            let descriptor = try login.connect()
            WaitingLogin.send("GET / HT", to: descriptor)
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
        let login = try WaitingLogin(limits: .init(answer: 0.3))
        let descriptor = try login.connect()
        defer { close(descriptor) }
        WaitingLogin.send(
            "GET /?code=c&state=\(Self.state) HTTP/1.1\r\nHost: localhost:\(login.port)\r\n\(login.cookie)\r\n",
            to: descriptor)
        #expect(login.result() == .code("c"))
    }

    @Test("a wait without an answer ends with the time")
    func timeout() throws {
        let login = try WaitingLogin(seconds: 0.2, isBegun: false)
        #expect(login.result() == nil)
    }

    @Test("the first free port is taken, and only this machine reaches it")
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
