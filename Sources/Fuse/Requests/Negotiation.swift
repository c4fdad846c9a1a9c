// The protocol negotiation with the kernel when the connection opens (INIT), with the reason for
// each choice.

import CFuse
import Core

/// The replies to the kernel's offers.
enum Negotiation {
    /// Largest write in one request: the content of 256 pages. libfuse 3.14 sizes its buffer for
    /// that: a larger value makes reads fail and the mount unusable.
    static let maximumWrite: UInt32 = 1 << 20
    /// Requests that the kernel keeps in flight for readahead and asynchronous I/O. The default of
    /// 12 starves parallel readers; mountpoint-s3 uses 64.
    static let maximumBackground: UInt32 = 64
    /// From this number on, the kernel reports the device as congested to writers and readahead.
    static let congestionThreshold: UInt32 = 48

    /// Capabilities to enable where the kernel has them.
    ///
    /// - ASYNC_READ: several reads of one file at a time.
    /// - PARALLEL_DIROPS: lookups in one folder need not wait for each other.
    /// - ATOMIC_O_TRUNC: `open` truncates by itself; there is no second request that could fail.
    /// - READDIRPLUS, READDIRPLUS_AUTO: `ls -l` in one pass, plain `ls` without the extra work.
    /// - CACHE_SYMLINKS: targets stay cached until invalidated.
    /// - EXPORT_SUPPORT: inodes that the kernel has forgotten are found by their numbers, as
    ///   servers of NFS need it.
    private static let wanted =
        FUSE_CAP_ASYNC_READ | FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_ATOMIC_O_TRUNC
        | FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_CACHE_SYMLINKS
        | FUSE_CAP_EXPORT_SUPPORT

    /// Capabilities to disable, though libfuse would enable some of them.
    ///
    /// Neither AUTO_INVAL_DATA nor EXPLICIT_INVAL_DATA: without both, the kernel drops cached pages
    /// when it learns of a new size, and otherwise on invalidation. The first would also drop them
    /// for a new modification time, so at each `stat` of a file being written. The second would
    /// keep them at a new size: readers would see the old bytes, truncated or followed by zeros.
    ///
    /// Locks stay local to the kernel, as do all operations that this bridge does not implement.
    private static let unwanted =
        FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_EXPLICIT_INVAL_DATA | FUSE_CAP_WRITEBACK_CACHE
        | FUSE_CAP_POSIX_LOCKS | FUSE_CAP_FLOCK_LOCKS | FUSE_CAP_POSIX_ACL

    /// The capabilities to request, of those that the kernel offers and libfuse would enable by
    /// default.
    static func capabilities(offered: UInt32, default initial: UInt32) -> UInt32 {
        (initial | UInt32(clamping: wanted)) & ~UInt32(clamping: unwanted) & offered
    }

    /// Flags to add to libfuse's reply, if the kernel offers them: those of the mount's options,
    /// and two that libfuse 3.14 omits. Without PARALLEL_DIROPS, a lookup that waits for the
    /// network would block all others in its folder. Without DIRECT_IO_ALLOW_MMAP, no process could
    /// map a file shared while it is read with direct I/O, because another client has just changed
    /// it.
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

    /// Whether the kernel does without opendir and releasedir once an opendir was answered with
    /// ENOSYS.
    static func canSkipOpenDirectory(offered: UInt32) -> Bool {
        offered & UInt32(clamping: FUSE_CAP_NO_OPENDIR_SUPPORT) != 0
    }

    /// Fills in the reply to INIT.
    static func apply(to connection: inout fuse_conn_info) {
        connection.want = capabilities(offered: connection.capable, default: connection.want)
        connection.max_write = min(connection.max_write, maximumWrite)
        connection.max_background = maximumBackground
        connection.congestion_threshold = congestionThreshold
        // Times have nanosecond resolution.
        connection.time_gran = 1
    }
}
