// Queries of the tree, for snapshots and transactions alike. Results are values. Not responsible
// for the server's places (`TreeReading+Remote.swift`).

package import ContentHashing
package import Core
import Foundation
package import GRDB
import Saturating

/// A readable state of the database.
package protocol TreeReading {
    /// The connection to SQLite.
    var database: Database { get }
    /// The nodes that a transaction has read since its last change; nil if nothing changes rows.
    var nodesRead: ReadNodes? { get }
}

extension TreeReading {
    /// More names than any path can have (Linux ends at 4,096 bytes). A node that is deeper, by
    /// many moves, has no path.
    static var maximumDepth: Int { 4096 }

    // MARK: Nodes

    /// The node of an inode.
    package func node(_ inode: InodeID) throws -> Node? {
        func fetch() throws -> Node? {
            let statement = try database.cachedStatement(sql: Node.byInode)
            return try Node.fetchFirst(statement, [inode.column])
        }
        guard let nodesRead else { return try fetch() }
        return try nodesRead.node(inode, in: database, fetch)
    }

    /// The node with this server ID.
    package func node(id: FileID) throws -> Node? {
        try firstNode("WHERE node.id = ?", [id.rawValue])
    }

    /// The child that is filed under this key.
    package func child(folded: String, of parent: InodeID) throws -> Node? {
        func fetch() throws -> Node? {
            let statement = try database.cachedStatement(sql: Node.byPlace)
            return try Node.fetchFirst(statement, [parent.column, folded])
        }
        guard let nodesRead else { return try fetch() }
        return try nodesRead.child(folded, of: parent, in: database, fetch)
    }

    /// A folder's children in the order of their folded names.
    package func children(of parent: InodeID) throws -> [Child] {
        let statement = try database.cachedStatement(
            sql: "\(Child.selection) WHERE parent = ? ORDER BY fold")
        return try Child.fetchEvery(statement, [parent.column])
    }

    /// Calls `body` with each of a folder's children, in the order of their folded names.
    package func forEachChild(of parent: InodeID, _ body: (Child) -> Void) throws {
        let statement = try database.cachedStatement(
            sql: "\(Child.selection) WHERE parent = ? ORDER BY fold")
        try Child.forEach(statement, [parent.column], body)
    }

    /// The contents of the server's files below a folder, at any depth; nil if there are more than
    /// `limit` entries. Without files that have unsent changes or cannot be downloaded.
    package func contents(below folder: InodeID, limit: Int) throws -> [(
        hash: ContentHash, size: Int64
    )]? {
        let statement = try database.cachedStatement(
            sql: """
                WITH RECURSIVE folder(inode) AS (
                    SELECT ?1
                    UNION ALL
                    SELECT node.inode FROM folder JOIN node ON node.parent = folder.inode
                    WHERE node.kind = ?2
                )
                SELECT CASE WHEN node.kind = ?3 AND node.remote <> ?4 AND node.flags & ?5 = 0
                        AND NOT EXISTS (SELECT 1 FROM staged WHERE staged.inode = node.inode)
                    THEN node.hash END, node.size
                FROM folder JOIN node ON node.parent = folder.inode
                LIMIT ?6
                """)
        let rows = try ContentRow.fetchEvery(
            statement,
            [
                folder.column, NodeKind.folder.rawValue, NodeKind.file.rawValue,
                RemoteState.absent.rawValue, NodeFlags.notDownloadable.rawValue, limit +| 1,
            ])
        if rows.count > limit { return nil }
        return rows.compactMap { row in row.hash.map { ($0, row.size) } }
    }

    /// The contents that the server has of files in the local tree, if they have one of these
    /// sizes: the hashes by size in bytes. Scans all nodes.
    package func contents(ofSizes sizes: Set<Int64>) throws -> [Int64: Set<ContentHash>] {
        let list = sizes.sorted().map { "\($0)" }.joined(separator: ",")
        let statement = try database.makeStatement(
            sql: """
                SELECT hash, size FROM node
                WHERE kind = ? AND remote <> ? AND parent IS NOT NULL AND size IN (\(list))
                """)
        var contents: [Int64: Set<ContentHash>] = [:]
        try ContentRow.forEach(
            statement, [NodeKind.file.rawValue, RemoteState.absent.rawValue]
        ) { row in
            if let hash = row.hash { contents[row.size, default: []].insert(hash) }
        }
        return contents
    }

    /// Up to `limit` folders of the server without the listed flag, in the order of their inodes,
    /// after one.
    package func unlistedFolders(after inode: InodeID, limit: Int) throws -> [InodeID] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT inode FROM node
                WHERE inode > ? AND kind = ? AND remote <> ? AND flags & ? = 0
                ORDER BY inode LIMIT ?
                """)
        return try Int64.fetchAll(
            statement,
            arguments: [
                inode.column, NodeKind.folder.rawValue, RemoteState.absent.rawValue,
                NodeFlags.listed.rawValue, limit,
            ]
        ).map { InodeID(column: $0) }
    }

    /// Up to `limit` children with all facts, in the order of their folded names, after one.
    package func childNodes(
        of parent: InodeID, afterFolded last: String?, limit: Int
    ) throws -> [Node] {
        try nodes(
            "WHERE node.parent = ? AND node.fold > ? ORDER BY node.fold LIMIT ?",
            [parent.column, last ?? "", limit])
    }

    /// The nodes in the local tree whose folded names contain a text and are what users see. Scans
    /// all of them.
    package func nodes(foldedNameHolding text: String) throws -> [Node] {
        try nodes(
            "WHERE node.parent IS NOT NULL AND node.own IS NULL AND instr(node.fold, ?) > 0 "
                + "ORDER BY node.inode", [text])
    }

    /// Whether an inode is a folder in the local tree.
    package func isFolderInTree(_ inode: InodeID) throws -> Bool {
        let found = try database.number(
            "SELECT 1 FROM node WHERE inode = ? AND kind = 0 AND (parent IS NOT NULL OR inode = 1)",
            [inode.column])
        return found != nil
    }

    /// Whether a folder has a child.
    package func hasChildren(_ parent: InodeID) throws -> Bool {
        try database.number("SELECT 1 FROM node WHERE parent = ? LIMIT 1", [parent.column]) != nil
    }

    /// Number of nodes in the local tree, without the root. It reads an index whole:
    /// `MetadataStore.nodeCount` is for those who ask often.
    package func nodeCount() throws -> Int {
        let statement = try database.cachedStatement(
            sql: "SELECT count(*) FROM node WHERE parent IS NOT NULL")
        return try Int.fetchOne(statement) ?? 0
    }

    /// The names from the root down to a node in the local tree; nil if it has no place.
    package func localPath(of inode: InodeID) throws -> [FileName]? {
        var names: [FileName] = []
        var current = inode
        while current != .root {
            guard names.count < Self.maximumDepth, let place = try node(current)?.place else {
                return nil
            }
            names.append(place.name)
            current = place.parent
        }
        return names.reversed()
    }

    /// The path of a node as users see it, from the root, without a slash at its beginning; nil if
    /// it has no place.
    package func shownPath(of inode: InodeID) throws -> [UInt8]? {
        try localPath(of: inode).map { names in
            Array(names.map(\.shown).joined(separator: [UInt8(ascii: "/")]))
        }
    }

    /// The nodes with a content, anywhere. Reads all nodes.
    package func inodes(withHash hash: ContentHash) throws -> [InodeID] {
        try nodes("WHERE node.hash = ?", [hash.column]).map(\.inode)
    }

    /// Every node but the root, in any place or none; for tests.
    package func everyNode() throws -> [Node] {
        try nodes("WHERE node.inode <> 1 ORDER BY node.inode", [])
    }

    // MARK: Settings and extended attributes

    /// The value of a setting.
    package func setting(_ key: String) throws -> String? {
        try database.text("SELECT value FROM setting WHERE key = ?", [key])
    }

    /// The value of an extended attribute.
    package func attribute(_ name: String, of inode: InodeID) throws -> [UInt8]? {
        let statement = try database.cachedStatement(
            sql: "SELECT value FROM attribute WHERE inode = ? AND name = ?")
        return try Data.fetchOne(statement, arguments: [inode.column, name]).map { Array($0) }
    }

    /// The names of an inode's extended attributes.
    package func attributeNames(of inode: InodeID) throws -> [String] {
        let statement = try database.cachedStatement(
            sql: "SELECT name FROM attribute WHERE inode = ? ORDER BY name")
        return try String.fetchAll(statement, arguments: [inode.column])
    }

    /// Bytes of the names of an inode's extended attributes, each with a NUL.
    package func attributeNamesLength(of inode: InodeID) throws -> Int {
        let length = try database.number(
            "SELECT sum(length(CAST(name AS BLOB)) + 1) FROM attribute WHERE inode = ?",
            [inode.column])
        return Int(clamping: length ?? 0)
    }

    // MARK: Fetching

    func firstNode(_ clause: String, _ arguments: Arguments) throws -> Node? {
        let statement = try database.cachedStatement(sql: "\(Node.selection) \(clause)")
        return try Node.fetchFirst(statement, arguments)
    }

    func nodes(_ clause: String, _ arguments: Arguments) throws -> [Node] {
        let statement = try database.cachedStatement(sql: "\(Node.selection) \(clause)")
        return try Node.fetchEvery(statement, arguments)
    }
}

/// The content of a file on the server.
private struct ContentRow: RowReadable {
    static let table = "node"

    let hash: ContentHash?
    let size: Int64

    init(_ row: Columns) throws {
        hash = try row.hash(ifAny: 0)
        size = try row.size(1)
    }
}
