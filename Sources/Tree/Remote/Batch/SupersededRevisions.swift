// The revisions that uploads of this mount have replaced. A delta from before the response may
// still tell of one: that is no change of another client. No revision is ever the current one
// again: restored content has a new one. Not kept across starts: there the first deltas are applied
// before anything is sent.

import Core
import Saturating
import Synchronization

/// The last revisions that this process has replaced.
package final class SupersededRevisions: Sendable {
    private struct State {
        var revisions: Set<Revision> = []
        /// The same in the order of their replacement, around `next`.
        var order: [Revision] = []
        var next = 0
    }

    /// Uploads of which the feed may not have told yet, with a wide margin.
    private static let most = 4096

    /// Lock: a leaf; held for an access of the set.
    private let state = Mutex(State())

    package init() {}

    /// Notes that the server has replaced a revision by an upload.
    func note(_ revision: Revision) {
        state.withLock { state in
            guard state.revisions.insert(revision).inserted else { return }
            if state.order.count < Self.most { return state.order.append(revision) }
            state.revisions.remove(state.order[state.next])
            state.order[state.next] = revision
            state.next = (state.next +| 1) % Self.most
        }
    }

    func contains(_ revision: Revision) -> Bool {
        state.withLock { $0.revisions.contains(revision) }
    }
}
