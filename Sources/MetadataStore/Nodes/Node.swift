// The rows of the tree as values. Not responsible for reading or writing them.

package import ContentHashing
package import Core

/// The type of a node.
package enum NodeKind: Int, Hashable, Sendable {
    /// A folder, with children.
    case folder = 0
    /// A file with content.
    case file = 1
    /// A symbolic link with a target.
    case symbolicLink = 2
    /// A named pipe, which programs of this machine open.
    case fifo = 3
    /// The address of a socket, to which programs of this machine connect.
    case socket = 4
}

/// A name in a folder.
package struct Place: Hashable, Sendable {
    /// Inode of the folder.
    package var parent: InodeID
    /// The name in it.
    package var name: FileName

    /// Memberwise and without defaults.
    package init(parent: InodeID, name: FileName) {
        self.parent = parent
        self.name = name
    }

    /// Whether the server takes both for one place, as far as the keys of their names are known.
    package func isSameThere(as other: Place) -> Bool {
        parent == other.parent && name.folded == other.name.folded
    }
}

/// The relation of a node's remote place to its local one.
package enum RemoteState: Int, Hashable, Sendable {
    /// The server does not have it, not yet or no longer.
    case absent = 0
    /// The server has it in its local place.
    case inPlace = 1
    /// The server has it in another place, kept in the table `displaced`: a move or a deletion is
    /// still to be sent.
    case displaced = 2
}

/// Boolean facts of a node.
package struct NodeFlags: OptionSet, Hashable, Sendable {
    /// The bits as stored.
    package let rawValue: Int

    /// Wraps the stored bits.
    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// A shared folder's rules forbid writing here.
    package static let readOnly = NodeFlags(rawValue: 1)
    /// Only subfolders may be reached through this folder.
    package static let traverseOnly = NodeFlags(rawValue: 2)
    /// The contents of this folder are inaccessible.
    package static let noAccess = NodeFlags(rawValue: 4)
    /// The server does not hand out this file's bytes (cloud documents).
    package static let notDownloadable = NodeFlags(rawValue: 8)
    /// Never sent to the server: FIFOs and sockets, links that Dropbox cannot keep, editors' lock
    /// files, matches of ignore patterns.
    package static let localOnly = NodeFlags(rawValue: 16)
    /// The folder's children are all known.
    package static let listed = NodeFlags(rawValue: 32)
    /// Another client is between two moves of it; users see it where it was before the first.
    package static let betweenMoves = NodeFlags(rawValue: 128)
    /// A folder that was deleted on the server, and is kept, unsent, for its local-only contents.
    package static let keptForLocal = NodeFlags(rawValue: 256)

    /// The own name of the node was made here, because a user of this mount has given its name to
    /// another node. In rows only: the name itself has it once a row is read.
    static let madeOwnName = NodeFlags(rawValue: 4096)

    /// Users have set facts (`PosixFacts`) that differ from those that the server has.
    package static let factsOwed = NodeFlags(rawValue: 1024)

    /// Users have renamed the node to the name that the server has, and the server has told an own
    /// name that others would see in its place.
    package static let storedNameGiven = NodeFlags(rawValue: 8192)

    /// The node has taken over a file of the server that it replaces, which has the former content
    /// there until its own is stored.
    package static let replacing = NodeFlags(rawValue: 16_384)

    /// The flags that decide whether a node is in the journal.
    static let decidingMembership: NodeFlags = [
        .localOnly, .betweenMoves, .keptForLocal, .factsOwed,
    ]

    /// The server files the name under another key than the predicted one. The name itself has the
    /// key once a row is read; the flag is for the index that finds it.
    static let foreignKey = NodeFlags(rawValue: 64)

    /// The flags by which the server forbids writing, or looking into a folder; not downloads.
    package static let rights: NodeFlags = [.readOnly, .traverseOnly, .noAccess]

    /// The flags that the server decides; the other ones are local.
    package static let remoteFacts: NodeFlags = rights.union(.notDownloadable)
}

/// The server's facts about a node.
package struct RemoteFacts: Hashable, Sendable {
    /// The server's ID of the node.
    package var id: FileID?
    /// The revision of the content; files only.
    package var revision: Revision?
    /// Size of that revision in bytes.
    package var size: Int64
    /// Content hash of that revision.
    package var hash: ContentHash?
    /// The modification time that the uploading client gave.
    package var clientModified: WallTime?
    /// When the server stored it.
    package var serverModified: WallTime?
    /// A symbolic link's target.
    package var target: LinkTarget?
    /// The namespace of a shared folder's mount point.
    package var sharedFolderID: String?
    /// The flags among `NodeFlags.remoteFacts`.
    package var flags: NodeFlags

    /// Memberwise; by default unknown.
    package init(
        id: FileID? = nil, revision: Revision? = nil, size: Int64 = 0, hash: ContentHash? = nil,
        clientModified: WallTime? = nil, serverModified: WallTime? = nil, target: LinkTarget? = nil,
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

/// The facts that this mount's users set; nil means the default of the mount or the server's fact.
package struct LocalFacts: Hashable, Sendable {
    /// Permission bits (07777) only.
    package var permissions: UInt16?
    /// User ID of the owner.
    package var userID: UInt32?
    /// Group ID of the owner.
    package var groupID: UInt32?
    /// Time of the last access.
    package var accessed: WallTime?
    /// Modification time; overrides the server's until the content changes there.
    package var modified: WallTime?
    /// Time of the last status change (ctime).
    package var changed: WallTime?

    /// Memberwise; by default not set.
    package init(
        permissions: UInt16? = nil, userID: UInt32? = nil, groupID: UInt32? = nil,
        accessed: WallTime? = nil, modified: WallTime? = nil, changed: WallTime? = nil
    ) {
        self.permissions = permissions
        self.userID = userID
        self.groupID = groupID
        self.accessed = accessed
        self.modified = modified
        self.changed = changed
    }
}

/// One inode with all its facts.
package struct Node: Hashable, Sendable {
    /// Inode number, never reused.
    package var inode: InodeID
    /// Folder, file or symbolic link.
    package var kind: NodeKind
    /// Its place in the local tree; nil if it is deleted (but perhaps still open or still on the
    /// server), and for the root.
    package var place: Place?
    /// The state of its place on the server.
    package var remote: RemoteState
    /// Boolean facts of the node.
    package var flags: NodeFlags
    /// The server's facts; those of the content are kept after a remote deletion, for open handles.
    package var facts: RemoteFacts
    /// The facts that users set.
    package var local: LocalFacts
    /// Content that the server lacks.
    package var staged: StagedContent?

    /// The size that users see, in bytes.
    package var size: Int64 { staged?.size ?? facts.size }
    /// The modification time that users see.
    package var modified: WallTime {
        local.modified ?? facts.clientModified ?? local.changed ?? WallTime(nanoseconds: 0)
    }
    /// Whether it is neither in the local tree nor on the server.
    package var isOrphan: Bool { place == nil && remote == .absent && inode != .root }
    /// Whether it is a cloud document: its bytes can be neither fetched nor replaced.
    package var isCloudDocument: Bool {
        kind == .file && flags.contains(.notDownloadable) && staged == nil
    }
    /// Whether it is deleted locally and the deletion is still to be sent.
    package var isTombstone: Bool { place == nil && remote == .displaced }
}

/// Content in a staging file, perhaps over unfetched parts of a base revision.
package struct StagedContent: Hashable, Sendable {
    /// Number of the staging file.
    package var file: Int64
    /// Size of the content in bytes.
    package var size: Int64
    /// Grows with every change of the content; an upload of an older generation is not the last
    /// one.
    package var generation: Int64
    /// The revision that has the blocks which are not in the staging file.
    package var base: Base?
    /// One bit per block of 4 MiB, lowest bit first: whether the staging file has it.
    package var blocks: [UInt8]
    /// Hash of this generation, once it has been computed.
    package var hash: ContentHash?
    /// The newest generation that was flushed; 0 for none.
    package var flushed: Int64 = 0
    /// The newest generation that an fsync has acknowledged; 0 for none. Content with a promise is
    /// saved only after it was flushed.
    package var promised: Int64 = 0
    /// The staging file's modification time when the row was written or its bytes were flushed;
    /// nil in rows of older versions.
    package var stamp: WallTime?

    /// Whether all content of the row survives a power cut. An empty file counts as written,
    /// because truncating it may be the first half of a change.
    package var isFlushed: Bool {
        flushed >= generation || base != nil && blocks.allSatisfy { $0 == 0 }
    }

    /// The revision under staged content.
    package struct Base: Hashable, Sendable {
        /// ID of the revision.
        package var revision: Revision
        /// Hash of its content.
        package var hash: ContentHash
        /// Size of the revision in bytes.
        package var size: Int64
        /// How many of its bytes are in use: a truncation leaves zeros behind, not the old bytes.
        package var limit: Int64

        /// Memberwise and without defaults.
        package init(revision: Revision, hash: ContentHash, size: Int64, limit: Int64) {
            self.revision = revision
            self.hash = hash
            self.size = size
            self.limit = limit
        }
    }

    /// Memberwise; nothing is flushed yet.
    package init(
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

/// One entry of a folder's listing.
package struct Child: Hashable, Sendable {
    /// Name of the child.
    package var name: FileName
    /// Inode of the child.
    package var inode: InodeID
    /// Folder, file or symbolic link.
    package var kind: NodeKind

    /// Memberwise and without defaults.
    package init(name: FileName, inode: InodeID, kind: NodeKind) {
        self.name = name
        self.inode = inode
        self.kind = kind
    }
}

/// A node with an unsent change.
package struct JournalEntry: Hashable, Sendable {
    /// Inode of the node.
    package var inode: InodeID
    /// Its order among the entries.
    package var sequence: Int64
    /// Not to be sent before, so that successive changes become one.
    package var due: WallTime
    /// Number of failed tries.
    package var attempts: Int
    /// The last problem, for people.
    package var problem: String?
    /// The parent folder, if the server lacks it.
    package var unsentFolder: InodeID?

    /// Memberwise and without defaults.
    package init(
        inode: InodeID, sequence: Int64, due: WallTime, attempts: Int, problem: String?,
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
