// The results of opening files and folders, the entries of listings, and ranges of files.

package import Core

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

/// The origin of written bytes.
package enum WriteOrigin: Hashable, Sendable {
    /// A program's call, with the flags that its descriptor has at that moment: fcntl(2) changes
    /// those of its open, and `RWF_SYNC` and `RWF_DSYNC` of pwritev2(2) are among them.
    case call(OpenFlags)
    /// A page of the kernel's cache, as of a mapping. It goes to its offset, even through a handle
    /// that appends.
    case page

    /// Whether the bytes are flushed before the call returns.
    var isSynchronous: Bool {
        switch self {
        case .call(let flags): flags.isSynchronous
        case .page: false
        }
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

/// The result of an opendir. There are no handles of folders: a read says where it continues.
package struct OpenedDirectory: Hashable, Sendable {
    /// The kernel may keep the listing until it is invalidated.
    package var cachesListing: Bool
    /// The kernel need not ask again: no later opendir of any folder has to wait or to be known.
    package var isLast: Bool

    /// Creates the result of an opendir.
    package init(cachesListing: Bool, isLast: Bool) {
        self.cachesListing = cachesListing
        self.isLast = isLast
    }
}

/// A part of a folder's listing that is asked for.
package struct DirectoryRead: Hashable, Sendable {
    /// 0, or the `nextOffset` of the entry behind which the reader continues.
    package var offset: UInt64
    /// Size of the reader's buffer in bytes.
    package var size: Int
    /// Whether attributes are asked for, too; they add lookups.
    package var withEntries: Bool

    /// Memberwise and without defaults.
    package init(offset: UInt64, size: Int, withEntries: Bool) {
        self.offset = offset
        self.size = size
        self.withEntries = withEntries
    }
}

/// One entry of a directory listing.
package struct DirectoryEntry: Hashable, Sendable {
    /// The bytes of the name; "." and ".." for the first two entries.
    package var name: [UInt8]
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
        name: [UInt8], inode: InodeID, kind: FileKind, nextOffset: UInt64, entry: Entry?
    ) {
        self.name = name
        self.inode = inode
        self.kind = kind
        self.nextOffset = nextOffset
        self.entry = entry
    }
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
