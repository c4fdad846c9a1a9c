// Messages to systemd, or another supervisor, over the socket in NOTIFY_SOCKET; see sd_notify(3).
// None are sent without such a socket.

import Blocking
import Glibc
import LocalIO
import Saturating
import Synchronization

/// The datagram socket of the supervisor.
package struct ServiceNotifier: Sendable {
    /// The address's bytes after its family.
    private let path: [UInt8]

    /// Takes the address from the variables of this process, and removes it, because children would
    /// inherit it; nil without a supervisor. Must run before a second thread does.
    package static func takeFromEnvironment() -> ServiceNotifier? {
        defer { unsetenv("NOTIFY_SOCKET") }
        return ProcessVariables.all["NOTIFY_SOCKET"].flatMap(ServiceNotifier.init)
    }

    /// Parses an absolute path, or `@NAME` for an abstract socket.
    init?(_ address: String) {
        var path = Array(address.utf8)
        switch path.first {
        // Abstract names begin with a null byte, and end where the address does.
        case UInt8(ascii: "@"): path[0] = 0
        case UInt8(ascii: "/"): path.append(0)
        default: return nil
        }
        guard path.count > 1, path.count <= MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        else {
            return nil
        }
        self.path = path
    }

    /// Sends assignments such as `READY=1`. A supervisor that does not take them is ignored.
    @discardableResult
    package func send(_ assignments: [String]) -> Bool {
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let text = Array(assignments.joined(separator: "\n").utf8)
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                sendto(
                    descriptor, text, text.count, Int32(MSG_NOSIGNAL), raw,
                    socklen_t(clamping: offset +| path.count))
            }
        }
        return sent == text.count
    }
}

/// Decides the next message to a supervisor from the earlier ones.
struct ServiceReport {
    /// Seconds of extension that each message of an ending process requests. Several times the
    /// interval, so that a late message does not get the process killed.
    static let extensionSeconds = 30

    private var status: String?
    private var isStopping = false

    /// The assignments to send; none if the status is unchanged.
    mutating func next(status: String, isStopping: Bool) -> [String] {
        var assignments: [String] = []
        if isStopping {
            if !self.isStopping { assignments.append("STOPPING=1") }
            assignments.append("EXTEND_TIMEOUT_USEC=\(Self.extensionSeconds * 1_000_000)")
        }
        if status != self.status { assignments.append("STATUS=" + Self.line(status)) }
        (self.status, self.isStopping) = (status, isStopping)
        return assignments
    }

    /// Replaces line breaks, which would begin another assignment.
    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}

/// Reports one mount's state to a supervisor, from its readiness to its end.
package final class ServiceSupervision: Sendable {
    /// Polling interval in seconds: short enough for a person who watches, without load.
    private static let interval = 5.0

    private let notifier: ServiceNotifier
    private let status: @Sendable () -> String
    private let report = Mutex(ServiceReport())
    private let stopping = Latch()
    private let over = Latch()

    /// `status` is called on a thread that may block.
    package init(_ notifier: ServiceNotifier, status: @escaping @Sendable () -> String) {
        self.notifier = notifier
        self.status = status
    }

    /// Reports readiness, and from now on each change of the status.
    package func ready() {
        notifier.send(["READY=1"])
        WorkerThread.start {
            repeat { self.tell() } while !self.over.wait(seconds: Self.interval)
        }
    }

    /// Reports the end, and extends the supervisor's timeout until `end`; the caller bounds the
    /// wait for the queue.
    package func stop() {
        stopping.set()
        tell()
    }

    /// Ends the reports to the supervisor.
    package func end() {
        over.set()
    }

    private func tell() {
        let status = status()
        report.withLock { report in
            // Serialized, so that the last message sent is the last one decided.
            guard !over.hasHappened else { return }
            let assignments = report.next(status: status, isStopping: stopping.hasHappened)
            if !assignments.isEmpty { notifier.send(assignments) }
        }
    }
}
