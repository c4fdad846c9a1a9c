// The rows of the tree as values. Not responsible for reading or writing them.

public import ContentHashing
public import Core

/// What a node is.
public enum NodeKind: Int, Hashable, Sendable {
    /// A folder.
    case folder = 0
    /// A file with content.
    case file = 1
    /// A symbolic link.
    case symbolicLink = 2
}

/// A name in a folder.
public struct Place: Hashable, Sendable {
    /// The folder.
    public var parent: InodeID
    /// The name in it.
    public var name: FileName

    /// Names both.
    public init(parent: InodeID, name: FileName) {
        self.parent = parent
        self.name = name
    }

    /// Whether the server takes both for one place, as far as the keys of their names are known.
    public func isSameThere(as other: Place) -> Bool {
        parent == other.parent && name.folded == other.name.folded
    }
}

/// Where the server has a node.
public enum RemoteState: Int, Hashable, Sendable {
    /// Nowhere: not yet, or no more.
    case absent = 0
    /// In the place where users see it.
    case inPlace = 1
    /// In another place, kept in the table `displaced`: a move or a delete is still to be sent.
    case displaced = 2
}

/// Yes-or-no facts of a node.
public struct NodeFlags: OptionSet, Hashable, Sendable {
    /// The bits as stored.
    public let rawValue: Int

    /// Wraps stored bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// A shared folder's rules forbid writing here.
    public static let readOnly = NodeFlags(rawValue: 1)
    /// Only subfolders may be reached through this folder.
    public static let traverseOnly = NodeFlags(rawValue: 2)
    /// Nothing in this folder may be reached.
    public static let noAccess = NodeFlags(rawValue: 4)
    /// The server does not hand out this file's bytes (cloud documents).
    public static let notDownloadable = NodeFlags(rawValue: 8)
    /// Never sent to the server: symbolic links made here, editors' lock files, what patterns match.
    public static let localOnly = NodeFlags(rawValue: 16)
    /// The folder's children are known completely.
    public static let listed = NodeFlags(rawValue: 32)
    /// Another client is between two moves of it; users see it where it was before the first.
    public static let betweenMoves = NodeFlags(rawValue: 128)
    /// A folder that others have deleted, and that stays, unsent, for what in it never leaves this machine.
    public static let keptForLocal = NodeFlags(rawValue: 256)

    /// The flags that say whether the server is owed a node.
    static let decidingMembership: NodeFlags = [.localOnly, .betweenMoves, .keptForLocal]

    /// The server files the name under another key than the predicted one. The name itself says so once a
    /// row is read; this is for the index that finds it.
    static let foreignKey = NodeFlags(rawValue: 64)

    /// The flags that the server decides; the others are this mount's.
    public static let remoteFacts: NodeFlags = [
        .readOnly, .traverseOnly, .noAccess, .notDownloadable,
    ]
}

/// What the server said of a node.
public struct RemoteFacts: Hashable, Sendable {
    /// Dropbox's identity.
    public var id: FileID?
    /// The version of the content; files only.
    public var revision: Revision?
    /// Size of that version in bytes.
    public var size: Int64
    /// Hash of that version.
    public var hash: ContentHash?
    /// The modification time that the uploading client gave.
    public var clientModified: Timestamp?
    /// When the server stored it.
    public var serverModified: Timestamp?
    /// A symbolic link's target.
    public var target: String?
    /// The namespace that a shared folder's mount point opens.
    public var sharedFolderID: String?
    /// The flags among `NodeFlags.remoteFacts`.
    public var flags: NodeFlags

    /// Starts with nothing known.
    public init(
        id: FileID? = nil, revision: Revision? = nil, size: Int64 = 0, hash: ContentHash? = nil,
        clientModified: Timestamp? = nil, serverModified: Timestamp? = nil, target: String? = nil,
        sharedFolderID: String? = nil, flags: NodeFlags = []
    ) {
        self.id = id
        self.revision = revision
        self.size = size
        self.hash = hash
        self.clientModified = clientModified
        self.serverModified = serverModified
        self.target = target
        self.sharedFolderID = sharedFolderID
        self.flags = flags
    }
}

/// What this mount's users set; nil means the default of the mount or the server's fact.
public struct LocalFacts: Hashable, Sendable {
    /// Permission bits (07777).
    public var permissions: UInt16?
    /// Owner.
    public var userID: UInt32?
    /// Group.
    public var groupID: UInt32?
    /// Access time.
    public var accessed: Timestamp?
    /// Modification time; overrides the server's until the content changes there.
    public var modified: Timestamp?
    /// Change time.
    public var changed: Timestamp?

    /// Names what is set.
    public init(
        permissions: UInt16? = nil, userID: UInt32? = nil, groupID: UInt32? = nil,
        accessed: Timestamp? = nil, modified: Timestamp? = nil, changed: Timestamp? = nil
    ) {
        self.permissions = permissions
        self.userID = userID
        self.groupID = groupID
        self.accessed = accessed
        self.modified = modified
        self.changed = changed
    }
}

/// One inode with everything known of it.
public struct Node: Hashable, Sendable {
    /// The inode's number, for ever.
    public var inode: InodeID
    /// Folder, file or link.
    public var kind: NodeKind
    /// Where users see it; nil when it is deleted (but perhaps still open or still on the server), and
    /// for the root.
    public var place: Place?
    /// Where the server has it.
    public var remote: RemoteState
    /// Yes-or-no facts.
    public var flags: NodeFlags
    /// What the server said; its content facts stay after it is gone there, for open handles.
    public var facts: RemoteFacts
    /// What users set.
    public var local: LocalFacts
    /// Content that the server does not have yet.
    public var staged: StagedContent?

    /// The size that users see, in bytes.
    public var size: Int64 { staged?.size ?? facts.size }
    /// The modification time that users see.
    public var modified: Timestamp {
        local.modified ?? facts.clientModified ?? local.changed ?? Timestamp(nanoseconds: 0)
    }
    /// Whether it is neither in the users' tree nor on the server.
    public var isOrphan: Bool { place == nil && remote == .absent && inode != .root }
    /// Whether it is deleted here and the server has yet to be told.
    public var isTombstone: Bool { place == nil && remote == .displaced }
}

/// Content in a staging file, perhaps over parts of a revision that were never fetched.
public struct StagedContent: Hashable, Sendable {
    /// Number of the staging file.
    public var file: Int64
    /// Size of the content in bytes.
    public var size: Int64
    /// Grows with every change of the content; an upload of an older generation is not the last word.
    public var generation: Int64
    /// Where blocks that are not in the staging file come from.
    public var base: Base?
    /// One bit per block of 4 MiB, lowest bit first: whether the staging file has it.
    public var blocks: [UInt8]
    /// Hash of this generation, once it has been computed.
    public var hash: ContentHash?
    /// The newest generation whose bytes have reached the disk; 0 for none.
    public var flushed: Int64 = 0
    /// The newest generation that an fsync has acknowledged; 0 for none. Content with a promise is saved
    /// only after its bytes have reached the disk.
    public var promised: Int64 = 0
    /// The staging file's modification time when the row was written; nil in rows of older versions.
    public var stamp: Timestamp?

    /// Whether all that the row speaks of survives a power cut. An empty file counts as written: the
    /// emptiness may be the first half of a change.
    public var isFlushed: Bool {
        flushed >= generation || base != nil && blocks.allSatisfy { $0 == 0 }
    }

    /// The version under staged content.
    public struct Base: Hashable, Sendable {
        /// Its name on the server.
        public var revision: Revision
        /// Its hash.
        public var hash: ContentHash
        /// Its size in bytes.
        public var size: Int64
        /// How many of its bytes still count: a cut leaves zeros behind, not the old bytes.
        public var limit: Int64

        /// Names every field.
        public init(revision: Revision, hash: ContentHash, size: Int64, limit: Int64) {
            self.revision = revision
            self.hash = hash
            self.size = size
            self.limit = limit
        }
    }

    /// Names every field.
    public init(
        file: Int64, size: Int64, generation: Int64, base: Base?, blocks: [UInt8],
        hash: ContentHash? = nil
    ) {
        self.file = file
        self.size = size
        self.generation = generation
        self.base = base
        self.blocks = blocks
        self.hash = hash
    }
}

/// One line of a folder's listing.
public struct Child: Hashable, Sendable {
    /// The name.
    public var name: FileName
    /// The inode.
    public var inode: InodeID
    /// Folder, file or link.
    public var kind: NodeKind

    /// Names every field.
    public init(name: FileName, inode: InodeID, kind: NodeKind) {
        self.name = name
        self.inode = inode
        self.kind = kind
    }
}

/// A node that the server has yet to be told of.
public struct JournalEntry: Hashable, Sendable {
    /// The node.
    public var inode: InodeID
    /// Its order among the pending ones.
    public var sequence: Int64
    /// Not to be sent before, so that changes which follow each other become one.
    public var due: Timestamp
    /// Failed tries so far.
    public var attempts: Int
    /// What went wrong last, for people.
    public var problem: String?
    /// The folder that users see it in, if the server does not have that folder.
    public var unsentFolder: InodeID?

    /// Names every field.
    public init(
        inode: InodeID, sequence: Int64, due: Timestamp, attempts: Int, problem: String?,
        unsentFolder: InodeID?
    ) {
        self.inode = inode
        self.sequence = sequence
        self.due = due
        self.attempts = attempts
        self.problem = problem
        self.unsentFolder = unsentFolder
    }
}
