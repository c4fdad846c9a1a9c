// The values that operations take and return. They know neither FUSE nor Dropbox.

public import Core

/// What an inode is.
public enum FileKind: Hashable, Sendable {
    /// A folder.
    case directory
    /// A file with bytes.
    case regular
    /// A symbolic link.
    case symbolicLink
}

/// What `stat(2)` shows.
public struct Attributes: Hashable, Sendable {
    /// The inode's number.
    public var inode: InodeID
    /// Folder, file or link.
    public var kind: FileKind
    /// Permission bits only (07777); the kind is apart.
    public var permissions: UInt16
    /// Number of names; 1 for files, 1 for folders too (Dropbox does not count subfolders, and tools
    /// such as `find` take 1 as "unknown").
    public var linkCount: UInt32
    /// Owner.
    public var userID: UInt32
    /// Group.
    public var groupID: UInt32
    /// Size in bytes.
    public var size: Int64
    /// Last access; not tracked, equals the last modification unless set.
    public var accessTime: Timestamp
    /// Last change of the content.
    public var modificationTime: Timestamp
    /// Last change of content or attributes.
    public var changeTime: Timestamp

    /// Names every field, so that a forgotten one does not compile.
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

    /// Bytes that a file with holes takes of this disk; nil if nothing is known of holes.
    public var occupied: Int64?

    /// Size in units of 512 bytes, as `st_blocks` counts. What has bytes has a unit at least: programs take files
    /// without one for nothing but holes.
    public var blocks: Int64 {
        let whole = size / 512 +| (size % 512 > 0 ? 1 : 0)
        guard let occupied else { return whole }
        return min(whole, max(1, occupied / 512))
    }
}

/// How long the kernel may trust what it was told.
public struct Timeouts: Hashable, Sendable {
    /// Trust in a name's inode, in seconds.
    public var entry: Double
    /// Trust in an inode's attributes, in seconds.
    public var attributes: Double

    /// Names both.
    public init(entry: Double, attributes: Double) {
        self.entry = entry
        self.attributes = attributes
    }
}

/// The answer to a lookup. Every entry that reaches the kernel counts one lookup.
public struct Entry: Hashable, Sendable {
    /// The inode's attributes.
    public var attributes: Attributes
    /// How long to trust them.
    public var timeouts: Timeouts
    /// Which of the contents that the inode has had this is, if the kernel keeps sizes for itself: with
    /// another one, it takes the inode for a new one.
    public var generation: UInt64 = 0

    /// Names the first two.
    public init(attributes: Attributes, timeouts: Timeouts) {
        self.attributes = attributes
        self.timeouts = timeouts
    }
}

/// A lookup's outcome: an entry, or an absence that the kernel may remember.
public enum LookupResult: Hashable, Sendable {
    /// The name exists.
    case found(Entry)
    /// The name does not exist, and the kernel may believe it for so many seconds (0: not at all).
    case absent(timeout: Double)
}

/// The attributes to change; nil leaves one alone.
public struct AttributeChanges: Hashable, Sendable {
    /// New permission bits (07777).
    public var permissions: UInt16?
    /// New owner.
    public var userID: UInt32?
    /// New group.
    public var groupID: UInt32?
    /// New size in bytes: cuts the content or extends it with zeros.
    public var size: Int64?
    /// New access time.
    public var accessTime: TimeChange?
    /// New modification time.
    public var modificationTime: TimeChange?

    /// A time to set.
    public enum TimeChange: Hashable, Sendable {
        /// The time at which the operation runs.
        case now
        /// A given time.
        case time(Timestamp)
    }

    /// Changes nothing yet.
    public init() {}
}

/// Who asks: the credentials of the calling process.
public struct Caller: Hashable, Sendable {
    /// User.
    public var userID: UInt32
    /// Group.
    public var groupID: UInt32
    /// Process; 0 for the kernel itself.
    public var processID: Int32

    /// Names all three.
    public init(userID: UInt32, groupID: UInt32, processID: Int32) {
        self.userID = userID
        self.groupID = groupID
        self.processID = processID
    }
}

/// Names an open file or folder between open and release.
public struct HandleID: Hashable, Sendable {
    /// The number that the kernel carries.
    public let rawValue: UInt64

    /// Wraps the number.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// How a file is opened.
public struct OpenFlags: Hashable, Sendable {
    /// Wants to read.
    public var reads: Bool
    /// Wants to write.
    public var writes: Bool
    /// Cuts the file to nothing first.
    public var truncates: Bool
    /// Each write goes to the end.
    public var appends: Bool
    /// Fails if the name exists (create only).
    public var isExclusive: Bool
    /// O_DIRECT was given.
    public var isDirect: Bool
    /// O_SYNC or O_DSYNC was given.
    public var isSynchronous: Bool

    /// Names every flag; all default to off.
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

/// What open gives back.
public struct OpenedFile: Hashable, Sendable {
    /// The handle for what follows.
    public var handle: HandleID
    /// The kernel's cached pages belong to this very revision and may stay.
    public var keepsCache: Bool
    /// The kernel must not cache pages: the size is not known beforehand.
    public var isDirect: Bool

    /// Names all three.
    public init(handle: HandleID, keepsCache: Bool, isDirect: Bool) {
        self.handle = handle
        self.keepsCache = keepsCache
        self.isDirect = isDirect
    }
}

/// What opendir gives back.
public struct OpenedDirectory: Hashable, Sendable {
    /// The handle for what follows.
    public var handle: HandleID
    /// The kernel may keep the listing until it is invalidated.
    public var cachesListing: Bool

    /// Names both.
    public init(handle: HandleID, cachesListing: Bool) {
        self.handle = handle
        self.cachesListing = cachesListing
    }
}

/// One line of a listing.
public struct DirectoryEntry: Hashable, Sendable {
    /// The name; "." and ".." for the first two.
    public var name: String
    /// The inode's number.
    public var inode: InodeID
    /// Folder, file or link.
    public var kind: FileKind
    /// The offset that continues behind this entry.
    public var nextOffset: UInt64
    /// The full entry, when asked for; nil for "." and "..", whose lookups are not counted.
    public var entry: Entry?

    /// Names every field.
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

/// How rename treats an existing target.
public enum RenameMode: Hashable, Sendable {
    /// Replaces it.
    case replace
    /// Fails if it exists (`RENAME_NOREPLACE`).
    case noReplace
    /// Swaps the two (`RENAME_EXCHANGE`).
    case exchange
}

/// What `statfs(2)` shows, in bytes.
public struct SpaceUsage: Hashable, Sendable {
    /// The account's allocation.
    public var totalBytes: Int64
    /// What is left of it.
    public var freeBytes: Int64
    /// Known files and folders.
    public var entryCount: UInt64

    /// Names every field.
    public init(totalBytes: Int64, freeBytes: Int64, entryCount: UInt64) {
        self.totalBytes = totalBytes
        self.freeBytes = freeBytes
        self.entryCount = entryCount
    }
}

/// How setxattr treats an existing attribute.
public enum AttributeWriteMode: Hashable, Sendable {
    /// Creates or replaces.
    case any
    /// Fails if it exists (`XATTR_CREATE`).
    case create
    /// Fails if it does not exist (`XATTR_REPLACE`).
    case replace
}

/// What fallocate shall do with a range.
public enum AllocationMode: Hashable, Sendable {
    /// Extends the file with zeros where it is shorter.
    case extend
    /// Reserves without changing the size; nothing to do here.
    case keepSize
    /// Writes zeros, with the size kept.
    case punchHole
    /// Writes zeros, extending the file unless the size is to be kept.
    case zeroRange(keepsSize: Bool)
}

/// What lseek looks for.
public enum SeekTarget: Hashable, Sendable {
    /// The next byte that is data.
    case data
    /// The next byte that is a hole.
    case hole
}
