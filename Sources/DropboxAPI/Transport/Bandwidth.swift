// A token bucket, shared by many transfers. Pure: time comes from outside.

import Saturating

/// Limits bytes to a rate, with bursts of up to a quarter of a second.
package struct BandwidthLimit: Sendable {
    /// Bytes per second; nil for no limit.
    package var rate: UInt64? {
        didSet {
            rate = rate.map { max($0, 1) }
            allowance = min(allowance, burst)
        }
    }
    /// Bytes in the bucket; negative after a piece larger than the remainder.
    private var allowance: Double = 0
    private var updated: ContinuousClock.Instant?

    package init(rate: UInt64?) {
        self.rate = rate.map { max($0, 1) }
        allowance = burst
    }

    private var burst: Double { Double(rate ?? 0) / 4 }

    /// Bytes that may pass at `now`; nil for no limit.
    package mutating func available(at now: ContinuousClock.Instant) -> Int? {
        guard let rate else { return nil }
        if let updated {
            let elapsed = updated.duration(to: now) / Duration.seconds(1)
            allowance = Double.minimum(allowance + elapsed * Double(rate), burst)
        }
        updated = now
        return max(0, Int(clamping: allowance))
    }

    /// Takes transferred bytes out of the bucket.
    package mutating func consume(_ count: Int) {
        guard rate != nil else { return }
        allowance -= Double(count)
    }

    /// How long until bytes may pass again, as of the last call of `available`.
    ///
    /// It waits for a tenth of the burst, so that transfers do not wake for single bytes.
    package var pause: Duration {
        guard let rate else { return .zero }
        let missing = burst / 10.0 + 1.0 - allowance
        return .seconds(clamping: max(0, missing / Double(rate)))
    }
}
