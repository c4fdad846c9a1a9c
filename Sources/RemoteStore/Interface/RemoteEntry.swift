// Metadata of files and folders, as far as a filesystem needs it.

package import ContentHashing
package import Core
import Saturating

/// A path in the account: names from the root down, each preceded by `/`.
///
/// The root is the empty string, as in the API. Made from validated names only.
package struct RemotePath: Hashable, Sendable, CustomStringConvertible {
    /// The path in the API's form: "" for the root, "/a/b" otherwise.
    package let rawValue: String

    /// The root of the mount.
    package static let root = RemotePath(rawValue: "")

    /// Takes a path that is known to be well formed.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Whether it is a folder's path, or one below it. Both are paths of keys.
    package func isWithin(_ folder: RemotePath) -> Bool {
        self == folder || rawValue.utf8.starts(with: (folder.rawValue + "/").utf8)
    }

    /// The parent folder; the root's is the root.
    package var parent: RemotePath {
        guard let slash = rawValue.utf8.lastIndex(of: UInt8(ascii: "/")) else { return self }
        return RemotePath(rawValue: String(rawValue[..<slash]))
    }

    /// The path and those of the folders above it, the deepest first; without the root.
    package var withAncestors: [RemotePath] {
        Array(sequence(first: self, next: \.parent).prefix { $0 != .root })
    }

    /// The path of a child.
    package func appending(_ name: FileName) -> RemotePath {
        RemotePath(rawValue: "\(rawValue)/\(name.string)")
    }

    /// The names in the path. Split by bytes: a slash and a combining mark are one `Character`.
    package var components: [String] {
        rawValue.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    /// Compares the paths byte by byte.
    package static func == (left: RemotePath, right: RemotePath) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// Hashes the path's bytes.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: rawValue)
    }

    /// The text, for logs.
    package var description: String { rawValue.isEmpty ? "/" : rawValue }
}

/// A file on the server.
package struct RemoteFile: Hashable, Sendable {
    /// The file's Dropbox id.
    package var id: FileID
    /// The revision of its content.
    package var revision: Revision
    /// The content's hash; nil for files that cannot be downloaded (cloud documents).
    package var hash: ContentHash?
    /// The content's size in bytes.
    package var size: Int64
    /// The modification time that the uploading client gave, whole seconds.
    package var clientModified: WallTime
    /// When the server stored it, in whole seconds.
    package var serverModified: WallTime
    /// The target, if Dropbox's own client has stored the file as a symbolic link.
    package var symbolicLinkTarget: LinkTarget?
    /// Whether its bytes can be downloaded.
    package var isDownloadable: Bool
    /// Whether a shared folder's rules forbid writing.
    package var isReadOnly: Bool
    /// The file's POSIX facts, as far as the answer has them.
    package var posix: PosixReport

    /// The target, if the file is a symbolic link: Dropbox's own, or by its facts, as long as no
    /// other client has changed the content.
    package var linkTarget: LinkTarget? {
        symbolicLinkTarget ?? posix.facts?.link(ofContent: hash)
    }

    /// Takes over all fields.
    package init(
        id: FileID, revision: Revision, hash: ContentHash?, size: Int64, clientModified: WallTime,
        serverModified: WallTime, symbolicLinkTarget: LinkTarget? = nil,
        isDownloadable: Bool = true,
        isReadOnly: Bool = false, posix: PosixReport = .untold
    ) {
        self.id = id
        self.revision = revision
        self.hash = hash
        self.size = size
        self.clientModified = clientModified
        self.serverModified = serverModified
        self.symbolicLinkTarget = symbolicLinkTarget
        self.isDownloadable = isDownloadable
        self.isReadOnly = isReadOnly
        self.posix = posix
    }
}

/// A folder on the server.
package struct RemoteFolder: Hashable, Sendable {
    /// The folder's Dropbox id.
    package var id: FileID
    /// The shared folder's namespace, if it is a mount point of one.
    package var sharedFolderID: String?
    /// Whether a shared folder's rules forbid writing.
    package var isReadOnly: Bool
    /// Whether only subfolders may be reached through it.
    package var isTraverseOnly: Bool
    /// Whether nothing in it may be reached.
    package var isNoAccess: Bool
    /// The folder's POSIX facts, as far as the answer has them.
    package var posix: PosixReport

    /// Takes over all fields.
    package init(
        id: FileID, sharedFolderID: String? = nil, isReadOnly: Bool = false,
        isTraverseOnly: Bool = false, isNoAccess: Bool = false, posix: PosixReport = .untold
    ) {
        self.id = id
        self.sharedFolderID = sharedFolderID
        self.isReadOnly = isReadOnly
        self.isTraverseOnly = isTraverseOnly
        self.isNoAccess = isNoAccess
        self.posix = posix
    }
}

/// The POSIX facts of a file or folder, as far as an answer has them.
package enum PosixReport: Hashable, Sendable {
    /// Nothing: the request did not ask for them, or they are not shared.
    case untold
    /// The server has none.
    case missing
    /// The server has these.
    case told(PosixFacts)

    /// The facts that the server has, as far as the answer says.
    package var facts: PosixFacts? { if case .told(let facts) = self { facts } else { nil } }
}

/// One entry of a listing or of a delta, in the order in which the server sent it.
package struct RemoteEntry: Hashable, Sendable {
    /// The kind of an entry.
    package enum Kind: Hashable, Sendable {
        /// A file is at the path.
        case file(RemoteFile)
        /// A folder is at the path.
        case folder(RemoteFolder)
        /// The path and everything below it are deleted.
        case deleted
    }

    /// The server's folded path (`path_lower`), components validated. Each component is used as the
    /// key of a name without further folding: the server's folding rule is not known.
    package var foldedPath: RemotePath
    /// The last component with its case, and its key; the folders' own entries have the case of the
    /// components above.
    package var name: FileName
    /// The kind of the entry.
    package var kind: Kind

    /// The id of the file or folder.
    package var id: FileID? {
        switch kind {
        case .file(let file): file.id
        case .folder(let folder): folder.id
        case .deleted: nil
        }
    }

    /// The entry's POSIX facts, as far as the answer has them.
    package var posix: PosixReport {
        switch kind {
        case .file(let file): file.posix
        case .folder(let folder): folder.posix
        case .deleted: .untold
        }
    }

    /// Bytes of the texts that the server chose, on which the entry's size in memory depends.
    package var textBytes: Int {
        var texts = foldedPath.rawValue.utf8.count +| name.string.utf8.count
        if case .told = posix { texts +|= PosixFacts.longestText }
        return switch kind {
        case .file(let file): texts +| (file.symbolicLinkTarget?.bytes.count ?? 0)
        case .folder, .deleted: texts
        }
    }

    /// Whether the entry is a folder.
    package var isFolder: Bool { if case .folder = kind { true } else { false } }

    /// The content's hash; nil if it is unknown, and of a folder.
    package var hash: ContentHash? { if case .file(let file) = kind { file.hash } else { nil } }

    /// Takes over all fields.
    package init(foldedPath: RemotePath, name: FileName, kind: Kind) {
        self.foldedPath = foldedPath
        self.name = name
        self.kind = kind
    }
}

/// One page of a listing or delta.
package struct RemotePage: Hashable, Sendable {
    /// Entries to apply in order. Entries whose names no filesystem can hold are left out and
    /// counted.
    package var entries: [RemoteEntry]
    /// The position after the page; to be stored together with the entries.
    package var cursor: Cursor
    /// Whether the next page can be requested at once.
    package var hasMore: Bool
    /// Number of the page's entries refused because of invalid names or paths.
    package var refusedCount: Int

    /// Bytes of the entries' texts.
    package var textBytes: Int { entries.reduce(0) { $0 +| $1.textBytes } }

    /// Takes over all fields.
    package init(entries: [RemoteEntry], cursor: Cursor, hasMore: Bool, refusedCount: Int = 0) {
        self.entries = entries
        self.cursor = cursor
        self.hasMore = hasMore
        self.refusedCount = refusedCount
    }
}

/// The account of the token.
package struct RemoteAccount: Hashable, Sendable {
    /// The account's identity (`dbid:…`).
    package var id: String
    /// The user's name, for messages.
    package var displayName: String
    /// The user's e-mail address, for messages.
    package var email: String
    /// The namespace that paths start from.
    package var rootNamespace: String
    /// The namespace of the team's space; nil for users without a team, or with a team without one.
    package var teamNamespace: String?

    /// Takes over all fields.
    package init(
        id: String, displayName: String, email: String, rootNamespace: String,
        teamNamespace: String? = nil
    ) {
        self.id = id
        self.displayName = displayName
        self.email = email
        self.rootNamespace = rootNamespace
        self.teamNamespace = teamNamespace
    }
}

/// Used and available space.
package struct RemoteSpace: Hashable, Sendable {
    /// Number of bytes used.
    package var used: Int64
    /// Bytes allowed to this member, a team's cap included.
    package var allocated: Int64
    /// Whether both are of this account alone, and not of its team.
    package var isPersonal: Bool

    /// Takes over all fields.
    package init(used: Int64, allocated: Int64, isPersonal: Bool = false) {
        self.used = used
        self.allocated = allocated
        self.isPersonal = isPersonal
    }
}
