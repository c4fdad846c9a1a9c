// Takes requests of HTTP/1.1 on one thread with poll(2), so that no client delays another: each has
// so many bytes for its head, so many seconds for that and for taking the answer, and one request
// in a connection. Not responsible for the answers.

import Glibc
import Saturating

/// The connections of one thread.
final class HTTPListener {
    /// How long connections may last, and how many there may be.
    struct Limits: Sendable {
        /// Seconds from the connection to the end of the request's head.
        var request = 10.0
        /// Seconds for sending the answer.
        var answer = 2.0
        /// Connections at a time; the oldest is closed for a new one.
        var connections = 32
    }

    private let sockets: ListeningSockets
    private let limits: Limits
    private var connections: [HTTPConnection] = []

    init(_ sockets: ListeningSockets, limits: Limits = Limits()) {
        self.sockets = sockets
        self.limits = limits
    }

    /// Blocks until an event; returns the connections that want an answer now, each once. It is an
    /// event, too, that `end` has come, that a connection's time is over, or that there is
    /// something to read at `wakeup`.
    func nextRequests(
        until end: ContinuousClock.Instant? = nil, wakeup: Int32? = nil
    ) -> [(HTTPConnection, HTTPConnection.Reception)] {
        for listener in waitForEvents(until: end, wakeup) { acceptAll(listener) }
        let requests = connections.compactMap { connection in
            connection.advance().map { (connection, $0) }
        }
        connections.removeAll(where: \.isOver)
        return requests
    }

    /// Begins to send the answer to a request.
    func answer(_ connection: HTTPConnection, _ response: [UInt8]) {
        connection.answer(response, timeout: limits.answer)
    }

    /// Sends one connection its answer to the end, and closes all others.
    func finish(_ connection: HTTPConnection) {
        connections = [connection]
        let end = ContinuousClock.now.advanced(by: .seconds(clamping: limits.answer))
        while !connection.isOver, ContinuousClock.now < end {
            _ = waitForEvents(until: end, nil)
            _ = connection.advance()
        }
        closeAll()
    }

    /// Closes the connections, but not the sockets that listen.
    func closeAll() {
        connections = []
    }

    /// Polls until an event or a deadline; returns the listeners with new connections.
    private func waitForEvents(
        until end: ContinuousClock.Instant?, _ wakeup: Int32?
    ) -> [Int32] {
        let due = (connections.map(\.deadline) + (end.map { [$0] } ?? [])).min()
        let milliseconds = due.map { due in
            let seconds = max(ContinuousClock.now.duration(to: due) / .seconds(1), 0)
            // One millisecond more, because rounding down would wake it just before the deadline.
            return Int32(clamping: min(seconds, 60) * 1e3) +| 1
        }
        let listeners = sockets.descriptors
        var events = listeners.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        for connection in connections {
            events.append(
                pollfd(fd: connection.descriptor, events: connection.events, revents: 0))
        }
        if let wakeup { events.append(pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0)) }
        let count = poll(&events, nfds_t(clamping: events.count), milliseconds ?? -1)
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
            connections.append(HTTPConnection(descriptor: descriptor, timeout: limits.request))
        }
    }
}
