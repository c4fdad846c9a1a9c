// What is agreed with the kernel when the connection opens (INIT). Each choice has its reason here.

import CFuse
import Core

/// The answers to what the kernel offers.
enum Negotiation {
    /// Largest write in one request: what 256 pages hold. libfuse 3.14 sizes its buffer for no more,
    /// and answers a larger choice with reads that fail and a dead mount.
    static let maximumWrite: UInt32 = 1 << 20
    /// Requests that the kernel keeps under way for readahead and asynchronous I/O. Its own choice of
    /// 12 starves parallel readers; mountpoint-s3 uses 64.
    static let maximumBackground: UInt32 = 64
    /// From so many on, the kernel tells writers and readahead that the device is congested.
    static let congestionThreshold: UInt32 = 48

    /// Wanted where the kernel has it.
    ///
    /// - ASYNC_READ: several reads of one file at a time.
    /// - PARALLEL_DIROPS: lookups in one folder need not wait for each other.
    /// - ATOMIC_O_TRUNC: `open` truncates by itself; there is no second request that could fail.
    /// - READDIRPLUS, READDIRPLUS_AUTO: `ls -l` in one pass, plain `ls` without the extra work.
    /// - CACHE_SYMLINKS: targets stay cached until invalidated.
    private static let wanted =
        FUSE_CAP_ASYNC_READ | FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_ATOMIC_O_TRUNC
        | FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_CACHE_SYMLINKS

    /// Not wanted, though libfuse would take some of it.
    ///
    /// Neither AUTO_INVAL_DATA nor EXPLICIT_INVAL_DATA: without both, the kernel drops cached pages
    /// when it learns of a new size, and else when it is told to. The first would drop them for a new
    /// time of modification as well, so at each `stat` of a file that is being written. The second
    /// would keep them at a new size: readers would see the old bytes, cut off or followed by zeros.
    ///
    /// Locks stay the kernel's own, and so does everything that this bridge has no operation for.
    private static let unwanted =
        FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_EXPLICIT_INVAL_DATA | FUSE_CAP_WRITEBACK_CACHE
        | FUSE_CAP_POSIX_LOCKS | FUSE_CAP_FLOCK_LOCKS | FUSE_CAP_POSIX_ACL
        | FUSE_CAP_EXPORT_SUPPORT

    /// The capabilities to ask for, of those that the kernel offers and libfuse would take by default.
    static func capabilities(offered: UInt32, default initial: UInt32) -> UInt32 {
        (initial | UInt32(clamping: wanted)) & ~UInt32(clamping: unwanted) & offered
    }

    /// Flags to be added to libfuse's answer, where the kernel offers them: what depends on the mount's
    /// options, and what libfuse 3.14 leaves out. Without the first, a lookup that waits on the network
    /// stops all others in its folder. Without the second, a file that is read past the kernel's pages,
    /// because another client has just changed it, could not be mapped shared.
    static func additionalFlags(_ options: MountOptions) -> UInt64 {
        var flags = UInt64(clamping: CFUSE_INIT_PARALLEL_DIROPS) | CFUSE_INIT_DIRECT_IO_ALLOW_MMAP
        if options.dropsPrivilegeBits {
            flags |= UInt64(clamping: CFUSE_INIT_HANDLE_KILLPRIV_V2)
        }
        if options.gathersWrites {
            flags |= UInt64(clamping: CFUSE_INIT_WRITEBACK_CACHE)
        }
        return flags
    }

    /// Fills in the answer to INIT.
    static func apply(to connection: inout fuse_conn_info) {
        connection.want = capabilities(offered: connection.capable, default: connection.want)
        connection.max_write = min(connection.max_write, maximumWrite)
        connection.max_background = maximumBackground
        connection.congestion_threshold = congestionThreshold
        // Times are kept to the nanosecond.
        connection.time_gran = 1
    }
}
