// Queries of the server's places: of displaced nodes they are rows of their own. Not responsible
// for changes of them (`Transaction+Remote.swift`).

package import Core
import GRDB

extension TreeReading {
    /// The remote place of a node; nil for the root and for an absent node.
    package func remotePlace(of node: Node) throws -> Place? {
        switch node.remote {
        case .absent: nil
        case .inPlace: node.place
        case .displaced: try displacedPlace(of: node.inode)
        }
    }

    /// The node that the server has under a key in a folder.
    package func remoteChild(folded: String, of parent: InodeID) throws -> Node? {
        let displaced = try firstNode(
            "JOIN displaced ON displaced.inode = node.inode "
                + "WHERE displaced.parent = ? AND displaced.fold = ?",
            [parent.column, folded])
        if let displaced {
            return displaced
        }
        let inPlace = try child(folded: folded, of: parent)
        return inPlace?.remote == .inPlace ? inPlace : nil
    }

    /// The node that the server has by this name in a folder, or else the one that it collides with
    /// as far as that can be predicted.
    package func remoteChild(like name: FileName, of parent: InodeID) throws -> Node? {
        let node = try remoteChild(folded: name.folded, of: parent)
        if name.isASCII { return node }
        if let node, try remotePlace(of: node)?.name.hasBytes(of: name) == true { return node }
        // The server composes names.
        let composed = (try? FileName(Folding.compose(name.string))) ?? name
        let displaced = try firstNode(
            "JOIN displaced ON displaced.inode = node.inode "
                + "WHERE displaced.parent = ? AND displaced.name IN (?, ?)",
            [parent.column, name.string, composed.string])
        if let displaced { return displaced }
        let foreign = try foreignChild(name, of: parent) ?? foreignChild(composed, of: parent)
        return foreign?.remote == .inPlace ? foreign : node
    }

    /// The nodes that the server has in a folder.
    package func remoteChildren(of parent: InodeID) throws -> [Node] {
        let inPlace = try nodes("WHERE node.parent = ? AND node.remote = 1", [parent.column])
        let displaced = try nodes(
            "JOIN displaced ON displaced.inode = node.inode WHERE displaced.parent = ?",
            [parent.column])
        return [inPlace, displaced].flatMap(\.self)
    }

    /// One of the nodes that the server has in a folder and that are not to be deleted with it:
    /// those in the local tree, and files of known revisions. Many may be waiting there.
    package func remoteChildToKeep(in parent: InodeID) throws -> InodeID? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT inode FROM node WHERE parent = ?1 AND remote = 1
                UNION ALL
                SELECT node.inode FROM displaced JOIN node ON node.inode = displaced.inode
                WHERE displaced.parent = ?1
                    AND (node.parent IS NOT NULL OR node.kind <> 0 AND node.revision IS NOT NULL)
                LIMIT 1
                """)
        return try Int64.fetchOne(statement, arguments: [parent.column]).map {
            InodeID(column: $0)
        }
    }

    /// The folders that the server has in a folder and users have deleted.
    package func deletedFolders(in parent: InodeID) throws -> [InodeID] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT node.inode FROM displaced JOIN node ON node.inode = displaced.inode
                WHERE displaced.parent = ? AND node.parent IS NULL AND node.kind = 0
                """)
        return try Int64.fetchAll(statement, arguments: [parent.column]).map {
            InodeID(column: $0)
        }
    }

    /// The remote path of a node ("" for the root); nil if it or a parent is absent.
    package func remotePath(of inode: InodeID) throws -> String? {
        try remoteNames(of: inode)?.map { "/" + $0.string }.joined()
    }

    /// The remote path of a node in keys ("" for the root); nil if it or a parent is absent.
    package func remoteKeyPath(of inode: InodeID) throws -> String? {
        try remoteNames(of: inode)?.map { "/" + $0.folded }.joined()
    }

    /// The path of keys for a path of names; from the first unknown name on, keys are predicted.
    package func remoteKeyPath(ofNames names: [FileName]) throws -> String {
        var path = ""
        var folder: InodeID? = .root
        for name in names {
            let node = try folder.flatMap { try remoteChild(like: name, of: $0) }
            let known = try node.flatMap { try remotePlace(of: $0) }
            path.append("/\((known?.name ?? name).folded)")
            folder = node?.inode
        }
        return path
    }

    /// The names from the root down to a node in the local tree; of a deleted node, those of its
    /// remote path. Nil if it has neither.
    package func knownNames(of inode: InodeID) throws -> [FileName]? {
        try localPath(of: inode) ?? remoteNames(of: inode)
    }

    private func remoteNames(of inode: InodeID) throws -> [FileName]? {
        var names: [FileName] = []
        var current = inode
        while current != .root {
            guard names.count < Self.maximumDepth, let node = try node(current),
                let place = try remotePlace(of: node)
            else { return nil }
            names.append(place.name)
            current = place.parent
        }
        return names.reversed()
    }

    /// The node at a path of keys on the server.
    package func remoteNode(foldedPath: String) throws -> Node? {
        var current = try node(.root)
        for key in Self.keys(in: foldedPath) {
            guard let parent = current else { return nil }
            current = try remoteChild(folded: key, of: parent.inode)
        }
        return current
    }

    /// Split by bytes, because a slash and a combining mark are one `Character`.
    static func keys(in path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    /// A file that the server has in this very revision.
    package func remoteFile(revision: Revision) throws -> Node? {
        try firstNode("WHERE node.revision = ? AND node.remote <> 0 LIMIT 1", [revision.rawValue])
    }

    private func displacedPlace(of inode: InodeID) throws -> Place? {
        let statement = try database.cachedStatement(
            sql: "SELECT parent, name, fold, own FROM displaced WHERE inode = ?")
        return try DisplacedRow.fetchFirst(statement, [inode.column])?.place
    }
}

/// The remote place of a displaced node.
private struct DisplacedRow: RowReadable {
    static let table = "displaced"

    let place: Place

    init(_ row: Columns) throws {
        let own = try row.bytes(ifAny: 3).map { try OwnName($0) }
        place = Place(
            parent: try row.inode(0), name: try FileName(row.text(1), key: row.text(2), own: own))
    }
}
