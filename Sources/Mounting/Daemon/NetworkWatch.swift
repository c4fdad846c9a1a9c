// Notices that the machine has slept, or has moved to another network. The kernel wakes it by
// events, so it costs an idle mount nothing. Not responsible for the consequences.

import Blocking
import CLinux
import Glibc
import LocalIO
package import Logging
import Saturating
import SystemPackage

/// A thread that waits for changes of the network.
package final class NetworkWatch: Sendable {
    /// Why connections may be dead.
    package enum Change: Hashable, Sendable {
        /// Other addresses or routes.
        case network
        /// The machine has slept for so many seconds.
        case slept(Int64)
    }

    /// Milliseconds for which the events of one change gather: a network comes up in some ten of
    /// them.
    private static let gatheringTime: Int32 = 200
    /// How often events may follow upon one another before they count.
    private static let mostGatherings = 5

    private let network: Int32
    private let clock: Int32
    private let end: DescriptorPipe
    private let log: Logger
    private let report: @Sendable (Change, NetworkState) -> Void

    /// Begins to wait; nil if the kernel offers no such events. `report` is called on the thread.
    package init?(log: Logger, report: @escaping @Sendable (Change, NetworkState) -> Void) {
        guard let end = try? DescriptorPipe() else { return nil }
        self.end = end
        self.log = log
        self.report = report
        network = clinux_watch_network()
        clock = clinux_watch_clock()
        guard network >= 0 || clock >= 0 else {
            close(end.reading.rawValue)
            close(end.writing.rawValue)
            return nil
        }
        WorkerThread.start { self.run() }
    }

    /// Ends the thread, which closes its descriptors.
    package func stop() {
        try? end.writing.close()
    }

    private func run() {
        defer {
            for descriptor in [network, clock] where descriptor >= 0 { close(descriptor) }
            try? end.reading.close()
        }
        var state = NetworkState.current
        var sleep = SleepClock()
        while wait(milliseconds: -1) {
            for _ in 0..<Self.mostGatherings {
                takeEvents()
                guard wait(milliseconds: Self.gatheringTime) else { break }
            }
            if hasEnded { return }
            let now = NetworkState.current
            let slept = sleep.slept()
            defer { state = now }
            if slept > 0 {
                log.notice("the machine has slept", metadata: ["seconds": "\(slept)"])
                report(.slept(slept), now)
            } else if now.differs(from: state) {
                log.notice("the network has changed")
                report(.network, now)
            }
        }
    }

    /// Waits for an event; false if there is none in time, or the watch is to end.
    private func wait(milliseconds: Int32) -> Bool {
        var polled = [end.reading.rawValue, network, clock].map {
            pollfd(fd: $0, events: Int16(clamping: POLLIN), revents: 0)
        }
        while true {
            let count = poll(&polled, nfds_t(clamping: polled.count), milliseconds)
            if count < 0, errno == EINTR { continue }
            return count > 0 && polled[0].revents == 0
        }
    }

    private var hasEnded: Bool {
        var polled = pollfd(fd: end.reading.rawValue, events: Int16(clamping: POLLIN), revents: 0)
        return poll(&polled, 1, 0) > 0
    }

    /// Empties the sources; only that something has changed counts, not what.
    private func takeEvents() {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        if network >= 0 {
            while recv(network, &buffer, buffer.count, 0) > 0 || errno == ENOBUFS {}
        }
        if clock >= 0 {
            var expirations: UInt64 = 0
            // ECANCELED: the clock was set. The timer then is not armed.
            if read(clock, &expirations, 8) == 8 || errno == ECANCELED {
                _ = clinux_rearm_clock(clock)
            }
        }
    }
}
