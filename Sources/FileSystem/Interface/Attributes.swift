// The values that operations take and return, independent of FUSE and Dropbox.

public import Core
import Saturating

/// The type of an inode.
public enum FileKind: Hashable, Sendable {
    /// A folder, S_IFDIR in mode.
    case directory
    /// A regular file, S_IFREG in mode.
    case regular
    /// A symbolic link, S_IFLNK in mode.
    case symbolicLink
}

/// The attributes that `stat(2)` returns.
public struct Attributes: Hashable, Sendable {
    /// Inode number, never reused.
    public var inode: InodeID
    /// Folder, file or symbolic link.
    public var kind: FileKind
    /// Permission bits only (07777), without the file type.
    public var permissions: UInt16
    /// Number of names; 1 for files, 1 for folders too (Dropbox does not count subfolders, and
    /// tools such as `find` take 1 as "unknown").
    public var linkCount: UInt32
    /// User ID of the owner.
    public var userID: UInt32
    /// Group ID of the owner.
    public var groupID: UInt32
    /// Size of the content in bytes.
    public var size: Int64
    /// Last access; not tracked, equals the last modification unless set.
    public var accessTime: Timestamp
    /// Last change of the content.
    public var modificationTime: Timestamp
    /// Last change of content or attributes.
    public var changeTime: Timestamp

    /// Memberwise and without defaults, so that a forgotten field does not compile.
    public init(
        inode: InodeID, kind: FileKind, permissions: UInt16, linkCount: UInt32, userID: UInt32,
        groupID: UInt32, size: Int64, accessTime: Timestamp, modificationTime: Timestamp,
        changeTime: Timestamp
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
    public var occupied: Int64?

    /// Size in units of 512 bytes, as in `st_blocks`. At least one unit for a file with bytes:
    /// programs take a file with 0 blocks for all holes.
    public var blocks: Int64 {
        let whole = size / 512 +| (size % 512 > 0 ? 1 : 0)
        guard let occupied else { return whole }
        return min(whole, max(1, occupied / 512))
    }
}

/// How long the kernel may cache an entry and its attributes.
public struct Timeouts: Hashable, Sendable {
    /// Validity of the name's inode, in seconds.
    public var entry: Double
    /// Validity of the inode's attributes, in seconds.
    public var attributes: Double

    /// Creates timeouts from both values.
    public init(entry: Double, attributes: Double) {
        self.entry = entry
        self.attributes = attributes
    }
}

/// The result of a lookup. Every entry sent to the kernel adds one to the inode's lookup count.
public struct Entry: Hashable, Sendable {
    /// Attributes of the found inode.
    public var attributes: Attributes
    /// Validity of name and attributes.
    public var timeouts: Timeouts
    /// Generation of the inode's content, if the kernel keeps sizes itself (`writeback_cache`):
    /// with another generation, the kernel treats the inode as a new one.
    public var generation: UInt64 = 0

    /// Creates an entry with generation 0.
    public init(attributes: Attributes, timeouts: Timeouts) {
        self.attributes = attributes
        self.timeouts = timeouts
    }
}

/// The result of a lookup: an entry, or a negative entry that the kernel may cache.
public enum LookupResult: Hashable, Sendable {
    /// The name exists; its entry.
    case found(Entry)
    /// The name does not exist; the kernel may cache that for so many seconds (0: not at all).
    case absent(timeout: Double)
}

/// The attributes to change; nil leaves an attribute as it is.
public struct AttributeChanges: Hashable, Sendable {
    /// New permission bits (07777).
    public var permissions: UInt16?
    /// User ID of the new owner.
    public var userID: UInt32?
    /// Group ID of the new owner.
    public var groupID: UInt32?
    /// New size in bytes: truncates the content or extends it with zeros.
    public var size: Int64?
    /// Access time to set.
    public var accessTime: TimeChange?
    /// Modification time to set.
    public var modificationTime: TimeChange?

    /// The value of a time to set.
    public enum TimeChange: Hashable, Sendable {
        /// The time at which the operation runs.
        case now
        /// An explicitly given time.
        case time(Timestamp)
    }

    /// Creates an empty set of changes.
    public init() {}
}

/// The credentials of the calling process.
public struct Caller: Hashable, Sendable {
    /// User ID of the process.
    public var userID: UInt32
    /// Group ID of the process.
    public var groupID: UInt32
    /// Process ID; 0 for the kernel itself.
    public var processID: Int32

    /// Creates a caller from its credentials.
    public init(userID: UInt32, groupID: UInt32, processID: Int32) {
        self.userID = userID
        self.groupID = groupID
        self.processID = processID
    }
}

/// Identifies an open file or folder between open and release.
public struct HandleID: Hashable, Sendable {
    /// The number in the kernel's `fh` field.
    public let rawValue: UInt64

    /// Wraps the kernel's number.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// The flags of an open.
public struct OpenFlags: Hashable, Sendable {
    /// The file is opened for reading.
    public var reads: Bool
    /// The file is opened for writing.
    public var writes: Bool
    /// O_TRUNC: the file is emptied first.
    public var truncates: Bool
    /// O_APPEND: each write goes to the end.
    public var appends: Bool
    /// O_EXCL: fails if the name exists (create only).
    public var isExclusive: Bool
    /// O_DIRECT: the caller wants no page cache.
    public var isDirect: Bool
    /// O_SYNC or O_DSYNC: each write is flushed.
    public var isSynchronous: Bool

    /// Creates flags that all default to off.
    public init(
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
public struct OpenedFile: Hashable, Sendable {
    /// The new handle of the file.
    public var handle: HandleID
    /// The kernel's cached pages belong to this very revision and may stay.
    public var keepsCache: Bool
    /// Direct I/O: the kernel must not cache pages, because it may have another size.
    public var isDirect: Bool

    /// Creates the result of an open.
    public init(handle: HandleID, keepsCache: Bool, isDirect: Bool) {
        self.handle = handle
        self.keepsCache = keepsCache
        self.isDirect = isDirect
    }
}

/// The result of an opendir.
public struct OpenedDirectory: Hashable, Sendable {
    /// The new handle of the folder.
    public var handle: HandleID
    /// The kernel may keep the listing until it is invalidated.
    public var cachesListing: Bool

    /// Creates the result of an opendir.
    public init(handle: HandleID, cachesListing: Bool) {
        self.handle = handle
        self.cachesListing = cachesListing
    }
}

/// One entry of a directory listing.
public struct DirectoryEntry: Hashable, Sendable {
    /// The name; "." and ".." for the first two entries.
    public var name: String
    /// Inode number of the entry.
    public var inode: InodeID
    /// Folder, file or symbolic link.
    public var kind: FileKind
    /// The offset at which a reader continues behind this entry.
    public var nextOffset: UInt64
    /// The full entry for readdirplus; nil for "." and "..", which add no lookup.
    public var entry: Entry?

    /// Memberwise and without defaults.
    public init(
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
public struct SpaceUsage: Hashable, Sendable {
    /// The space allocated to the account.
    public var totalBytes: Int64
    /// The part of it that is not used.
    public var freeBytes: Int64
    /// Number of known files and folders.
    public var entryCount: UInt64

    /// Memberwise and without defaults.
    public init(totalBytes: Int64, freeBytes: Int64, entryCount: UInt64) {
        self.totalBytes = totalBytes
        self.freeBytes = freeBytes
        self.entryCount = entryCount
    }
}

/// How setxattr treats an existing attribute.
public enum AttributeWriteMode: Hashable, Sendable {
    /// Creates or replaces the attribute.
    case any
    /// Fails if it exists (`XATTR_CREATE`).
    case create
    /// Fails if it does not exist (`XATTR_REPLACE`).
    case replace
}

/// The operation of an fallocate on a range.
public enum AllocationMode: Hashable, Sendable {
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
public enum SeekTarget: Hashable, Sendable {
    /// The next byte that is data.
    case data
    /// The next byte that is a hole.
    case hole
}
