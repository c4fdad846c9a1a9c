// Waits on this machine for the browser of a login to come back. It serves one page, to the browser
// that brings the login's state.

import CLibrary
import Foundation
import Saturating

/// A listener on 127.0.0.1 for the answer of a login.
final class LoopbackAnswer: Sendable {
    /// Bytes of a request's head, at most.
    private static let longestHead = 16 << 10
    /// Milliseconds for a request's head to come.
    private static let headTimeout: Int32 = 5_000

    private let listener: Int32
    private let port: UInt16

    /// The address to which the page leads back.
    var redirect: String { "http://localhost:\(port)/" }

    /// Listens on the first port that is free; nil if none is.
    init?(ports: [UInt16]) {
        for port in ports {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            guard listener >= 0 else { continue }
            _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            var isOn: Int32 = 1
            setsockopt(
                listener, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                    bind(listener, raw, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isBound, listen(listener, 16) == 0 else {
                close(listener)
                continue
            }
            self.listener = listener
            self.port = Self.port(of: listener) ?? port
            return
        }
        return nil
    }

    deinit {
        close(listener)
    }

    private static func port(of listener: Int32) -> UInt16? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(listener, $0, &size)
            }
        }
        return status == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// Blocks until a browser brings the answer; nil after so many seconds.
    func wait(seconds: Double, state: String) -> URL? {
        let end = ContinuousClock.now.advanced(by: .seconds(clamping: seconds))
        while true {
            let rest = ContinuousClock.now.duration(to: end)
            guard rest > .zero else { return nil }
            let milliseconds = Int32(
                clamping: rest.components.seconds.multipliedReportingOverflow(by: 1_000)
                    .partialValue)
            guard Self.isReadable(listener, milliseconds: max(1, milliseconds)) else { continue }
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            defer { close(connection) }
            if let url = answer(connection, state: state) { return url }
        }
    }

    private static func isReadable(_ descriptor: Int32, milliseconds: Int32) -> Bool {
        var place = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&place, 1, milliseconds) > 0
    }

    /// Reads a request and answers it; the address if it is the login's.
    private func answer(_ connection: Int32, state: String) -> URL? {
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !head.contains(UInt8(ascii: "\n")) {
            guard head.count < Self.longestHead,
                Self.isReadable(connection, milliseconds: Self.headTimeout)
            else { return nil }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            head.append(contentsOf: buffer.prefix(count))
        }
        let line = String(decoding: head.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let words = line.split(separator: " ")
        guard words.count >= 2, words[0] == "GET", words[1].hasPrefix("/?"),
            let url = URL(string: "http://localhost:\(port)\(words[1])"),
            URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?
                .contains(where: { $0.name == "state" && $0.value == state }) == true
        else {
            Self.send("404 Not Found", "This is not the login that is waited for.", to: connection)
            return nil
        }
        Self.send("200 OK", "You can close this window.", to: connection)
        return url
    }

    private static func send(_ status: String, _ text: String, to connection: Int32) {
        let answer = """
            HTTP/1.1 \(status)\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(text.utf8.count)\r
            Referrer-Policy: no-referrer\r
            Connection: close\r
            \r
            \(text)
            """
        let bytes = Array(answer.utf8)
        _ = CLibrary.send(connection, bytes, bytes.count, Int32(clamping: MSG_NOSIGNAL))
    }
}
