// The values that operations take and return, independent of FUSE and Dropbox.

package import Core
import Saturating

/// The type of an inode.
package enum FileKind: Hashable, Sendable {
    /// A folder, S_IFDIR in mode.
    case directory
    /// A regular file, S_IFREG in mode.
    case regular
    /// A symbolic link, S_IFLNK in mode.
    case symbolicLink
    /// A FIFO, S_IFIFO in mode.
    case fifo
    /// The address of a socket, S_IFSOCK in mode.
    case socket
}

/// The types of inodes that `mknod(2)` makes.
package enum MakeableKind: Hashable, Sendable {
    /// An empty regular file.
    case regular
    /// A FIFO.
    case fifo
    /// The address of a socket, made by `bind(2)`.
    case socket
}

extension FileKind {
    /// The type of an inode that was made.
    package init(_ kind: MakeableKind) {
        switch kind {
        case .regular: self = .regular
        case .fifo: self = .fifo
        case .socket: self = .socket
        }
    }
}

/// The attributes that `stat(2)` returns.
package struct Attributes: Hashable, Sendable {
    /// Inode number, never reused.
    package var inode: InodeID
    /// The type of the inode, as `st_mode` has it.
    package var kind: FileKind
    /// Permission bits only (07777), without the file type.
    package var permissions: UInt16
    /// Number of names; 1 for files, 1 for folders too (Dropbox does not count subfolders, and
    /// tools such as `find` take 1 as "unknown").
    package var linkCount: UInt32
    /// User ID of the owner.
    package var userID: UInt32
    /// Group ID of the owner.
    package var groupID: UInt32
    /// Size of the content in bytes.
    package var size: Int64
    /// Last access; not tracked, equals the last modification unless set.
    package var accessTime: WallTime
    /// Last change of the content.
    package var modificationTime: WallTime
    /// Last change of content or attributes.
    package var changeTime: WallTime

    /// Memberwise and without defaults, so that a forgotten field does not compile.
    package init(
        inode: InodeID, kind: FileKind, permissions: UInt16, linkCount: UInt32, userID: UInt32,
        groupID: UInt32, size: Int64, accessTime: WallTime, modificationTime: WallTime,
        changeTime: WallTime
    ) {
        self.inode = inode
        self.kind = kind
        self.permissions = permissions
        self.linkCount = linkCount
        self.userID = userID
        self.groupID = groupID
        self.size = size
        self.accessTime = accessTime
        self.modificationTime = modificationTime
        self.changeTime = changeTime
    }

    /// Bytes that a sparse file occupies on the local disk; nil if its holes are unknown.
    package var occupied: Int64?

    /// Size in units of 512 bytes, as in `st_blocks`. At least one unit for a file with bytes:
    /// programs take a file with 0 blocks for all holes.
    package var blocks: Int64 {
        let whole = size / 512 +| (size % 512 > 0 ? 1 : 0)
        guard let occupied else { return whole }
        return min(whole, max(1, occupied / 512))
    }
}

/// How long the kernel may cache an entry and its attributes.
package struct Timeouts: Hashable, Sendable {
    /// Validity of the name's inode, in seconds.
    package var entry: Double
    /// Validity of the inode's attributes, in seconds.
    package var attributes: Double

    /// Creates timeouts from both values.
    package init(entry: Double, attributes: Double) {
        self.entry = entry
        self.attributes = attributes
    }
}

/// The result of a lookup. Every entry sent to the kernel adds one to the inode's lookup count.
package struct Entry: Hashable, Sendable {
    /// Attributes of the found inode.
    package var attributes: Attributes
    /// Validity of name and attributes.
    package var timeouts: Timeouts
    /// Generation of the inode's content, if the kernel keeps sizes itself (`writeback_cache`):
    /// with another generation, the kernel treats the inode as a new one.
    package var generation: UInt64 = 0

    /// Creates an entry with generation 0.
    package init(attributes: Attributes, timeouts: Timeouts) {
        self.attributes = attributes
        self.timeouts = timeouts
    }
}

/// The result of a lookup: an entry, or a negative entry that the kernel may cache.
package enum LookupResult: Hashable, Sendable {
    /// The name exists; its entry.
    case found(Entry)
    /// The name does not exist; the kernel may cache that for so many seconds (0: not at all).
    case absent(timeout: Double)
}

/// The attributes to change; nil leaves an attribute as it is.
package struct AttributeChanges: Hashable, Sendable {
    /// New permission bits (07777).
    package var permissions: UInt16?
    /// User ID of the new owner.
    package var userID: UInt32?
    /// Group ID of the new owner.
    package var groupID: UInt32?
    /// New size in bytes: truncates the content or extends it with zeros.
    package var size: Int64?
    /// Access time to set.
    package var accessTime: TimeChange?
    /// Modification time to set.
    package var modificationTime: TimeChange?

    /// The value of a time to set.
    package enum TimeChange: Hashable, Sendable {
        /// The time at which the operation runs.
        case now
        /// An explicitly given time.
        case time(WallTime)
    }

    /// Creates an empty set of changes.
    package init() {}
}

/// The credentials of the calling process.
package struct CallingProcess: Hashable, Sendable {
    /// User ID of the process.
    package var userID: UInt32
    /// Group ID of the process.
    package var groupID: UInt32
    /// Process ID; 0 for the kernel itself.
    package var processID: Int32

    /// Creates a caller from its credentials.
    package init(userID: UInt32, groupID: UInt32, processID: Int32) {
        self.userID = userID
        self.groupID = groupID
        self.processID = processID
    }
}

/// Identifies an open file or folder between open and release.
package struct HandleID: Hashable, Sendable {
    /// The number in the kernel's `fh` field.
    package let rawValue: UInt64

    /// Wraps the kernel's number.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// The flags of an open.
package struct OpenFlags: Hashable, Sendable {
    /// The file is opened for reading.
    package var reads: Bool
    /// The file is opened for writing.
    package var writes: Bool
    /// O_TRUNC: the file is emptied first.
    package var truncates: Bool
    /// O_APPEND: each write goes to the end.
    package var appends: Bool
    /// O_EXCL: fails if the name exists (create only).
    package var isExclusive: Bool
    /// O_DIRECT: the caller wants no page cache.
    package var isDirect: Bool
    /// O_SYNC or O_DSYNC: each write is flushed.
    package var isSynchronous: Bool

    /// Creates flags that all default to off.
    package init(
        reads: Bool = false, writes: Bool = false, truncates: Bool = false, appends: Bool = false,
        isExclusive: Bool = false, isDirect: Bool = false, isSynchronous: Bool = false
    ) {
        self.reads = reads
        self.writes = writes
        self.truncates = truncates
        self.appends = appends
        self.isExclusive = isExclusive
        self.isDirect = isDirect
        self.isSynchronous = isSynchronous
    }
}

/// The result of an open.
package struct OpenedFile: Hashable, Sendable {
    /// The new handle of the file.
    package var handle: HandleID
    /// The kernel's cached pages belong to this very revision and may stay.
    package var keepsCache: Bool
    /// Direct I/O: the kernel must not cache pages, because it may have another size.
    package var isDirect: Bool
    /// The kernel tells of each closed descriptor, as `close(2)` of a writer needs it.
    package var isFlushed: Bool

    /// Creates the result of an open.
    package init(handle: HandleID, keepsCache: Bool, isDirect: Bool, isFlushed: Bool = true) {
        self.handle = handle
        self.keepsCache = keepsCache
        self.isDirect = isDirect
        self.isFlushed = isFlushed
    }
}

/// The result of an opendir.
package struct OpenedDirectory: Hashable, Sendable {
    /// The new handle of the folder.
    package var handle: HandleID
    /// The kernel may keep the listing until it is invalidated.
    package var cachesListing: Bool

    /// Creates the result of an opendir.
    package init(handle: HandleID, cachesListing: Bool) {
        self.handle = handle
        self.cachesListing = cachesListing
    }
}

/// One entry of a directory listing.
package struct DirectoryEntry: Hashable, Sendable {
    /// The name; "." and ".." for the first two entries.
    package var name: String
    /// Inode number of the entry.
    package var inode: InodeID
    /// Folder, file or symbolic link.
    package var kind: FileKind
    /// The offset at which a reader continues behind this entry.
    package var nextOffset: UInt64
    /// The full entry for readdirplus; nil for "." and "..", which add no lookup.
    package var entry: Entry?

    /// Memberwise and without defaults.
    package init(
        name: String, inode: InodeID, kind: FileKind, nextOffset: UInt64, entry: Entry?
    ) {
        self.name = name
        self.inode = inode
        self.kind = kind
        self.nextOffset = nextOffset
        self.entry = entry
    }
}

/// The space that `statfs(2)` reports, in bytes.
package struct SpaceUsage: Hashable, Sendable {
    /// The space allocated to the account.
    package var totalBytes: Int64
    /// The part of it that is not used.
    package var freeBytes: Int64
    /// Number of known files and folders.
    package var entryCount: UInt64

    /// Memberwise and without defaults.
    package init(totalBytes: Int64, freeBytes: Int64, entryCount: UInt64) {
        self.totalBytes = totalBytes
        self.freeBytes = freeBytes
        self.entryCount = entryCount
    }
}

/// How setxattr treats an existing attribute.
package enum AttributeWriteMode: Hashable, Sendable {
    /// Creates or replaces the attribute.
    case any
    /// Fails if it exists (`XATTR_CREATE`).
    case create
    /// Fails if it does not exist (`XATTR_REPLACE`).
    case replace
}

/// The operation of an fallocate on a range.
package enum AllocationMode: Hashable, Sendable {
    /// Extends the file with zeros where it is shorter.
    case extend
    /// Reserves space without changing the size; a no-op here.
    case keepSize
    /// Writes zeros, with the size kept.
    case punchHole
    /// Writes zeros, extending the file unless the size is to be kept.
    case zeroRange(keepsSize: Bool)
}

/// The target of an lseek with SEEK_DATA or SEEK_HOLE.
package enum SeekTarget: Hashable, Sendable {
    /// The next byte that is data.
    case data
    /// The next byte that is a hole.
    case hole
}
