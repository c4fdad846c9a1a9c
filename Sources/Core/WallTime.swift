// Wall-clock time of filesystems, with the whole range of `timespec`. Total: no time from a user, a
// server or a row overflows.

import Saturating

#if canImport(Glibc)
    import Glibc
#endif

/// A point in time in nanoseconds since 1970-01-01 UTC, with the range of the kernel's `timespec`.
package struct WallTime: Hashable, Sendable, Comparable {
    /// Whole seconds since the epoch, rounded down; negative before 1970.
    package let seconds: Int64

    /// Nanoseconds after `seconds`, 0 to 999,999,999.
    package let nanosecondsWithinSecond: Int32

    private static let nanosecondsPerSecond: Int64 = 1_000_000_000

    /// Takes nanoseconds since the epoch.
    package init(nanoseconds: Int64) {
        self.init(seconds: 0, nanoseconds: nanoseconds)
    }

    /// Takes the sum of seconds and nanoseconds of any size and sign, clamped to the range of
    /// times.
    package init(seconds: Int64, nanoseconds: Int64 = 0) {
        var carried = nanoseconds / Self.nanosecondsPerSecond
        var rest = nanoseconds % Self.nanosecondsPerSecond
        if rest < 0 {
            carried -|= 1
            rest +|= Self.nanosecondsPerSecond
        }
        let (sum, overflow) = seconds.addingReportingOverflow(carried)
        self.seconds = overflow ? (carried < 0 ? .min : .max) : sum
        nanosecondsWithinSecond = Int32(
            clamping: overflow ? (carried < 0 ? 0 : 999_999_999) : rest)
    }

    /// The earliest representable time.
    package static let distantPast = WallTime(seconds: .min)

    /// The latest representable time.
    package static let distantFuture = WallTime(seconds: .max, nanoseconds: 999_999_999)

    /// Nanoseconds since the epoch, clamped to the years 1677 to 2262 that fit in 64 bits: for
    /// times of this process, such as when a retry is due.
    package var nanoseconds: Int64 {
        exactNanoseconds ?? (seconds < 0 ? .min : .max)
    }

    /// Nanoseconds since the epoch; nil if they do not fit in 64 bits.
    package var exactNanoseconds: Int64? {
        // Rounded towards zero, so that the product does not overflow if the result fits.
        let isBefore = seconds < 0 && nanosecondsWithinSecond > 0
        let whole = isBefore ? seconds +| 1 : seconds
        let rest =
            Int64(clamping: nanosecondsWithinSecond) -| (isBefore ? Self.nanosecondsPerSecond : 0)
        let (scaled, overflow) = whole.multipliedReportingOverflow(by: Self.nanosecondsPerSecond)
        let (sum, carried) = scaled.addingReportingOverflow(rest)
        return overflow || carried ? nil : sum
    }

    /// The time `added` seconds later, or earlier if negative, clamped to the range of times. NaN
    /// adds nothing.
    package func adding(seconds added: Double) -> WallTime {
        guard !added.isNaN else { return self }
        let whole = added.rounded(.down)
        guard let whole = Int64(exactly: whole) else {
            return added < 0 ? .distantPast : .distantFuture
        }
        let (sum, overflow) = seconds.addingReportingOverflow(whole)
        if overflow { return added < 0 ? .distantPast : .distantFuture }
        let rest = Int64(clamping: (added - Double(whole)) * 1e9)
        return WallTime(
            seconds: sum, nanoseconds: Int64(clamping: nanosecondsWithinSecond) +| rest)
    }

    /// The time `added` nanoseconds later, or earlier if negative, clamped to the range of times.
    package func adding(nanoseconds added: Int64) -> WallTime {
        let carried = added / Self.nanosecondsPerSecond
        let (sum, overflow) = seconds.addingReportingOverflow(carried)
        if overflow { return added < 0 ? .distantPast : .distantFuture }
        return WallTime(
            seconds: sum,
            nanoseconds: Int64(clamping: nanosecondsWithinSecond)
                +| added % Self.nanosecondsPerSecond)
    }

    /// Seconds from another time to this one; negative if that is later.
    package func seconds(since other: WallTime) -> Double {
        let (whole, overflow) = seconds.subtractingReportingOverflow(other.seconds)
        let distance = overflow ? Double(seconds) - Double(other.seconds) : Double(whole)
        return distance + Double(nanosecondsWithinSecond -| other.nanosecondsWithinSecond) / 1e9
    }

    /// The time as Dropbox stores it: without a fraction of a second, in the years 1 to 9999, which
    /// fit its format.
    package var storable: WallTime {
        WallTime(seconds: min(max(seconds, -62_135_596_800), 253_402_300_799))
    }

    /// The current time of the system's clock.
    package static func now() -> WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(
            seconds: Int64(clamping: time.tv_sec), nanoseconds: Int64(clamping: time.tv_nsec))
    }

    /// Compares in chronological order.
    package static func < (left: WallTime, right: WallTime) -> Bool {
        left.seconds == right.seconds
            ? left.nanosecondsWithinSecond < right.nanosecondsWithinSecond
            : left.seconds < right.seconds
    }
}
