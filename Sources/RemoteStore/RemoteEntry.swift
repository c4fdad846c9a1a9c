// What the cloud says of a file or folder, and what of it a filesystem needs.

public import ContentHashing
public import Core

/// A place in the account: names from the root down, joined by `/`, each preceded by one.
///
/// The root is the empty string, as in the API. Built from validated names only.
public struct RemotePath: Hashable, Sendable, CustomStringConvertible {
    /// The text as the API takes it: "" for the root, "/a/b" otherwise.
    public let rawValue: String

    /// The mount's root.
    public static let root = RemotePath(rawValue: "")

    /// Takes over a path that is known to be well formed.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The path of a child.
    public func appending(_ name: FileName) -> RemotePath {
        RemotePath(rawValue: "\(rawValue)/\(name.string)")
    }

    /// The names in it. Split by bytes: a slash and a combining mark are one `Character`.
    public var components: [String] {
        rawValue.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    /// Equal bytes.
    public static func == (left: RemotePath, right: RemotePath) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: rawValue)
    }

    /// The text, for logs.
    public var description: String { rawValue.isEmpty ? "/" : rawValue }
}

/// A file on the server.
public struct RemoteFile: Hashable, Sendable {
    /// Its identity.
    public var id: FileID
    /// Its content; the hash is nil for files that cannot be downloaded (cloud documents).
    public var revision: Revision
    /// The content's hash; nil for cloud documents.
    public var hash: ContentHash?
    /// Size in bytes.
    public var size: Int64
    /// The modification time that the uploading client gave, whole seconds.
    public var clientModified: Timestamp
    /// When the server stored it, whole seconds.
    public var serverModified: Timestamp
    /// The target, if the file is a symbolic link.
    public var symbolicLinkTarget: String?
    /// Whether its bytes can be downloaded.
    public var isDownloadable: Bool
    /// Whether a shared folder's rules forbid writing.
    public var isReadOnly: Bool

    /// Names every field.
    public init(
        id: FileID, revision: Revision, hash: ContentHash?, size: Int64, clientModified: Timestamp,
        serverModified: Timestamp, symbolicLinkTarget: String? = nil, isDownloadable: Bool = true,
        isReadOnly: Bool = false
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
    }
}

/// A folder on the server.
public struct RemoteFolder: Hashable, Sendable {
    /// Its identity.
    public var id: FileID
    /// The namespace that it opens, if it is a shared folder's mount point.
    public var sharedFolderID: String?
    /// Whether a shared folder's rules forbid writing.
    public var isReadOnly: Bool
    /// Whether only subfolders may be reached through it.
    public var isTraverseOnly: Bool
    /// Whether nothing in it may be reached.
    public var isNoAccess: Bool

    /// Names every field.
    public init(
        id: FileID, sharedFolderID: String? = nil, isReadOnly: Bool = false,
        isTraverseOnly: Bool = false, isNoAccess: Bool = false
    ) {
        self.id = id
        self.sharedFolderID = sharedFolderID
        self.isReadOnly = isReadOnly
        self.isTraverseOnly = isTraverseOnly
        self.isNoAccess = isNoAccess
    }
}

/// One entry of a listing or of a delta, in the order in which the server sent it.
public struct RemoteEntry: Hashable, Sendable {
    /// What happened to, or is at, the place.
    public enum Kind: Hashable, Sendable {
        /// A file is here.
        case file(RemoteFile)
        /// A folder is here.
        case folder(RemoteFolder)
        /// Nothing is here any more, nor below.
        case deleted
    }

    /// The folded path by which the server files it (`path_lower`), components validated. Each is the key of
    /// a name, as it stands: what folding made it is not known.
    public var foldedPath: RemotePath
    /// The last component with its case, and its key; the components above come from the folders themselves.
    public var name: FileName
    /// What is there.
    public var kind: Kind

    /// The identity of what is there.
    public var id: FileID? {
        switch kind {
        case .file(let file): file.id
        case .folder(let folder): folder.id
        case .deleted: nil
        }
    }

    /// Whether a folder is there.
    public var isFolder: Bool { if case .folder = kind { true } else { false } }

    /// Names all three.
    public init(foldedPath: RemotePath, name: FileName, kind: Kind) {
        self.foldedPath = foldedPath
        self.name = name
        self.kind = kind
    }
}

/// One page of a listing or delta.
public struct RemotePage: Hashable, Sendable {
    /// Entries to apply in order. Entries whose names no filesystem can hold are left out and counted.
    public var entries: [RemoteEntry]
    /// Where to go on; to be stored together with the entries.
    public var cursor: Cursor
    /// Whether to ask again at once.
    public var hasMore: Bool
    /// Entries of the server's page that were refused because their names or paths are impossible.
    public var refusedCount: Int

    /// Names every field.
    public init(entries: [RemoteEntry], cursor: Cursor, hasMore: Bool, refusedCount: Int = 0) {
        self.entries = entries
        self.cursor = cursor
        self.hasMore = hasMore
        self.refusedCount = refusedCount
    }
}

/// Whose account this is.
public struct RemoteAccount: Hashable, Sendable {
    /// The account's identity (`dbid:…`).
    public var id: String
    /// The person's name, for messages.
    public var displayName: String
    /// The person's address, for messages.
    public var email: String
    /// The namespace that paths start in.
    public var rootNamespace: String
    /// The namespace of the team's space; nil for those who are in no team, or in one without.
    public var teamNamespace: String?

    /// Names every field.
    public init(
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

/// Bytes used and allowed.
public struct RemoteSpace: Hashable, Sendable {
    /// Bytes in use.
    public var used: Int64
    /// Bytes allowed to this member, a team's cap included.
    public var allocated: Int64

    /// Names both.
    public init(used: Int64, allocated: Int64) {
        self.used = used
        self.allocated = allocated
    }
}
