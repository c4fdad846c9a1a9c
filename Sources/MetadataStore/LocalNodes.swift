// What never leaves this machine, asked for as a whole. What makes a node such is decided in FileSystem.

public import Core
import GRDB

/// How much there is that is nowhere else.
public struct LocalTotals: Hashable, Sendable {
    /// Files, folders and links.
    public var entries: Int
    /// Files among them.
    public var files: Int
    /// Bytes of these files.
    public var bytes: Int64
}

extension LocalTotals: RowReadable {
    static let table = "node"

    init(_ row: Columns) throws {
        self.init(
            entries: try row.count(0), files: try row.count(1), bytes: try row.number(2))
    }
}

extension TreeReading {
    /// How much of what users see never leaves this machine.
    public func localTotals() throws -> LocalTotals {
        let statement = try database.cachedStatement(
            sql: """
                SELECT count(*), coalesce(sum(node.kind = ?), 0), coalesce(sum(staged.size), 0)
                FROM node LEFT JOIN staged ON staged.inode = node.inode
                WHERE node.flags & 16 <> 0 AND node.parent IS NOT NULL
                """)
        return try LocalTotals.fetchFirst(statement, [NodeKind.file.rawValue])
            ?? LocalTotals(entries: 0, files: 0, bytes: 0)
    }

    /// What never leaves this machine, but for what is in a folder that does not either.
    public func topmostLocalNodes() throws -> [InodeID] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT node.inode FROM node JOIN node AS folder ON folder.inode = node.parent
                WHERE node.flags & 16 <> 0 AND folder.flags & 16 = 0
                """)
        return try Int64.fetchAll(statement).map { InodeID(column: $0) }
    }
}

extension Transaction {
    /// From now on a node that was only here goes to the server, which lacks it, and so does a folder that
    /// others have deleted and that stayed for its sake. What is in the node is not looked at.
    public func publish(_ inode: InodeID) throws {
        try setFlags(.localOnly, false, of: inode)
    }

    /// From now on a node that the server lacks never leaves this machine.
    public func withdraw(_ inode: InodeID) throws {
        try setFlags(.localOnly, true, of: inode)
    }
}
