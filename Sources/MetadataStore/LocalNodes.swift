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

    /// Whether something in a folder is still to be sent.
    public func hasQueuedChildren(_ folder: InodeID) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: """
                SELECT 1 FROM node JOIN journal ON journal.inode = node.inode
                WHERE node.parent = ? LIMIT 1
                """)
        return try Int.fetchOne(statement, arguments: [folder.column]) != nil
    }
}

extension Transaction {
    /// From now on a node that was only here goes to the server, which lacks it, and so does a folder that
    /// others have deleted and that stayed for its sake. What is in the node is not looked at.
    public func publish(_ inode: InodeID, due: Timestamp) throws {
        try setFlags(.localOnly, false, of: inode)
        try enqueue(inode, due: due)
        if let folder = try node(inode)?.place?.parent {
            try sendUnlessKept(folder)
        }
    }

    /// A folder that others have deleted stays here, unsent, as long as something in it never leaves this
    /// machine (`keepsLocalNodes`). When that is over it is a folder like others, which the server lacks;
    /// so are those above it that stayed for its sake.
    func sendUnlessKept(_ folder: InodeID) throws {
        var current = folder
        while current != .root, let node = try node(current), let parent = node.place?.parent,
            try isUnsent(node), try !keepsLocalNodes(current)
        {
            // At once: whatever there was to wait for is over.
            try enqueue(current, due: Timestamp(nanoseconds: 0))
            current = parent
        }
    }

    private func keepsLocalNodes(_ folder: InodeID) throws -> Bool {
        // Asked at each deletion of many: the first one found is enough.
        let local = try database.cachedStatement(
            sql: "SELECT 1 FROM node WHERE parent = ? AND flags & 16 <> 0 LIMIT 1")
        var waiting = [folder]
        while let folder = waiting.popLast() {
            if try Int.fetchOne(local, arguments: [folder.column]) != nil { return true }
            for child in try children(of: folder) {
                guard let node = try node(child.inode), try isUnsent(node) else { continue }
                waiting.append(node.inode)
            }
        }
        return false
    }

    /// Whether it is a folder that only this machine has and that is not queued.
    private func isUnsent(_ node: Node) throws -> Bool {
        try node.kind == .folder && node.remote == .absent && !node.flags.contains(.localOnly)
            && journalEntry(of: node.inode) == nil
    }
}
