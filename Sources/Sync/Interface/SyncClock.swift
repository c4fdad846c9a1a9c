// An injected clock, which tests control.

package import Core
import Glibc
import Saturating

/// A clock that tasks can sleep on.
package protocol SyncClock: Sendable {
    /// The time of due entries. It never jumps, even if the machine's date is set; it is not
    /// comparable between two runs of the process.
    func now() -> WallTime
    /// The date and time of day, for people and servers.
    func date() -> WallTime
    /// Waits until a time of `now`, or until the task is cancelled.
    func sleep(until time: WallTime) async throws(CancellationError)
}

extension SyncClock {
    /// For clocks whose date is never set.
    package func date() -> WallTime { now() }
}

/// The clock of the machine.
package struct SystemClock: SyncClock {
    /// Date and uptime at the first use: from then on, only the uptime counts.
    private static let start = (date: WallTime.now(), uptime: machineUptime())

    private let start: (date: WallTime, uptime: Int64)
    private let readDate: @Sendable () -> WallTime
    private let readUptime: @Sendable () -> Int64

    /// Creates the system clock.
    package init() {
        start = Self.start
        readDate = { .now() }
        readUptime = { Self.machineUptime() }
    }

    /// Creates a clock of another machine.
    init(date: @escaping @Sendable () -> WallTime, uptime: @escaping @Sendable () -> Int64) {
        start = (date(), uptime())
        readDate = date
        readUptime = uptime
    }

    /// The uptime, including suspend, as a time that resembles the date.
    package func now() -> WallTime {
        start.date.adding(nanoseconds: readUptime() -| start.uptime)
    }

    /// The machine's current date.
    package func date() -> WallTime { readDate() }

    /// Sleeps on the machine's clock.
    package func sleep(until time: WallTime) async throws(CancellationError) {
        let rest = time.nanoseconds.subtractingReportingOverflow(now().nanoseconds)
        do {
            try await Task.sleep(
                nanoseconds: rest.overflow ? 0 : UInt64(clamping: rest.partialValue))
        } catch {
            throw CancellationError()
        }
    }

    /// Nanoseconds since the machine has booted.
    private static func machineUptime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(clamping: time.tv_sec) *| 1_000_000_000 +| Int64(clamping: time.tv_nsec)
    }
}
