// Time, from outside: tests drive it by hand.

public import Core
import Glibc

/// A clock that can be waited on.
public protocol SyncClock: Sendable {
    /// The time by which things are due. It never jumps, whoever sets the machine's date; between two runs of
    /// the process it is not comparable.
    func now() -> Timestamp
    /// The date and time of day, for what people and servers are told.
    func date() -> Timestamp
    /// Waits until a time of `now`, or until the task is cancelled.
    func sleep(until time: Timestamp) async throws(CancellationError)
}

extension SyncClock {
    /// For clocks that nobody sets.
    public func date() -> Timestamp { now() }
}

/// The machine's clock.
public struct SystemClock: SyncClock {
    /// The date and the time since boot when this process first asked: from then on, only the second counts.
    private static let start = (date: Timestamp.now(), uptime: uptime())

    /// Makes one.
    public init() {}

    /// The time since boot, sleep included, as a time that resembles the date.
    public func now() -> Timestamp {
        Self.start.date.adding(nanoseconds: Self.uptime() &- Self.start.uptime)
    }

    /// The machine's date.
    public func date() -> Timestamp { .now() }

    /// Waits on the machine's clock.
    public func sleep(until time: Timestamp) async throws(CancellationError) {
        let rest = time.nanoseconds.subtractingReportingOverflow(now().nanoseconds)
        do {
            try await Task.sleep(nanoseconds: rest.overflow ? 0 : UInt64(max(0, rest.partialValue)))
        } catch {
            throw CancellationError()
        }
    }

    /// Nanoseconds since the machine has booted.
    private static func uptime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
