// How fast a server is asked again that always answers at once and says nothing. Pure.

import Core
import RemoteStore
import Synchronization

/// Counts answers that brought nothing, and says how long to wait before the next question: not at all after the
/// first ones, which happen, and twice as long after each one more.
struct ServerPace {
    /// Answers that bring nothing now and then.
    private static let usual = 3
    /// Seconds after the first one more.
    private static let first = 0.125

    private(set) var count = 0

    mutating func note() {
        count = min(count +| 1, 1000)
    }

    /// An answer brought something.
    mutating func forget() {
        count = 0
    }

    /// An answer was as it should be; a server that is wrong every other time is not trusted at once.
    mutating func recover() {
        count = max(0, count -| 1)
    }

    /// Seconds to wait.
    func pause(atMost limit: Double) -> Double {
        guard count > Self.usual else { return 0 }
        let doublings = min(count -| Self.usual -| 1, 20)
        return min(limit, Double(sign: .plus, exponent: doublings, significand: Self.first))
    }
}

/// Whether an answer could not be recorded because it contradicts what is known: then all is listed again.
final class NotedContradiction: Sendable {
    /// Lock: a leaf.
    private let isNoted = Mutex(false)

    func note() {
        isNoted.withLock { $0 = true }
    }

    /// Whether there was one since the last question.
    func take() -> Bool {
        isNoted.withLock { isNoted in
            defer { isNoted = false }
            return isNoted
        }
    }
}
