// Scrapers at real sockets: the text of the mount, hostile clients, and the end. Which requests get
// which answers is in `MetricsRequestTests`.

import Foundation
import Glibc
import LocalFiles
import LocalIO
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Mounting

@Suite(.serialized) struct MetricsServerTests {
    private let temporary: TemporaryFolder
    private let folder: ControlFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = ControlFolder(path: temporary.path + "/run")
    }

    private static let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private func server(
        _ address: MetricsAddress = .loopback(port: 0), limits: HTTPListener.Limits = .init(),
        mountpoint: String = "/mnt", text: @escaping @Sendable () -> String = { "text\n" }
    ) throws -> MetricsServer {
        try MetricsServer(
            address, mountpoint: mountpoint, folder: folder, limits: limits, text: text)
    }

    private func connect(_ server: MetricsServer, to host: String = "127.0.0.1") throws -> Int32 {
        try #require(Self.connection(server.port, host), "connect: \(errno)")
    }

    /// A connection to a port; nil if it is refused.
    private static func connection(_ port: UInt16, _ host: String = "127.0.0.1") -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        setPatience(descriptor)
        // Else the kernel holds megabytes that are not read.
        var room: Int32 = 65536
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    private static func setPatience(_ descriptor: Int32) {
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends a request as it is, and returns the whole answer.
    private func exchange(_ server: MetricsServer, _ request: String = request) throws -> String {
        let descriptor = try connect(server)
        defer { close(descriptor) }
        WaitingLogin.send(request, to: descriptor)
        return WaitingLogin.receive(descriptor)
    }

    private func exchange(
        _ socket: LocalSocket, _ request: String = request
    ) throws -> String {
        let descriptor = try socket.connect()
        defer { close(descriptor) }
        Self.setPatience(descriptor)
        WaitingLogin.send(request, to: descriptor)
        return WaitingLogin.receive(descriptor)
    }

    /// Waits for the peer to close, and returns whether it did so without an answer.
    private func isAtEnd(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, 0)
        return count == 0 || count < 0 && errno != EAGAIN
    }

    // MARK: Answers

    @Test("a scrape gets the text of the mount, as `status --metrics` prints it")
    func scrape() throws {
        let status = MountStatus(mountpoint: "/mnt/é", account: "work", state: .online)
        let server = try server { StatusMetrics.text([status]) }
        server.start()
        defer { server.stop() }
        let parts = try exchange(server).split(separator: "\r\n\r\n" as String, maxSplits: 1)
        #expect(parts.count == 2 && parts[1] == StatusMetrics.text([status]))
        let head = parts[0].components(separatedBy: "\r\n")
        #expect(head.first == "HTTP/1.1 200 OK")
        #expect(head.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8"))
        #expect(head.contains("Content-Length: \(StatusMetrics.text([status]).utf8.count)"))
        #expect(head.contains("Connection: close"))
    }

    @Test("many scrapes at once make the mount compute few texts")
    func freshness() throws {
        let made = Mutex(0)
        let server = try server {
            made.withLock { $0 += 1 }
            return "text\n"
        }
        server.start()
        defer { server.stop() }
        let start = ContinuousClock.now
        for _ in 0..<200 { #expect(try exchange(server).hasSuffix("text\n")) }
        let seconds = Int(start.duration(to: .now) / .seconds(1))
        #expect(made.withLock { $0 } <= seconds + 1)
        #expect(made.withLock { $0 } >= 1)
    }

    @Test("a request in single bytes is one request, and of two in a row the first is answered")
    func pieces() throws {
        let server = try server()
        server.start()
        defer { server.stop() }
        let descriptor = try connect(server)
        defer { close(descriptor) }
        for byte in Self.request.utf8 { WaitingLogin.send([byte], to: descriptor) }
        #expect(WaitingLogin.receive(descriptor).hasPrefix("HTTP/1.1 200 "))
        let answer = try exchange(server, Self.request + Self.request)
        #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
        #expect(answer.hasSuffix("text\n"))
    }

    // MARK: Hostile clients

    @Test("a slow client gets 408, a silent one nothing, and neither keeps a scraper waiting")
    func slow() throws {
        let server = try server(limits: .init(request: 2))
        server.start()
        defer { server.stop() }
        let (silent, slow) = (try connect(server), try connect(server))
        defer {
            close(silent)
            close(slow)
        }
        WaitingLogin.send("GET /metrics HTTP/1.1\r\nX: ", to: slow)
        #expect(try exchange(server).hasPrefix("HTTP/1.1 200 "))
        #expect(WaitingLogin.receive(slow).hasPrefix("HTTP/1.1 408 "))
        #expect(WaitingLogin.receive(silent) == "")
    }

    @Test("a head, or a body, that does not end is not kept")
    func endless() throws {
        let server = try server()
        server.start()
        defer { server.stop() }
        let header = "X: " + String(repeating: "x", count: 1 << 20)
        #expect(
            try exchange(server, "GET /metrics HTTP/1.1\r\n" + header)
                .hasPrefix("HTTP/1.1 431 "))
        let body = "POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n"
        #expect(try exchange(server, body + header).hasPrefix("HTTP/1.1 405 "))
        #expect(try exchange(server).hasPrefix("HTTP/1.1 200 "))
    }

    @Test("a crowd of connections that say nothing does not keep a scraper out")
    func crowd() throws {
        let server = try server(limits: .init(request: 3600))
        server.start()
        defer { server.stop() }
        let crowd = try (0..<200).map { _ in try connect(server) }
        defer { crowd.forEach { close($0) } }
        #expect(try exchange(server).hasPrefix("HTTP/1.1 200 "))
        // Of the crowd, all but the newest were closed.
        #expect(crowd.prefix(100).allSatisfy(isAtEnd))
    }

    @Test("a client that takes nothing of its answer is closed, and others are served before that")
    func unread() throws {
        let text = String(repeating: "x", count: 2 << 20)
        let socket = LocalSocket(folder: temporary.path, name: "socket")
        let server = try server(.socket(socket.path), limits: .init(answer: 1)) { text }
        server.start()
        defer { server.stop() }
        let stuck = try socket.connect()
        defer { close(stuck) }
        WaitingLogin.send(Self.request, to: stuck)
        // It has begun to send.
        var byte: UInt8 = 0
        #expect(recv(stuck, &byte, 1, 0) == 1)
        #expect(try exchange(socket, "GET / HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 404 "))
        // The end of both directions is reported without being asked for.
        var state = pollfd(fd: stuck, events: 0, revents: 0)
        #expect(poll(&state, 1, 20_000) == 1, "it is still open")
        #expect(WaitingLogin.receive(stuck).utf8.count < text.utf8.count)
    }

    // MARK: The end

    @Test("the end closes all connections at once, and the port is free for the next mount")
    func end() throws {
        // More than both ends of a connection hold.
        let text = String(repeating: "x", count: 6 << 20)
        let limits = HTTPListener.Limits(request: 3600, answer: 3600)
        let server = try server(limits: limits) { text }
        server.start()
        let (silent, slow, stuck) = (
            try connect(server), try connect(server), try connect(server)
        )
        defer { [silent, slow, stuck].forEach { close($0) } }
        WaitingLogin.send("GET /metrics HTTP/1.1\r\n", to: slow)
        WaitingLogin.send(Self.request, to: stuck)
        var byte: UInt8 = 0
        #expect(recv(stuck, &byte, 1, 0) == 1)
        server.stop()
        #expect(isAtEnd(silent) && isAtEnd(slow))
        #expect(WaitingLogin.receive(stuck).utf8.count < text.utf8.count)
        #expect(Self.connection(server.port) == nil)
        let next = try self.server(.loopback(port: server.port))
        next.start()
        #expect(try exchange(next).hasSuffix("text\n"))
        next.stop()
    }

    @Test("a server that never started leaves neither port nor socket")
    func unstarted() throws {
        let port = try server()
        port.stop()
        #expect(Self.connection(port.port) == nil)
        let path = temporary.path + "/socket"
        try server(.socket(path)).stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    // MARK: Addresses

    @Test("a port in use is refused, by either address of localhost, in a sentence")
    func taken() throws {
        let first = try server()
        defer { first.stop() }
        let error = #expect(throws: CommandError.self) {
            try server(.loopback(port: first.port))
        }
        #expect(
            error?.message.hasPrefix(
                "metrics cannot be served at localhost:\(first.port) (another process serves it): "
            ) == true)
        #expect(error?.exitStatus == .mountFailure)
        #expect(throws: CommandError.self) {
            try server(.address("127.0.0.1", port: first.port))
        }
        #expect(throws: CommandError.self) { try server(.address("192.0.2.1", port: first.port)) }
    }

    @Test("an address that is named is the only one")
    func named() throws {
        let server = try server(.address("127.8.9.1", port: 0))
        server.start()
        defer { server.stop() }
        let descriptor = try connect(server, to: "127.8.9.1")
        defer { close(descriptor) }
        WaitingLogin.send(Self.request, to: descriptor)
        #expect(WaitingLogin.receive(descriptor).hasPrefix("HTTP/1.1 200 "))
        #expect(Self.connection(server.port) == nil)
    }

    @Test("a socket is for its user only, at a path of any length, and is removed at the end")
    func privacy() throws {
        let place = temporary.path + "/" + String(repeating: "long ", count: 40)
        try FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: true)
        let socket = LocalSocket(folder: place, name: "metrics.sock")
        let server = try withUmask(0) { try self.server(.socket(socket.path)) }
        server.start()
        var status = stat()
        #expect(lstat(socket.path, &status) == 0 && status.st_mode == S_IFSOCK | 0o600)
        #expect(try exchange(socket).hasSuffix("text\n"))
        server.stop()
        #expect(lstat(socket.path, &status) != 0 && errno == ENOENT)
    }

    @Test("a socket that a dead process left is replaced, one that is served is not")
    func replacement() throws {
        let socket = LocalSocket(folder: temporary.path, name: "socket")
        // Closed without being removed, as by SIGKILL.
        close(try socket.listen())
        let first = try server(.socket(socket.path))
        first.start()
        defer { first.stop() }
        let error = #expect(throws: CommandError.self) { try server(.socket(socket.path)) }
        #expect(error?.message.contains("(another process serves it)") == true)
        #expect(try exchange(socket).hasSuffix("text\n"))
    }

    @Test("no other file is replaced: not one, not a folder, not a link to a socket")
    func otherFiles() throws {
        let file = try temporary.write("precious", to: "file", mode: 0o600)
        let folder = temporary.path + "/folder"
        mkdir(folder, 0o700)
        let dead = LocalSocket(folder: temporary.path, name: "dead")
        close(try dead.listen())
        let link = temporary.path + "/link"
        symlink(dead.path, link)
        let dangling = temporary.path + "/dangling"
        symlink("nothing", dangling)
        for path in [file, folder, link, dangling] {
            let error = #expect(throws: CommandError.self, "\(path)") {
                try server(.socket(path))
            }
            #expect(error?.message.contains("no socket of yours") == true, "\(path)")
        }
        #expect(try readText(file) == "precious")
        var status = stat()
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(throws: CommandError.self) { try server(.socket(folder + "/missing/socket")) }
        #expect(throws: CommandError.self) {
            try server(.socket(folder + "/" + String(repeating: "n", count: 120)))
        }
    }

    @Test("the end removes nothing that has taken the socket's place")
    func successor() throws {
        let path = temporary.path + "/socket"
        let server = try server(.socket(path))
        server.start()
        unlink(path)
        _ = try temporary.write("another's", to: "socket", mode: 0o600)
        server.stop()
        #expect(try readText(path) == "another's")
    }

    @Test("a socket inside the mountpoint is refused, also by a link")
    func inside() throws {
        let mountpoint = temporary.path + "/mnt"
        mkdir(mountpoint, 0o700)
        symlink(mountpoint, temporary.path + "/link")
        for path in [
            mountpoint, mountpoint + "/socket", mountpoint + "/../mnt/socket",
            temporary.path + "/link/socket",
        ] {
            let error = #expect(throws: CommandError.self, "\(path)") {
                try server(.socket(path), mountpoint: mountpoint)
            }
            #expect(error?.message.contains("it is inside the mountpoint") == true, "\(path)")
        }
        #expect(folderNames(in: mountpoint).isEmpty)
        try server(.socket(mountpoint + ".socket"), mountpoint: mountpoint).stop()
    }

    @Test("a socket for metrics among the control sockets is asked for no mount")
    func neighbours() throws {
        let server = try server(.socket(folder.path + "/metrics.sock"))
        server.start()
        defer { server.stop() }
        #expect(folder.sockets().isEmpty)
        close(try folder.socket(for: "/mnt").listen())
        #expect(folder.sockets() == [folder.socket(for: "/mnt")])
    }
}
