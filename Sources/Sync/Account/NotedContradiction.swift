// A contradiction between a response and the tree, until the feed handles it.

import Synchronization

/// Whether a response could not be recorded because it contradicts the tree: then everything is
/// listed again.
final class NotedContradiction: Sendable {
    /// Lock: a leaf; no other lock is taken under it.
    private let isNoted = Mutex(false)

    func note() {
        isNoted.withLock { $0 = true }
    }

    /// Whether a contradiction was noted since the last call.
    func take() -> Bool {
        isNoted.withLock { isNoted in
            defer { isNoted = false }
            return isNoted
        }
    }
}
