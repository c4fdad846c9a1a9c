// Pinned contents, which are never evicted. The caller sets the pins anew in every run.

package import ContentHashing
import Core
import Saturating
import Synchronization

extension DiskBlockCache {
    /// Bytes of pinned contents that the cache holds.
    package var pinnedBytes: Int64 { state.withLock { $0.retention.pinnedBytes } }

    /// Whether a content is pinned, whether present or not.
    package func isPinned(_ hash: ContentHash) -> Bool {
        state.withLock { $0.retention.pinned.contains(hash) }
    }

    /// Pins or unpins a content; also one that is not cached yet. Pins do not survive restarts:
    /// callers restore them before `countContents`.
    package func pin(_ hash: ContentHash, _ isPinned: Bool) {
        state.withLock { $0.retention.pin(hash, isPinned) }
    }

    /// Pins these contents, and unpins all others, by the rules of `pin`.
    package func pinOnly(_ hashes: Set<ContentHash>) {
        state.withLock { $0.retention.pinOnly(hashes) }
    }

    /// Removes all contents, pinned ones only if `includingPinned`. Returns the number of bytes
    /// freed.
    package func clear(includingPinned: Bool = false) -> Int64 {
        let before = usedBytes
        let victims = state.withLock { state in
            state.retention.entries.keys.filter {
                includingPinned || !state.retention.pinned.contains($0)
            }
        }
        for hash in victims { remove(hash) }
        return before -| usedBytes
    }
}
