// A login that waits for a browser on real sockets, and visitors to it.

import Blocking
import Glibc
import Synchronization
import Testing

@testable import Mounting

/// A login that waits on a free port.
final class WaitingLogin: Sendable {
    static let state = "0123456789abcdef"
    static let page = "https://www.dropbox.com/oauth2/authorize?state=\(state)"
    let login = LoopbackLogin(state: WaitingLogin.state, page: WaitingLogin.page)
    let port: UInt16
    private let answer = Mutex<RedirectAnswer?>(nil)
    private let end = Latch()

    /// With `isBegun`, a browser has entered by the printed address, and its cookie goes with each
    /// request.
    init(
        seconds: Double = 3600, limits: HTTPListener.Limits = .init(), isBegun: Bool = true
    ) throws {
        let listener = try #require(LoopbackListener(ports: [0], limits: limits))
        port = listener.port
        let box = ListenerBox(listener)
        WorkerThread.start { [self] in
            let answer = box.wait(login, seconds: seconds)
            self.answer.withLock { $0 = answer }
            end.set()
        }
        if isBegun { _ = try get("/" + login.printed.nonce, headers: "") }
    }

    /// The cookie of a browser that has entered by the printed address.
    var cookie: String { Self.cookie(port, login.printed) }

    static func cookie(_ port: UInt16, _ entrance: LoopbackLogin.Entrance) -> String {
        "Cookie: other=1; dbxfs-login-\(port)=\(entrance.cookie)\r\n"
    }

    var isOver: Bool { end.hasHappened }

    /// The answer, once the wait is over.
    func result(within seconds: Double = 60) -> RedirectAnswer? {
        #expect(end.wait(seconds: seconds), "the login still waits")
        return answer.withLock { $0 }
    }

    func connect() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var patience = timeval(tv_sec: 60, tv_usec: 0)
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
        send(Array(text.utf8), to: descriptor)
    }

    static func send(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
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
        try exchange(Array(request.utf8))
    }

    func exchange(_ request: [UInt8]) throws -> String {
        let descriptor = try connect()
        defer { close(descriptor) }
        Self.send(request, to: descriptor)
        return Self.receive(descriptor)
    }

    /// The request of a browser.
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
