// Pinned nodes, whose content is kept on this disk, and the files that they cover: all below a
// pinned folder at the time of the query. Not responsible for fetching.

package import ContentHashing
package import Core
import GRDB

/// A file that is pinned, by itself or by a folder above.
package struct PinnedFile: Hashable, Sendable {
    /// Inode of the file.
    package var inode: InodeID
    /// Size in bytes, as users see it.
    package var size: Int64
    /// The server's revision; with local changes, their base.
    package var revision: Revision?
    /// Its hash; nil if it cannot be downloaded.
    package var hash: ContentHash?
    /// Whether the server hands out its bytes.
    package var isDownloadable: Bool
    /// Whether it has local changes that are still to be sent.
    package var isStaged: Bool
    /// The hash of the staged content, once it is known.
    package var stagedHash: ContentHash?

    /// Memberwise; by default downloadable and clean.
    package init(
        inode: InodeID, size: Int64, revision: Revision?, hash: ContentHash?,
        isDownloadable: Bool = true, isStaged: Bool = false, stagedHash: ContentHash? = nil
    ) {
        self.inode = inode
        self.size = size
        self.revision = revision
        self.hash = hash
        self.isDownloadable = isDownloadable
        self.isStaged = isStaged
        self.stagedHash = stagedHash
    }
}

extension TreeReading {
    /// The pinned nodes in the local tree, in the order of their inodes.
    package func pins() throws -> [InodeID] {
        let statement = try database.cachedStatement(sql: Self.visiblePins)
        return try Int64.fetchAll(statement).map { InodeID(column: $0) }
    }

    /// Whether a node itself is pinned.
    package func isPinned(_ inode: InodeID) throws -> Bool {
        let statement = try database.cachedStatement(sql: "SELECT 1 FROM pin WHERE inode = ?")
        return try Int.fetchOne(statement, arguments: [inode.column]) != nil
    }

    /// The nearest pinned folder above a node in the local tree.
    package func pinnedFolder(above inode: InodeID) throws -> InodeID? {
        var seen: Set<InodeID> = []
        var current = inode
        while let place = try node(current)?.place, seen.insert(current).inserted {
            current = place.parent
            if try isPinned(current) { return current }
        }
        return nil
    }

    /// Calls `body` once with each pinned file; with `roots`, with each of those nodes and the
    /// files below them.
    package func forEachPinnedFile(
        below roots: [InodeID]? = nil, _ body: (PinnedFile) throws -> Void
    ) throws {
        let start = roots.map { roots in
            "SELECT inode FROM node WHERE inode IN (\(roots.map { "\($0.column)" }.joined(separator: ",")))"
        }
        let sql = Self.selection(from: start ?? Self.visiblePins)
        let statement =
            try start == nil
            ? database.cachedStatement(sql: sql) : database.makeStatement(sql: sql)
        try PinnedFile.forEach(statement, [], body)
    }

    /// Pins of deleted nodes wait until the node is removed or restored.
    private static var visiblePins: String {
        """
        SELECT pin.inode FROM pin JOIN node ON node.inode = pin.inode
        WHERE node.parent IS NOT NULL OR node.inode = 1 ORDER BY pin.inode
        """
    }

    /// All nodes below some nodes in the local tree.
    private static func selection(from start: String) -> String {
        """
        WITH RECURSIVE covered(inode) AS (
            SELECT inode FROM (\(start))
            UNION
            SELECT node.inode FROM covered JOIN node ON node.parent = covered.inode
        )
        SELECT node.inode, node.flags, node.size, node.revision, node.hash,
            staged.size, staged.base_revision, staged.base_hash, staged.hash
        FROM covered JOIN node ON node.inode = covered.inode
            LEFT JOIN staged ON staged.inode = node.inode
        WHERE node.kind = \(NodeKind.file.rawValue)
        """
    }
}

extension Transaction {
    /// Pins a node, or unpins it.
    package func setPin(_ isPinned: Bool, of inode: InodeID) throws {
        try run(
            isPinned
                ? "INSERT OR IGNORE INTO pin (inode) VALUES (?)"
                : "DELETE FROM pin WHERE inode = ?",
            [inode.column])
    }

    /// Moves a node's pin, if it has one, to its successor in the local tree.
    package func handOverPin(from old: InodeID, to new: InodeID) throws {
        try run("UPDATE OR REPLACE pin SET inode = ? WHERE inode = ?", [new.column, old.column])
    }
}

extension PinnedFile: RowReadable {
    static let table = "node"

    /// Decodes a row of the selection above.
    init(_ row: Columns) throws {
        let stagedSize = try row.size(ifAny: 5)
        let revision = try row.text(ifAny: stagedSize == nil ? 3 : 6)
        self.init(
            inode: try row.inode(0), size: try stagedSize ?? row.size(2),
            revision: revision.map { Revision($0) },
            hash: try row.hash(ifAny: stagedSize == nil ? 4 : 7),
            isDownloadable: try !row.flags(1).contains(.notDownloadable),
            isStaged: stagedSize != nil, stagedHash: try row.hash(ifAny: 8))
    }
}
