// Queries for all local-only nodes. FileSystem decides which nodes are local-only.
//
// `flags & 16` is `NodeFlags.localOnly`, as a literal: SQLite uses the partial index `node_local`
// only for a condition that is written like its own.

package import Core
import GRDB

/// How much is local-only.
package struct LocalTotals: Hashable, Sendable {
    /// Files, folders and links.
    package var entries: Int
    /// Number of files among them.
    package var files: Int
    /// Sum of these files' sizes.
    package var bytes: Int64
    /// Number of symbolic links among the entries.
    package var links: Int
}

extension LocalTotals: RowReadable {
    static let table = "node"
    /// The plus keeps SQLite from the index of places, by which it would read all nodes.
    static let query = """
        SELECT count(*), coalesce(sum(node.kind = ?), 0), coalesce(sum(staged.size), 0),
            coalesce(sum(node.kind = ?), 0)
        FROM node LEFT JOIN staged ON staged.inode = node.inode
        WHERE node.flags & 16 <> 0 AND +node.parent IS NOT NULL
        """

    init(_ row: Columns) throws {
        self.init(
            entries: try row.count(0), files: try row.count(1), bytes: try row.number(2),
            links: try row.count(3))
    }
}

extension TreeReading {
    /// The totals of local-only nodes in the local tree. Reads these only, by their index.
    package func localTotals() throws -> LocalTotals {
        let statement = try database.cachedStatement(sql: LocalTotals.query)
        return try LocalTotals.fetchFirst(
            statement, [NodeKind.file.rawValue, NodeKind.symbolicLink.rawValue])
            ?? LocalTotals(entries: 0, files: 0, bytes: 0, links: 0)
    }

    /// Roots of local-only subtrees: local-only nodes whose parent is synced.
    package func topmostLocalNodes() throws -> [InodeID] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT node.inode FROM node JOIN node AS folder ON folder.inode = node.parent
                WHERE node.flags & 16 <> 0 AND folder.flags & 16 = 0
                """)
        return try Int64.fetchAll(statement).map { InodeID(column: $0) }
    }
}

extension Transaction {
    /// Makes a local-only node a synced node that the server lacks, and with it a parent folder
    /// that was deleted on the server and kept for the node's sake. Does not change the node's
    /// children.
    package func makeSynced(_ inode: InodeID) throws {
        try setFlags(.localOnly, false, of: inode)
    }

    /// Makes a node that the server lacks local-only.
    package func makeLocalOnly(_ inode: InodeID) throws {
        try setFlags(.localOnly, true, of: inode)
    }
}
