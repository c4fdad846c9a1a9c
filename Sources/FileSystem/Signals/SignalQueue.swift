// When watchers are told of the changes of other clients: in batches, one at a time, and not while
// the mount is about to be unmounted. Decides alone; its owner has the clock, the lock and the
// process that raises the events.

package import Tree

/// The changes that wait for their events, and the batch whose events are being raised.
package struct SignalQueue: Sendable {
    /// How a batch ended.
    package enum Outcome: Sendable {
        /// Its events were raised, or none are wanted.
        case raised
        /// No event was raised, because the kernel still has the state before the changes.
        case postponed
        /// Some events may not have been raised.
        case incomplete
    }

    private enum Phase {
        case idle
        /// The owner is about to take a batch.
        case scheduled
        /// A batch was taken; cut if no events might be raised at some time since.
        case raising(GatheredChanges, isCut: Bool)
    }

    private var waiting = GatheredChanges()
    private var phase = Phase.idle
    private var isHeld = false
    private var hasEnded = false

    /// Creates a queue without changes, which may raise events.
    package init() {}

    /// Adds changes. Returns whether the owner has to take a batch, after the time for which
    /// changes gather.
    package mutating func add(_ changes: [TreeChange]) -> Bool {
        guard !hasEnded else { return false }
        waiting.add(changes)
        return schedule()
    }

    /// Takes the next batch, which has to be finished; nil if there is none, or none may be raised
    /// now.
    package mutating func take() -> GatheredChanges? {
        guard case .scheduled = phase else { return nil }
        guard !isHeld else {
            phase = .idle
            return nil
        }
        let batch = waiting
        waiting = GatheredChanges()
        phase = .raising(batch, isCut: false)
        return batch
    }

    /// Finishes the batch. Returns whether the owner has to take another one, as `add` does.
    ///
    /// One that a hold has cut waits again, so events may be raised twice. One that is incomplete
    /// for another reason does not: the next helper would fail, too.
    package mutating func finish(_ outcome: Outcome) -> Bool {
        guard case .raising(var batch, let isCut) = phase else { return false }
        phase = .idle
        if outcome == .postponed || outcome == .incomplete && isCut {
            batch.add(waiting)
            waiting = batch
        }
        return schedule()
    }

    /// From now on no events may be raised, also not those of a batch that was taken, but changes
    /// gather.
    package mutating func hold() {
        isHeld = true
        if case .raising(let batch, _) = phase { phase = .raising(batch, isCut: true) }
    }

    /// Events may be raised again. Returns whether the owner has to take a batch, as `add` does.
    package mutating func release() -> Bool {
        isHeld = false
        return schedule()
    }

    /// From now on no events are raised, and changes are forgotten.
    package mutating func end() {
        self = SignalQueue()
        hasEnded = true
    }

    private mutating func schedule() -> Bool {
        guard case .idle = phase, !isHeld, !waiting.isEmpty else { return false }
        phase = .scheduled
        return true
    }
}
