// Wall-clock time as filesystems keep it: every `timespec` there can be. Total: no time that a user, a server
// or a row gives overflows anything here.

#if canImport(Glibc)
    import Glibc
#endif

/// A point in time in nanoseconds since 1970-01-01 UTC, with the range of the kernel's `timespec`.
public struct Timestamp: Hashable, Sendable, Comparable {
    /// Whole seconds since the epoch, rounded down; before 1970 negative.
    public let seconds: Int64

    /// Nanoseconds after `seconds`, 0 to 999,999,999.
    public let nanosecondsWithinSecond: Int32

    private static let nanosecondsPerSecond: Int64 = 1_000_000_000

    /// Takes nanoseconds since the epoch.
    public init(nanoseconds: Int64) {
        self.init(seconds: 0, nanoseconds: nanoseconds)
    }

    /// Takes seconds and nanoseconds of any size and sign, which are added: the first or the last time there
    /// is, where the sum is out of range.
    public init(seconds: Int64, nanoseconds: Int64 = 0) {
        var carried = nanoseconds / Self.nanosecondsPerSecond
        var rest = nanoseconds % Self.nanosecondsPerSecond
        if rest < 0 {
            carried -= 1
            rest += Self.nanosecondsPerSecond
        }
        let (sum, overflow) = seconds.addingReportingOverflow(carried)
        self.seconds = overflow ? (carried < 0 ? .min : .max) : sum
        nanosecondsWithinSecond = Int32(overflow ? (carried < 0 ? 0 : 999_999_999) : rest)
    }

    /// The first time there is.
    public static let distantPast = Timestamp(seconds: .min)

    /// The last time there is.
    public static let distantFuture = Timestamp(seconds: .max, nanoseconds: 999_999_999)

    /// Nanoseconds since the epoch, clamped to the years 1677 to 2262 that 64 bits can hold: for points in time
    /// of this process, such as when something is due.
    public var nanoseconds: Int64 {
        exactNanoseconds ?? (seconds < 0 ? .min : .max)
    }

    /// Nanoseconds since the epoch; nil where 64 bits cannot hold them.
    public var exactNanoseconds: Int64? {
        // The seconds are rounded towards zero, so that a product that fits is not taken for one that does not.
        let isBefore = seconds < 0 && nanosecondsWithinSecond > 0
        let whole = isBefore ? seconds + 1 : seconds
        let rest = Int64(nanosecondsWithinSecond) - (isBefore ? Self.nanosecondsPerSecond : 0)
        let (scaled, overflow) = whole.multipliedReportingOverflow(by: Self.nanosecondsPerSecond)
        let (sum, carried) = scaled.addingReportingOverflow(rest)
        return overflow || carried ? nil : sum
    }

    /// A time so many seconds later, or earlier; the last or first one there is, if that is out of range. What
    /// is no number adds nothing.
    public func adding(seconds added: Double) -> Timestamp {
        guard !added.isNaN else { return self }
        let whole = added.rounded(.down)
        guard let whole = Int64(exactly: whole) else {
            return added < 0 ? .distantPast : .distantFuture
        }
        let (sum, overflow) = seconds.addingReportingOverflow(whole)
        if overflow { return added < 0 ? .distantPast : .distantFuture }
        // Below one, so that the product is below 1e9.
        let rest = Int64((added - added.rounded(.down)) * 1e9)
        return Timestamp(
            seconds: sum, nanoseconds: Int64(nanosecondsWithinSecond) &+ rest)
    }

    /// A time so many nanoseconds later, or earlier; the last or first one there is, if that is out of range.
    public func adding(nanoseconds added: Int64) -> Timestamp {
        let carried = added / Self.nanosecondsPerSecond
        let (sum, overflow) = seconds.addingReportingOverflow(carried)
        if overflow { return added < 0 ? .distantPast : .distantFuture }
        return Timestamp(
            seconds: sum,
            nanoseconds: Int64(nanosecondsWithinSecond) &+ added % Self.nanosecondsPerSecond)
    }

    /// Seconds from another time to this one; negative, if that is later.
    public func seconds(since other: Timestamp) -> Double {
        let (whole, overflow) = seconds.subtractingReportingOverflow(other.seconds)
        let rest = Double(nanosecondsWithinSecond &- other.nanosecondsWithinSecond) / 1e9
        return (overflow ? Double(seconds) - Double(other.seconds) : Double(whole)) + rest
    }

    /// The same time as Dropbox stores it: without a fraction of a second, in the years 1 to 9999, for which
    /// its format has room.
    public var storable: Timestamp {
        Timestamp(seconds: min(max(seconds, -62_135_596_800), 253_402_300_799))
    }

    /// The system's clock now.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// Earlier is less.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.seconds == right.seconds
            ? left.nanosecondsWithinSecond < right.nanosecondsWithinSecond
            : left.seconds < right.seconds
    }
}
