// When users' changes are due. Pure: events and times in, times out; no clock of its own. The due
// times are rows of the journal, and `Uploader` sends due nodes.

import Core
import MetadataStore
import Saturating

/// Decides when users' changes are due.
///
/// Changes of users that follow one another without a pause are one burst, and become due together,
/// so that their steps share requests. A burst ends when the mount has been quiet for a moment, and
/// at the latest when the write delay has passed since its first change. Until the burst ends, the
/// due time of its journal entries is that latest end. By this time the transaction that ends the
/// burst finds the entries.
///
/// A place that changes again and again, as a log file does, would be sent at each of its pauses.
/// If a change follows the end of a burst so soon that the write delay would have joined them, the
/// burst has ended too early for this place. After a few early ends the place leaves the bursts,
/// and is sent once it has not changed for the write delay. The other places do not wait for it.
struct ChangeBursts: Sendable {
    /// Early ends after which a place waits.
    static let mostEarly = 3
    /// Places that are remembered. The changes of others are in the bursts, always.
    static let mostPlaces = 4096

    /// The choice of the user.
    private(set) var delay: WriteDelay

    /// A burst that is not over.
    private struct Burst {
        var number: Int
        /// When it ends at the latest: the due time of its entries.
        var limit: WallTime
        var lastChange: WallTime
    }

    /// The changes of one place.
    private struct History {
        var lastChange: WallTime
        /// The burst of the last change; nil if the place waits.
        var burst: Int?
        /// When the place began to wait.
        var waitsSince: WallTime
        /// The changes that have shown that a burst had ended too early.
        var early: [WallTime] = []
    }

    private var burst: Burst?
    private var lastNumber = 0
    private var places: [ChangedPlace: History] = [:]

    init(delay: WriteDelay) {
        self.delay = delay
    }

    /// When a change of a place at `now` is due.
    mutating func due(for place: ChangedPlace, at now: WallTime) -> WallTime {
        guard delay.nanoseconds > 0 else { return now }
        if let burst, now >= burst.limit { self.burst = nil }
        var history = history(of: place, at: now)
        let due: WallTime
        if history.early.count >= Self.mostEarly {
            history.burst = nil
            due = min(delay.limit(from: now), delay.maximum(from: history.waitsSince))
        } else {
            let current = join(at: now)
            history.burst = current.number
            due = current.limit
        }
        if places[place] != nil || places.count < Self.mostPlaces { places[place] = history }
        return due
    }

    /// Number of places that are remembered, for tests.
    var placeCount: Int { places.count }

    /// When the burst ends unless it goes on; nil if there is none.
    var end: WallTime? {
        burst.map { min($0.limit, delay.quiet(after: $0.lastChange)) }
    }

    /// Ends the burst, if it is over. Returns the due time that its entries have.
    mutating func finish(at now: WallTime) -> WallTime? {
        guard let burst, let end, now >= end else { return nil }
        self.burst = nil
        return burst.limit
    }

    /// Changes the delay of later changes. Those until now keep their due time.
    mutating func setDelay(_ delay: WriteDelay) {
        guard delay != self.delay else { return }
        self.delay = delay
        burst = nil
        places = [:]
    }

    /// The history of a place with its change at `now`, of which the burst is still open.
    private func history(of place: ChangedPlace, at now: WallTime) -> History {
        guard var history = places[place] else {
            return History(lastChange: now, waitsSince: now)
        }
        let isInRow = now < delay.limit(from: history.lastChange)
        let wasWaiting = history.burst == nil
        history.lastChange = now
        // A change in a row shows that the place has to keep waiting: then no early end is
        // forgotten, however old it is.
        if !isInRow { history.early.removeAll { now >= delay.maximum(from: $0) } }
        if isInRow, let last = history.burst, last != burst?.number { history.early.append(now) }
        if !wasWaiting || !isInRow || now >= delay.maximum(from: history.waitsSince) {
            history.waitsSince = now
        }
        return history
    }

    /// The burst with a change at `now`.
    private mutating func join(at now: WallTime) -> Burst {
        if var current = burst {
            current.lastChange = max(current.lastChange, now)
            burst = current
            return current
        }
        places = places.filter { isWorthKeeping($0.value, at: now) }
        lastNumber +|= 1
        let new = Burst(number: lastNumber, limit: delay.limit(from: now), lastChange: now)
        burst = new
        return new
    }

    /// Whether a history can have an effect on a later change.
    private func isWorthKeeping(_ history: History, at now: WallTime) -> Bool {
        now < delay.limit(from: history.lastChange)
            || history.early.contains { now < delay.maximum(from: $0) }
    }
}
