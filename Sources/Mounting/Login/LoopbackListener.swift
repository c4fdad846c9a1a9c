// Redirects the browser of a login to Dropbox and waits for its return, on 127.0.0.1 and ::1. One
// thread with poll(2), so that no client can delay the browser. `LoopbackRequest` interprets
// requests.

import Glibc
import Saturating

/// The HTTP listener for a login's browser.
package final class LoopbackListener {
    /// Dropbox redirects only to addresses in the app's settings, including the port: hence a few
    /// fixed ones instead of any free one.
    package static let ports: [UInt16] = [53682, 53683, 53684]

    /// Time and number limits of connections.
    struct Limits {
        /// Seconds from the connection to the end of the request.
        var request = 10.0
        /// Seconds for sending the page.
        var answer = 2.0
        /// Connections at a time; the oldest is closed for a new one.
        var connections = 32
    }

    /// The port that it listens on.
    package let port: UInt16
    private let listeners: [Int32]
    private let limits: Limits
    private var connections: [LoopbackConnection] = []

    /// The redirect URI for a port.
    package static func redirect(_ port: UInt16) -> String { "http://localhost:\(port)/" }

    /// The redirect URI of this listener.
    package var redirect: String { Self.redirect(port) }

    /// The address at which a browser enters a login.
    package func address(of entrance: LoopbackLogin.Entrance) -> String {
        "\(redirect)\(entrance.nonce)"
    }

    /// Listens on the first free port; nil if none is free.
    package convenience init?(ports: [UInt16] = LoopbackListener.ports) {
        self.init(ports: ports, limits: Limits())
    }

    init?(ports: [UInt16], limits: Limits) {
        for port in ports {
            guard let (listeners, bound) = Self.listen(on: port) else { continue }
            self.listeners = listeners
            self.port = bound
            self.limits = limits
            return
        }
        return nil
    }

    deinit {
        for listener in listeners { close(listener) }
    }

    /// Listens on both addresses of `localhost`: another process could listen on the one that is
    /// left out.
    private static func listen(on port: UInt16) -> ([Int32], UInt16)? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let listener = socket(AF_INET, socketType, 0)
        guard listener >= 0, bind(listener, to: &address), let bound = Self.port(of: listener)
        else {
            if listener >= 0 { close(listener) }
            return nil
        }
        // A machine without IPv6 has no second address.
        let second = socket(AF_INET6, socketType, 0)
        guard second >= 0 else { return ([listener], bound) }
        var address6 = sockaddr_in6()
        address6.sin6_family = sa_family_t(AF_INET6)
        address6.sin6_port = bound.bigEndian
        address6.sin6_addr = in6addr_loopback
        if bind(second, to: &address6) { return ([listener, second], bound) }
        let isMissing = errno == EADDRNOTAVAIL
        close(second)
        if isMissing { return ([listener], bound) }
        close(listener)
        return nil
    }

    private static var socketType: Int32 {
        Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    }

    private static func bind<Address>(_ listener: Int32, to address: inout Address) -> Bool {
        // Connections of an earlier login may be in TIME_WAIT.
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        return withUnsafeBytes(of: &address) { bytes in
            guard let raw = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
                return false
            }
            return Glibc.bind(listener, raw, socklen_t(clamping: bytes.count)) == 0
                && Glibc.listen(listener, 64) == 0
        }
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

    // MARK: Waiting

    /// Blocks until the browser brings the answer to a login; nil at the timeout. `onStranger` is
    /// called when a program of another user of this machine connects.
    package func wait(
        _ login: LoopbackLogin, seconds: Double, onStranger: () -> Void = {}
    ) -> RedirectAnswer? {
        var request = LoopbackRequest(login: login, port: port)
        let end = ContinuousClock.now.advanced(by: .seconds(clamping: seconds))
        defer { connections = [] }
        while ContinuousClock.now < end {
            for listener in waitForEvents(until: end) { acceptAll(listener) }
            for connection in connections {
                guard let head = connection.advance() else { continue }
                let outcome = request.outcome(of: head) {
                    let isOwn = LoopbackPeer.isOwn(connection.descriptor)
                    if !isOwn { onStranger() }
                    return isOwn
                }
                connection.answer(outcome, port: port, patience: limits.answer)
                if case .answer(let answer) = outcome {
                    finish(connection)
                    return answer
                }
            }
            connections.removeAll(where: \.isOver)
        }
        return nil
    }

    /// Sends the browser its page, and closes all other connections.
    private func finish(_ connection: LoopbackConnection) {
        connections = [connection]
        let end = ContinuousClock.now.advanced(by: .seconds(clamping: limits.answer))
        while !connection.isOver, ContinuousClock.now < end {
            _ = waitForEvents(until: end)
            _ = connection.advance()
        }
    }

    /// Polls until an event or a deadline; returns the listeners with new connections.
    private func waitForEvents(until end: ContinuousClock.Instant) -> [Int32] {
        let due = connections.map(\.deadline).min().map { min($0, end) } ?? end
        let seconds = max(ContinuousClock.now.duration(to: due) / .seconds(1), 0)
        // One millisecond more, because rounding down would wake it just before the deadline.
        let milliseconds = Int32(clamping: min(seconds, 60) * 1e3) +| 1
        var events = listeners.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        for connection in connections {
            events.append(
                pollfd(fd: connection.descriptor, events: connection.events, revents: 0))
        }
        let count = poll(&events, nfds_t(clamping: events.count), milliseconds)
        guard count > 0 else { return [] }
        return events.prefix(listeners.count).filter { $0.revents != 0 }.map(\.fd)
    }

    private func acceptAll(_ listener: Int32) {
        // Bounded, so that a flood of connections leaves time for those that exist.
        for _ in 0..<limits.connections {
            let descriptor = accept(listener, nil, nil)
            if descriptor < 0 {
                // No descriptors left: the oldest connection is closed.
                if errno == EMFILE || errno == ENFILE {
                    if connections.isEmpty { usleep(50_000) } else { connections.removeFirst() }
                }
                return
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            if connections.count >= limits.connections { connections.removeFirst() }
            connections.append(
                LoopbackConnection(descriptor: descriptor, patience: limits.request))
        }
    }
}

/// One connection: its request is read, then a page is written, then the peer closes.
private final class LoopbackConnection {
    private enum Phase {
        case reading
        case writing
        /// The page is sent. Closing while the peer still sends would reset the connection and lose
        /// the page.
        case lingering
        case over
    }

    let descriptor: Int32
    private(set) var deadline: ContinuousClock.Instant
    private var phase = Phase.reading
    private var received: [UInt8] = []
    private var page: ArraySlice<UInt8> = []
    private let patience: Double

    init(descriptor: Int32, patience: Double) {
        self.descriptor = descriptor
        self.patience = patience
        deadline = ContinuousClock.now.advanced(by: .seconds(clamping: patience))
    }

    deinit {
        close(descriptor)
    }

    var isOver: Bool { phase == .over }

    var events: Int16 { Int16(clamping: phase == .writing ? POLLOUT : POLLIN) }

    /// Reads or writes without blocking; returns the request once it is complete.
    func advance() -> [UInt8]? {
        if deadline <= .now {
            guard phase == .reading, !received.isEmpty else {
                phase = .over
                return nil
            }
            answer(.rejected(408), port: 0, patience: patience)
        }
        switch phase {
        case .reading: return read()
        case .writing: write()
        case .lingering: discard()
        case .over: break
        }
        return nil
    }

    private func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else {
                if !isWorthWaiting(count) { phase = .over }
                return nil
            }
            received.append(contentsOf: buffer[..<count])
            if let end = headEnd {
                guard end <= LoopbackRequest.limit else { break }
                return Array(received[..<end])
            }
            if received.count > LoopbackRequest.limit { break }
        }
        answer(.rejected(431), port: 0, patience: patience)
        return nil
    }

    /// The index of the empty line.
    private var headEnd: Int? {
        let mark: [UInt8] = [13, 10, 13, 10]
        guard received.count >= mark.count else { return nil }
        return (0 ..<| received.count -| mark.count +| 1).first { start in
            received[start] == 13 && received[start...].starts(with: mark)
        }
    }

    /// Sends the page for the outcome of the request.
    func answer(_ outcome: LoopbackRequest.Outcome, port: UInt16, patience: Double) {
        received = []
        page = LoopbackPage(outcome, port: port).bytes[...]
        phase = .writing
        deadline = ContinuousClock.now.advanced(by: .seconds(clamping: patience))
        write()
    }

    private func write() {
        while !page.isEmpty {
            let count = page.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                if !isWorthWaiting(count) { phase = .over }
                return
            }
            page = page.dropFirst(count)
        }
        shutdown(descriptor, Int32(SHUT_WR))
        phase = .lingering
    }

    private func discard() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        // Bounded, because a client may send without end.
        for _ in 0..<16 {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else {
                if !isWorthWaiting(count) { phase = .over }
                return
            }
        }
    }

    private func isWorthWaiting(_ count: Int) -> Bool {
        count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
    }
}
