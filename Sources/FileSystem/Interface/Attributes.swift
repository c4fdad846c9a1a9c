// The attributes of inodes, as operations take and return them. Names are in `Lookups.swift`, open
// files in `OpenedFiles.swift`.

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
    /// A FIFO, which is never sent.
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

    /// Whether the kernel may have bytes behind `size`, and shows a size of its own.
    package var isSizeKernels = false

    /// Size in units of 512 bytes, as in `st_blocks`. At least one unit for a file that has bytes,
    /// or may have: programs take a file with 0 blocks for all holes.
    package var blocks: Int64 {
        let whole = max(size / 512 +| (size % 512 > 0 ? 1 : 0), isSizeKernels ? 1 : 0)
        guard let occupied else { return whole }
        return min(whole, max(1, occupied / 512))
    }
}

/// The uses of a node that access(2) asks about.
package struct AccessKinds: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The reading of a file, or the listing of a folder.
    package static let read = AccessKinds(rawValue: 1)
    /// The writing of a file, or a change of the names in a folder.
    package static let write = AccessKinds(rawValue: 2)
    /// The execution of a file.
    package static let execute = AccessKinds(rawValue: 4)
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
