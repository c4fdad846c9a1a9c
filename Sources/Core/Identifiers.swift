// The identities that several layers speak of: inodes, Dropbox's ids, revisions and cursors.
// Plain values; what they point to lives in MetadataStore and RemoteStore.

/// A 64-bit inode number, stable for a file's whole life: across rename, upload and remount.
public struct InodeID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The number that the kernel and SQLite use.
    public let rawValue: UInt64

    /// Wraps a number from the kernel or from SQLite.
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The mount's root folder; FUSE fixes its number (`FUSE_ROOT_ID`).
    public static let root = InodeID(1)

    /// Orders by number.
    public static func < (left: InodeID, right: InodeID) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The text, for logs.
    public var description: String { "ino:\(rawValue)" }
}

/// Dropbox's identity of a file or folder (`id:…`), kept when it is renamed or changed.
public struct FileID: Hashable, Sendable, CustomStringConvertible {
    /// The text as the API writes it, with the `id:` prefix.
    public let rawValue: String

    /// Wraps the text that the API sent.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The text, for logs.
    public var description: String { rawValue }
}

/// One version of a file's content on Dropbox (`rev`).
public struct Revision: Hashable, Sendable, CustomStringConvertible {
    /// The text as the API writes it.
    public let rawValue: String

    /// Wraps the text that the API sent.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The text, for logs.
    public var description: String { rawValue }
}

/// A place in the account's stream of changes.
public struct Cursor: Hashable, Sendable {
    /// The text as the API writes it; opaque.
    public let rawValue: String

    /// Wraps the text that the API sent.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}
