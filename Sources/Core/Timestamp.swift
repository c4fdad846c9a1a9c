// Wall-clock time as filesystems keep it.

#if canImport(Glibc)
    import Glibc
#endif

/// A point in time in nanoseconds since 1970-01-01 UTC.
public struct Timestamp: Hashable, Sendable, Comparable {
    /// Nanoseconds since the epoch; before 1970 negative.
    public let nanoseconds: Int64

    /// Takes nanoseconds since the epoch.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Takes whole seconds and the nanoseconds within; out-of-range seconds are clamped to the
    /// years 1677 to 2262 that 64 bits of nanoseconds can hold.
    public init(seconds: Int64, nanoseconds: Int64 = 0) {
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow {
            self.nanoseconds = seconds < 0 ? .min : .max
        } else {
            let (sum, carried) = scaled.addingReportingOverflow(nanoseconds)
            self.nanoseconds = carried ? .max : sum
        }
    }

    /// A time so many seconds later, or earlier; the last or first one there is, if that is out of range. What
    /// is no number adds nothing.
    public func adding(seconds: Double) -> Timestamp {
        guard !seconds.isNaN else { return self }
        guard let added = Int64(exactly: (seconds * 1e9).rounded(.towardZero)) else {
            return Timestamp(nanoseconds: seconds < 0 ? .min : .max)
        }
        let (sum, overflow) = nanoseconds.addingReportingOverflow(added)
        guard overflow else { return Timestamp(nanoseconds: sum) }
        return Timestamp(nanoseconds: seconds < 0 ? .min : .max)
    }

    /// Whole seconds since the epoch, rounded down.
    public var seconds: Int64 {
        let quotient = nanoseconds / 1_000_000_000
        return nanoseconds % 1_000_000_000 < 0 ? quotient - 1 : quotient
    }

    /// Nanoseconds after `seconds`, 0 to 999,999,999.
    public var nanosecondsWithinSecond: Int64 {
        nanoseconds - seconds * 1_000_000_000
    }

    /// The same time without its fraction of a second, which is what Dropbox stores.
    public var wholeSeconds: Timestamp {
        Timestamp(seconds: seconds)
    }

    /// The system's clock now.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// Earlier is less.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
