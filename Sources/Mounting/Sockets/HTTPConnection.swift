// One connection of `HTTPListener`: the head of its one request is read, the answer is written,
// then the peer closes.

import Glibc
import Saturating

/// A connection with one request.
final class HTTPConnection {
    /// Maximum bytes of a request's head. Addresses with codes of a login have a few hundred, and
    /// browsers add one or two thousand.
    static let limit = 16384

    /// The event for which a connection wants an answer.
    enum Reception: Hashable {
        /// The head of the request, without the empty line at its end.
        case head([UInt8])
        /// The head is longer than the limit.
        case tooLong
        /// The time was over before the head was complete.
        case late

        /// The status of the answer if it is no head.
        var refusal: Int? {
            switch self {
            case .head: nil
            case .tooLong: 431
            case .late: 408
            }
        }
    }

    private enum Phase {
        case reading
        /// A request was passed on, and its answer is not there yet.
        case answering
        case writing
        /// The answer is sent. Closing while the peer still sends would reset the connection and
        /// lose the answer.
        case lingering
        case over
    }

    let descriptor: Int32
    private(set) var deadline: ContinuousClock.Instant
    private var phase = Phase.reading
    private var received: [UInt8] = []
    /// Bytes in which no end of the head is.
    private var searched = 0
    private var response: ArraySlice<UInt8> = []

    init(descriptor: Int32, timeout: Double) {
        self.descriptor = descriptor
        deadline = ContinuousClock.now.advanced(by: .seconds(clamping: timeout))
    }

    deinit {
        close(descriptor)
    }

    var isOver: Bool { phase == .over }

    var events: Int16 { Int16(clamping: phase == .writing ? POLLOUT : POLLIN) }

    /// Reads or writes without blocking; returns what wants an answer.
    func advance() -> Reception? {
        if deadline <= .now {
            guard phase == .reading, !received.isEmpty else {
                phase = .over
                return nil
            }
            return passOn(.late)
        }
        switch phase {
        case .reading: return read()
        case .writing: write()
        case .lingering: discard()
        case .answering, .over: break
        }
        return nil
    }

    /// Begins to send an answer, for which the peer has so many seconds.
    func answer(_ bytes: [UInt8], timeout: Double) {
        response = bytes[...]
        phase = .writing
        deadline = ContinuousClock.now.advanced(by: .seconds(clamping: timeout))
        write()
    }

    private func passOn(_ reception: Reception) -> Reception {
        received = []
        phase = .answering
        return reception
    }

    private func read() -> Reception? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else {
                if !isWorthWaiting(count) { phase = .over }
                return nil
            }
            received.append(contentsOf: buffer[..<count])
            if let end = headEnd {
                return passOn(end <= Self.limit ? .head(Array(received[..<end])) : .tooLong)
            }
            if received.count > Self.limit { return passOn(.tooLong) }
        }
    }

    /// The index of the empty line. Each byte is examined once, also if the peer sends them one by
    /// one.
    private var headEnd: Int? {
        let mark: [UInt8] = [13, 10, 13, 10]
        guard received.count >= mark.count else { return nil }
        let last = received.count -| mark.count
        for start in searched ..<| last +| 1
        where received[start] == 13 && received[start...].starts(with: mark) {
            return start
        }
        searched = last +| 1
        return nil
    }

    private func write() {
        while !response.isEmpty {
            let count = response.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                if !isWorthWaiting(count) { phase = .over }
                return
            }
            response = response.dropFirst(count)
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
