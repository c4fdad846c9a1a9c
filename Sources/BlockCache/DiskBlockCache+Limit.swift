// The limit of descriptors. Not responsible for that of disk space, which can change while the cache is in use.

import Glibc

extension DiskBlockCache {
    /// Opens or creates a cache folder of at most `limit` bytes; the process's descriptor limit
    /// determines how many contents stay open.
    ///
    /// Throws `inUse` when another process has it, and the system's error when it cannot be
    /// created.
    package convenience init(directory: String, limit: Int64) throws(BlockCacheError) {
        try self.init(
            directory: directory, limit: limit,
            openLimit: Self.openLimit(ofDescriptors: Self.descriptorLimit))
    }

    /// The process's limit of descriptors.
    static var descriptorLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many contents may be kept open: enough for many readers, and so few that their
    /// descriptors, three of each, leave more than half to staging files, the database, connections
    /// and threads.
    static func openLimit(ofDescriptors count: Int) -> Int {
        min(max(4, count / 8), 128)
    }
}
