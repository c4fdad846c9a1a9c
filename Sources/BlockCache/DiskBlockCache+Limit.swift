// The limit of descriptors, and what the cache leaves to content that is nowhere else when the disk
// is full. Not responsible for the limit of its bytes, which can change while it is in use.

import LocalFiles
import Saturating
import Synchronization

extension DiskBlockCache {
    /// Opens or creates a cache folder of at most `limit` bytes; the process's descriptor limit
    /// determines how many contents stay open.
    ///
    /// Throws `inUse` when another process has it, and the system's error when it cannot be
    /// created.
    package convenience init(directory: String, limit: Int64) throws(BlockCacheError) {
        try self.init(
            directory: directory, limit: limit,
            openLimit: Self.openLimit(ofDescriptors: DescriptorLimit.current?.now ?? 0))
    }

    /// How many contents may be kept open: enough for many readers, and so few that their
    /// descriptors, three of each, leave more than half to staging files, the database, connections
    /// and threads.
    static func openLimit(ofDescriptors count: Int) -> Int {
        min(max(4, count / 8), 128)
    }

    // MARK: Disk space

    /// Wraps the function in a struct: as the value of a generic type, it gets two more wrappers at
    /// each access.
    struct Room {
        var body: (@Sendable () -> Bool)?
    }

    /// Has nothing be stored while `body` is false: the disk is needed for content that is nowhere
    /// else.
    package func storeOnly(while body: @escaping @Sendable () -> Bool) {
        room.withLock { $0.body = body }
    }

    /// Whether something may be stored.
    var hasRoom: Bool { room.withLock { $0.body }?() ?? true }

    /// Evicts contents, except for pinned ones, that take so many bytes at least, and an eighth of
    /// all. Returns whether there were any.
    package func makeRoom(for bytes: Int64) -> Bool {
        let victims = evict { retention in
            let used = retention.used
            return retention.victims(downTo: max(0, used -| max(bytes, used / 8)), keeping: nil)
        }
        return !victims.isEmpty
    }
}
