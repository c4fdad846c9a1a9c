// When changes are due. The journal stores the times; they are chosen here.

import Core
import Saturating
import Synchronization

/// When changed content is due: a while after the last change, but not postponed without end.
package struct WriteDelay: Hashable, Sendable {
    /// Nanoseconds from a change to its upload.
    package var nanoseconds: Int64 = 5_000_000_000
    /// Nanoseconds for which further changes may postpone the upload; a log that grows every second
    /// is uploaded at this interval.
    package var maximumNanoseconds: Int64 = 30_000_000_000

    /// 5 seconds, postponed to 30 at most.
    package init() {}

    /// Takes a delay in seconds; further changes may postpone to six times that.
    package init(seconds: Double) {
        nanoseconds = Int64(clamping: max(0, min(seconds, 86_400)) * 1e9)
        maximumNanoseconds = 6 *| nanoseconds
    }

    /// The delay in seconds.
    package var seconds: Double { Double(nanoseconds) / 1e9 }

    /// When a change at `now` is due, given the first change since the last upload.
    func due(at now: Timestamp, firstChange: Timestamp) -> Timestamp {
        let wanted = now.adding(nanoseconds: nanoseconds)
        return min(wanted, firstChange.adding(nanoseconds: maximumNanoseconds))
    }

    /// Whether a change at `now` begins a new series of changes.
    func isOver(at now: Timestamp, firstChange: Timestamp) -> Bool {
        now >= firstChange.adding(nanoseconds: maximumNanoseconds)
    }
}

/// When the current series of changes of each node began, so that steady writing does not postpone
/// its upload without end.
final class FirstChanges: Sendable {
    private struct State {
        var times: [InodeID: Timestamp] = [:]
        /// Number of entries at which expired series are dropped.
        var limit = 4096
    }

    /// Held for a dictionary access; no other lock is taken under it.
    private let state = Mutex(State())

    /// When a change of a node at `now` is due.
    func due(for inode: InodeID, at now: Timestamp, delay: WriteDelay) -> Timestamp {
        state.withLock { state in
            if let first = state.times[inode], !delay.isOver(at: now, firstChange: first) {
                return delay.due(at: now, firstChange: first)
            }
            if state.times.count >= state.limit {
                state.times = state.times.filter { !delay.isOver(at: now, firstChange: $0.value) }
                state.limit = max(4096, 2 *| state.times.count)
            }
            state.times[inode] = now
            return delay.due(at: now, firstChange: now)
        }
    }
}
