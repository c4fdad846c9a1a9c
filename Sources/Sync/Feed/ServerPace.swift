// Backoff for a server that answers at once without progress. Pure.

import Core
import RemoteStore
import Saturating

/// Counts responses without progress, and returns the delay before the next request: none after the
/// first ones, which are normal, and doubled after each further one.
struct ServerPace {
    /// Normal number of responses without progress.
    private static let usual = 3
    /// Seconds after the first one beyond that.
    private static let first = 0.125

    private(set) var count = 0

    mutating func note() {
        count = min(count +| 1, 1000)
    }

    /// Resets the count after progress.
    mutating func forget() {
        count = 0
    }

    /// Decrements the count after a good response: a server that is wrong every other time is not
    /// trusted at once.
    mutating func recover() {
        count = max(0, count -| 1)
    }

    /// The delay in seconds.
    func pause(atMost limit: Double) -> Double {
        guard count > Self.usual else { return 0 }
        let doublings = min(count -| Self.usual -| 1, 20)
        return min(limit, Double(sign: .plus, exponent: doublings, significand: Self.first))
    }
}
