// The bursts of this mount's users, for the threads of their operations and for the uploader.

import Core
import MetadataStore
import Synchronization

/// Shares `ChangeBursts` between operations and the uploader.
final class UserChanges: Sendable {
    /// Lock: a leaf, held for a few accesses of memory; also taken in transactions.
    private let bursts: Mutex<ChangeBursts>

    init(delay: WriteDelay) {
        bursts = Mutex(ChangeBursts(delay: delay))
    }

    /// When a change of a place at `now` is due.
    func due(for place: ChangedPlace, at now: WallTime) -> WallTime {
        bursts.withLock { $0.due(for: place, at: now) }
    }

    func setDelay(_ delay: WriteDelay) {
        bursts.withLock { $0.setDelay(delay) }
    }

    /// When the burst ends unless it goes on; nil if there is none.
    var end: WallTime? { bursts.withLock { $0.end } }

    /// Makes the changes of the burst due, if it is over. In the transaction, so that no change
    /// joins the burst between the decision and its effect.
    func finish(at now: WallTime, in transaction: Transaction) throws {
        guard let due = bursts.withLock({ $0.finish(at: now) }) else { return }
        try transaction.makeDue(insteadOf: due, at: now)
    }
}
