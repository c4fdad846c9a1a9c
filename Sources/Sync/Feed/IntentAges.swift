// How long upload intents have been without a response, on the monotonic clock: if the machine's
// date counted, a clock that is set forward would end the intent of a commit that a server still
// works on.

import Core
import MetadataStore
import Synchronization

/// Measures the time between two counts of the intents.
final class IntentAges: Sendable {
    /// Seconds for which a server works on a commit at most.
    private static let longestCommit = 900.0

    /// When they were counted last; nil before the first time in this process. Lock: a leaf.
    private let last = Mutex<WallTime?>(nil)

    /// Notes that all deltas up to now are applied, in the transaction that applies them, before it
    /// ends the intents that are too old.
    func noteCaughtUp(at now: WallTime, in transaction: Transaction) throws {
        let last = last.withLock { $0 }
        if let last, now < last.adding(seconds: Self.longestCommit) { return }
        try transaction.ageIntents(first: last == nil)
        transaction.afterCommit { [self] in self.last.withLock { $0 = now } }
    }
}
