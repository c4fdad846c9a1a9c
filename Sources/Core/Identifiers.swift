// Identifiers shared by several layers: inodes, Dropbox's ids, revisions and cursors. Plain values;
// MetadataStore and RemoteStore hold the objects.

/// A 64-bit inode number, stable for a file's whole life: across rename, upload and remount.
package struct InodeID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The number that the kernel and SQLite use.
    package let rawValue: UInt64

    /// Wraps a number from the kernel or from SQLite.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The mount's root folder; FUSE fixes its number (`FUSE_ROOT_ID`).
    package static let root = InodeID(1)

    /// Compares by the number.
    package static func < (left: InodeID, right: InodeID) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The number as text, for logs.
    package var description: String { "ino:\(rawValue)" }
}

/// Dropbox's id of a file or folder (`id:…`), stable across renames and changes.
package struct FileID: Hashable, Sendable, CustomStringConvertible {
    /// The id's text with the `id:` prefix.
    package let rawValue: String

    /// Takes the text from the API.
    package init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The id's text, for logs.
    package var description: String { rawValue }
}

/// One revision of a file's content on Dropbox (`rev`).
package struct Revision: Hashable, Sendable, CustomStringConvertible {
    /// The revision's text in the API's form.
    package let rawValue: String

    /// Takes the text from the API.
    package init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The revision's text, for logs.
    package var description: String { rawValue }
}

/// A position in the account's stream of changes.
package struct Cursor: Hashable, Sendable {
    /// The opaque text in the API's form.
    package let rawValue: String

    /// Takes the text from the API.
    package init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}
