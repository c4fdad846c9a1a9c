// How much of the disk the cache may take, which can change while it is in use.

import Synchronization

extension DiskBlockCache {
    /// Bytes that it may hold.
    public var limit: Int64 { state.withLock { $0.retention.limit } }

    /// Holds at most so many bytes from now on, and gives back at once what is more than that, but for
    /// what is pinned.
    public func setLimit(_ bytes: Int64) {
        state.withLock { $0.retention.limit = bytes }
        evict(keeping: nil)
    }
}
