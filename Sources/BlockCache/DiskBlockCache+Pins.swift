// Contents that are kept whatever happens. Which ones is the caller's to say, in every run anew.

public import ContentHashing
import Core
import Synchronization

extension DiskBlockCache {
    /// Bytes of pinned contents that the cache holds.
    public var pinnedBytes: Int64 { state.withLock { $0.retention.pinnedBytes } }

    /// Whether a content is kept whatever happens, here or not.
    public func isPinned(_ hash: ContentHash) -> Bool {
        state.withLock { $0.retention.pinned.contains(hash) }
    }

    /// Keeps a content whatever happens, or no longer; also if it is not here yet. Not kept across
    /// restarts: who pins does it again before `countContents`.
    public func pin(_ hash: ContentHash, _ isPinned: Bool) {
        state.withLock { $0.retention.pin(hash, isPinned) }
    }

    /// Keeps these contents whatever happens, and no others, by the rules of `pin`.
    public func pinOnly(_ hashes: Set<ContentHash>) {
        state.withLock { $0.retention.pinOnly(hashes) }
    }

    /// Forgets everything, but for what is pinned unless that is meant too. Returns how many bytes that
    /// was.
    public func clear(includingPinned: Bool = false) -> Int64 {
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
