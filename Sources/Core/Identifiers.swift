// Identifiers shared by several layers: inodes, Dropbox's ids, revisions and cursors. Plain values;
// MetadataStore and RemoteStore hold the objects.

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

    /// Compares by the number.
    public static func < (left: InodeID, right: InodeID) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The number as text, for logs.
    public var description: String { "ino:\(rawValue)" }
}

/// Dropbox's id of a file or folder (`id:…`), stable across renames and changes.
public struct FileID: Hashable, Sendable, CustomStringConvertible {
    /// The id's text with the `id:` prefix.
    public let rawValue: String

    /// Takes the text from the API.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The id's text, for logs.
    public var description: String { rawValue }
}

/// One revision of a file's content on Dropbox (`rev`).
public struct Revision: Hashable, Sendable, CustomStringConvertible {
    /// The revision's text in the API's form.
    public let rawValue: String

    /// Takes the text from the API.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The revision's text, for logs.
    public var description: String { rawValue }
}

/// A position in the account's stream of changes.
public struct Cursor: Hashable, Sendable {
    /// The opaque text in the API's form.
    public let rawValue: String

    /// Takes the text from the API.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}
