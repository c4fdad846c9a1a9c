// How fast bytes go, over the last seconds, and how long the rest takes. Not responsible for the
// totals since the mount began: `TrafficCounter` has them.

import DropboxAPI
import Saturating
import Synchronization

/// The rate of one direction. Pure: time comes from outside, in seconds. It needs no timer, so an
/// idle mount sleeps.
package struct TransferRate: Sendable {
    /// Seconds that count: long enough for the pauses between two requests, short enough for a
    /// change of the link.
    package static let span: Int64 = 10

    /// Bytes by seconds, in a ring.
    private var buckets = [Int64](repeating: 0, count: Int(clamping: span))
    /// The newest second in the ring.
    private var newest: Int64 = 0
    /// When the present activity began.
    private var begin = 0.0

    /// Creates the rate of a link that is idle.
    package init() {}

    /// Counts bytes that were moved at a time.
    package mutating func add(_ bytes: Int64, at seconds: Double) {
        advance(to: seconds)
        if total == 0 { begin = seconds }
        buckets[index(of: newest)] +|= max(bytes, 0)
    }

    /// Bytes per second at a time; nil if nothing has moved for so long that the rate is unknown.
    package func perSecond(at seconds: Double) -> Int64? {
        var now = self
        now.advance(to: seconds)
        let bytes = now.total
        guard bytes > 0 else { return nil }
        let oldest = Double(now.newest -| (Self.span -| 1))
        let elapsed = Double.maximum(seconds - Double.maximum(begin, oldest), 1)
        return Int64(clamping: (Double(bytes) / elapsed).rounded())
    }

    private var total: Int64 { buckets.reduce(0) { $0 +| $1 } }

    private func index(of second: Int64) -> Int {
        Int(clamping: second.remainder(by: Self.span))
    }

    /// Empties the buckets of the seconds until this one.
    private mutating func advance(to seconds: Double) {
        let second = max(newest, Int64(clamping: seconds.rounded(.down)))
        for passed in 0 ..<| min(second -| newest, Self.span) {
            buckets[index(of: second -| passed)] = 0
        }
        newest = second
    }
}

/// The rates of a mount, which observes its client.
package final class TransferRates: DropboxObserver {
    private struct Rates {
        var up = TransferRate()
        var down = TransferRate()
    }

    private let start = ContinuousClock.now
    /// Held for an addition only.
    private let rates = Mutex(Rates())

    /// Creates the rates of a client that has sent nothing.
    package init() {}

    private var seconds: Double { start.duration(to: .now) / .seconds(1) }

    /// Bytes per second that are sent at this moment; nil if unknown.
    package var sending: Int64? {
        let now = seconds
        return rates.withLock { $0.up.perSecond(at: now) }
    }

    /// Bytes per second that are received at this moment; nil if unknown.
    package var receiving: Int64? {
        let now = seconds
        return rates.withLock { $0.down.perSecond(at: now) }
    }

    /// Counts the bytes of a request's body.
    package func sent(bytes: Int, label: String) {
        let now = seconds
        rates.withLock { $0.up.add(Int64(clamping: bytes), at: now) }
    }

    /// Counts the bytes of a response's body.
    package func received(bytes: Int, label: String) {
        let now = seconds
        rates.withLock { $0.down.add(Int64(clamping: bytes), at: now) }
    }
}

/// How long a transfer takes.
package enum TimeLeft {
    /// Seconds for so many bytes at a rate; nil if the rate is unknown or nothing is left.
    package static func seconds(for bytes: Int64, at rate: Int64?) -> Double? {
        guard let rate, rate > 0, bytes > 0 else { return nil }
        return Double(bytes) / Double(rate)
    }
}
