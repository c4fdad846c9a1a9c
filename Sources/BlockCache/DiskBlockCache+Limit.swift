// How much of the disk the cache may take, which can change while it is in use, and how many descriptors.

import Glibc
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

extension DiskBlockCache {
    /// Opens or makes a cache folder that keeps at most `limit` bytes, and contents open by what the process may
    /// open now.
    ///
    /// Throws `inUse` when another process has it, and what the system says when it cannot be made.
    public convenience init(directory: String, limit: Int64) throws(BlockCacheError) {
        try self.init(
            directory: directory, limit: limit,
            openLimit: Self.openLimit(ofDescriptors: Self.descriptorLimit))
    }

    /// How many descriptors the process may have.
    static var descriptorLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many contents may be kept open: enough for many readers, and so few that their descriptors, three of
    /// each, leave more than half to staging files, the database, connections and the threads' own.
    static func openLimit(ofDescriptors count: Int) -> Int {
        min(max(4, count / 8), 128)
    }
}
