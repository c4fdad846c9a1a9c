// How a browser enters a login, whose programs may, and at which addresses it comes back.

import Glibc
import LocalIO
import Testing

@testable import Mounting

@Suite(.serialized) struct LoopbackEntranceTests {
    private static let state = WaitingLogin.state

    @Test("an entrance leads to Dropbox once, and again only with its cookie")
    func entrance() throws {
        let login = try WaitingLogin(isBegun: false)
        for entrance in [login.login.opened, login.login.printed] {
            let page = try login.get("/" + entrance.nonce, headers: "")
            #expect(page.hasPrefix("HTTP/1.1 303 See Other\r\n"))
            #expect(page.contains("\r\nLocation: \(WaitingLogin.page)\r\n"))
            let cookie = "dbxfs-login-\(login.port)=\(entrance.cookie)"
            #expect(
                page.contains(
                    "\r\nSet-Cookie: \(cookie); Path=/; HttpOnly; SameSite=Lax; Max-Age=600\r\n"))
            let own = WaitingLogin.cookie(login.port, entrance)
            #expect(try login.get("/" + entrance.nonce, headers: own).hasPrefix("HTTP/1.1 303 "))
        }
        #expect(try login.get("/?code=c&state=\(Self.state)").contains("Max-Age=0\r\n"))
        #expect(login.result() == .code("c"))
    }

    @Test("a second program at an entrance ends the login")
    func contested() throws {
        for isSeen in [true, false] {
            let login = try WaitingLogin(isBegun: false)
            let entrance = isSeen ? login.login.opened : login.login.printed
            _ = try login.get("/" + entrance.nonce, headers: "")
            let other = WaitingLogin.cookie(
                login.port, isSeen ? login.login.printed : login.login.opened)
            let page = try login.get("/" + entrance.nonce, headers: other)
            #expect(page.hasPrefix("HTTP/1.1 403 ") && page.contains("Another program"))
            #expect(!page.contains("dropbox.com"))
            #expect(login.result() == .contested)
        }
    }

    @Test("a return without the cookie of an entrance that was used is refused")
    func cookie() throws {
        let login = try WaitingLogin(isBegun: false)
        let target = "/?code=c&state=\(Self.state)"
        // No browser has entered, so none has got the cookie.
        for headers in ["", login.cookie, "Cookie: dbxfs-login-\(login.port)=\r\n"] {
            #expect(try login.get(target, headers: headers).hasPrefix("HTTP/1.1 403 "))
        }
        _ = try login.get("/" + login.login.printed.nonce, headers: "")
        for headers in ["", WaitingLogin.cookie(login.port, login.login.opened)] {
            #expect(try login.get(target, headers: headers).hasPrefix("HTTP/1.1 403 "))
        }
        try login.finish()
    }

    @Test(
        "the argument is of no use to programs of other users, and is still good afterwards"
    )
    func stranger() throws {
        var request = LoopbackRequest(
            login: LoopbackLogin(state: Self.state, page: WaitingLogin.page), port: 1)
        let opened = request.login.opened
        func head(_ entrance: LoopbackLogin.Entrance) -> [UInt8] {
            Array("GET /\(entrance.nonce) HTTP/1.1\r\nHost: localhost:1".utf8)
        }
        #expect(request.outcome(of: head(opened)) { false } == .rejected(403))
        let way = LoopbackRequest.Outcome.forwarded(to: WaitingLogin.page, cookie: opened.cookie)
        #expect(request.outcome(of: head(opened)) { true } == way)
        // Root may log in with the browser of another user, by the address on the terminal.
        let printed = request.login.printed
        #expect(
            request.outcome(of: head(printed)) { false }
                == .forwarded(to: WaitingLogin.page, cookie: printed.cookie))
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
        let login = try WaitingLogin()
        let descriptor = try login.connect()
        defer { close(descriptor) }
        #expect(LoopbackPeer.isOwn(descriptor))
        try login.finish()
    }

    @Test(
        "both addresses of localhost are taken, so that no other program gets the browser at one of them"
    )
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
}
