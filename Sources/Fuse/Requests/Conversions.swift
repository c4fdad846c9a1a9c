// Converts the kernel's values to the filesystem's and back. Pure: no request, no policy.

import CFuse
import Core
import FileSystem
import Glibc
import Saturating

extension Attributes {
    /// The `stat(2)` of an inode.
    var status: stat {
        var status = stat()
        status.st_ino = ino_t(clamping: inode.rawValue)
        // setuid and setgid are never shown. The kernel was promised that they do not survive a
        // write (HANDLE_KILLPRIV_V2), and programs that arrive by synchronization must not gain
        // another user's rights.
        status.st_mode = kind.modeBits | mode_t(clamping: permissions & 0o1777)
        status.st_nlink = nlink_t(clamping: linkCount)
        status.st_uid = userID
        status.st_gid = groupID
        status.st_size = off_t(clamping: size)
        status.st_blocks = blkcnt_t(clamping: blocks)
        status.st_blksize = blksize_t(clamping: preferredTransferSize)
        status.st_atim = timespec(accessTime)
        status.st_mtim = timespec(modificationTime)
        status.st_ctim = timespec(changeTime)
        return status
    }
}

/// The preferred I/O size (`st_blksize`).
///
/// stdio uses it as the size of its buffers: with 128 KiB, the kernel's own readahead, one request
/// replaces thirty-two for programs that write a line at a time. Disks say 4 KiB, NFS 1 MiB.
let preferredTransferSize = 128 << 10

extension FileKind {
    /// The file type's bits in `st_mode`.
    var modeBits: mode_t {
        switch self {
        case .directory: S_IFDIR
        case .regular: S_IFREG
        case .symbolicLink: S_IFLNK
        case .fifo: S_IFIFO
        case .socket: S_IFSOCK
        }
    }
}

extension MakeableKind {
    /// The type that a mode of `mknod(2)` asks for; nil for devices, which are never made. No type
    /// means a regular file.
    init?(_ mode: mode_t) {
        switch mode & S_IFMT {
        case 0, S_IFREG: self = .regular
        case S_IFIFO: self = .fifo
        case S_IFSOCK: self = .socket
        default: return nil
        }
    }
}

extension timespec {
    /// Seconds and nanoseconds of a point in time.
    init(_ time: WallTime) {
        self.init(
            tv_sec: Int(clamping: time.seconds),
            tv_nsec: Int(clamping: time.nanosecondsWithinSecond))
    }
}

extension WallTime {
    /// Converts a time from the kernel.
    init(_ time: timespec) {
        self.init(seconds: Int64(clamping: time.tv_sec), nanoseconds: Int64(clamping: time.tv_nsec))
    }
}

extension fuse_entry_param {
    /// Converts an entry for a reply.
    init(_ entry: Entry) {
        self.init()
        ino = entry.attributes.inode.rawValue
        // Inode numbers are never reused; a new generation only marks new content.
        generation = entry.generation
        attr = entry.attributes.status
        attr_timeout = entry.timeouts.attributes
        entry_timeout = entry.timeouts.entry
    }
}

extension fuse_file_info {
    /// Converts a file handle for a reply by this version of libfuse.
    init(_ file: OpenedFile, libfuse version: CInt = fuse_version()) {
        self.init()
        fh = file.handle.rawValue
        keep_cache = file.keepsCache ? 1 : 0
        direct_io = file.isDirect ? 1 : 0
        cfuse_set_open_flags(&self, version, 0, file.isFlushed ? 0 : 1)
    }

    /// Converts an open folder for a reply by this version of libfuse.
    init(_ directory: OpenedDirectory, libfuse version: CInt = fuse_version()) {
        self.init()
        // cache_readdir lets the kernel cache the listing, keep_cache lets it use a cached one.
        cfuse_set_open_flags(&self, version, directory.cachesListing ? 1 : 0, 0)
        keep_cache = directory.cachesListing ? 1 : 0
    }
}

extension OpenFlags {
    /// Converts the flags of `open(2)`.
    init(_ flags: CInt) {
        let access = flags & O_ACCMODE
        self.init(
            reads: access == O_RDONLY || access == O_RDWR,
            writes: access == O_WRONLY || access == O_RDWR,
            truncates: flags & O_TRUNC != 0,
            appends: flags & O_APPEND != 0,
            isExclusive: flags & O_EXCL != 0,
            isDirect: flags & CInt(CFUSE_O_DIRECT) != 0,
            isSynchronous: flags & (O_SYNC | O_DSYNC) != 0)
    }
}

extension AttributeChanges {
    /// The changes of a `setattr`. The change time is left to the filesystem.
    init(_ status: stat, mask: CInt) {
        self.init()
        if mask & FUSE_SET_ATTR_MODE != 0 {
            permissions = UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
        }
        if mask & FUSE_SET_ATTR_UID != 0 { userID = status.st_uid }
        if mask & FUSE_SET_ATTR_GID != 0 { groupID = status.st_gid }
        if mask & FUSE_SET_ATTR_SIZE != 0 { size = Int64(clamping: status.st_size) }
        accessTime = Self.time(
            status.st_atim, given: mask & FUSE_SET_ATTR_ATIME,
            isNow: mask & FUSE_SET_ATTR_ATIME_NOW)
        modificationTime = Self.time(
            status.st_mtim, given: mask & FUSE_SET_ATTR_MTIME,
            isNow: mask & FUSE_SET_ATTR_MTIME_NOW)
    }

    /// A request for "now" sets the plain bit as well, with an undefined time.
    private static func time(_ time: timespec, given: CInt, isNow: CInt) -> TimeChange? {
        if isNow != 0 { return .now }
        return given != 0 ? .time(WallTime(time)) : nil
    }
}

extension RenameMode {
    /// The flags of `renameat2(2)`; nil for unsupported ones (`RENAME_WHITEOUT`).
    init?(flags: UInt32) {
        switch flags {
        case 0: self = .replace
        case 1 << 0: self = .noReplace
        case 1 << 1: self = .exchange
        default: return nil
        }
    }
}

extension AttributeWriteMode {
    /// The flags of `setxattr(2)`; nil if both or unknown ones are given.
    init?(flags: CInt) {
        switch flags {
        case 0: self = .any
        case 1 << 0: self = .create
        case 1 << 1: self = .replace
        default: return nil
        }
    }
}

extension AllocationMode {
    /// The mode of `fallocate(2)`; nil for unsupported ones, such as collapsing a range.
    init?(mode: CInt) {
        let keepSize: CInt = 0x01
        let punchHole: CInt = 0x02
        let zeroRange: CInt = 0x10
        switch mode {
        case 0: self = .extend
        case keepSize: self = .keepSize
        case punchHole | keepSize: self = .punchHole
        case zeroRange: self = .zeroRange(keepsSize: false)
        case zeroRange | keepSize: self = .zeroRange(keepsSize: true)
        default: return nil
        }
    }
}

extension SeekTarget {
    /// The `whence` of `lseek(2)`; nil for those that the kernel handles itself.
    init?(whence: CInt) {
        switch whence {
        case 3: self = .data
        case 4: self = .hole
        default: return nil
        }
    }
}

extension statvfs {
    /// Converts to the result of `statfs(2)`.
    init(_ usage: SpaceUsage) {
        self.init()
        // Fixed at the page size: `df` multiplies, and old programs confuse f_bsize with the
        // fragment size.
        let blockSize: Int64 = 4096
        // Dropbox does not limit the number of files; rsync and installers expect some free ones.
        // Above 32 bits, `statfs(2)` of 32-bit programs fails with EOVERFLOW.
        let freeEntries: UInt64 = 1 << 31
        f_bsize = UInt(clamping: blockSize)
        f_frsize = UInt(clamping: blockSize)
        f_blocks = fsblkcnt_t(clamping: usage.totalBytes.divided(by: blockSize))
        f_bfree = fsblkcnt_t(clamping: usage.freeBytes.divided(by: blockSize))
        f_bavail = f_bfree
        f_files = min(fsfilcnt_t(clamping: usage.entryCount +| freeEntries), 0xffff_fffe)
        f_ffree = fsfilcnt_t(clamping: freeEntries)
        f_favail = f_ffree
        f_namemax = UInt(clamping: FileName.maximumByteCount)
    }
}

/// Copies a C string: the kernel's buffer is reused when the callback returns.
func copyBytes(_ string: UnsafePointer<CChar>) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: string, count: strlen(string)))
}
