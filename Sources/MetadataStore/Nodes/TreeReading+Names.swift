// The names that users see in a folder: those of the server, and own names, whose nodes the server
// has under aliases. Not responsible for the choice of an alias (`Transaction+Names.swift`).

package import Core
import GRDB

extension TreeReading {
    /// The child that users see under exactly this name, byte by byte.
    package func child(_ name: FileName, of parent: InodeID) throws -> Node? {
        if name.own == nil {
            if let node = try child(folded: name.folded, of: parent),
                node.place?.name.isShown(as: name) == true
            {
                return node
            }
            if let node = try foreignChild(name, of: parent), node.place?.name.own == nil {
                return node
            }
        }
        return try child(ownName: name.shown, of: parent)
    }

    /// The child that users see under this name, or else the child with which the name collides, as
    /// far as that can be predicted.
    package func child(like name: FileName, of parent: InodeID) throws -> Node? {
        if let node = try child(name, of: parent) { return node }
        guard name.own == nil else { return nil }
        return try foreignChild(name, of: parent) ?? child(folded: name.folded, of: parent)
    }

    /// The child that users see under this name, or else in another case or composition.
    package func child(folding name: FileName, of parent: InodeID) throws -> Node? {
        if let node = try child(name, of: parent) { return node }
        guard name.own == nil else { return nil }
        if let node = try child(folded: name.folded, of: parent), node.place?.name.own == nil {
            return node
        }
        return try nodes(ownNameFolded: name.folded, of: parent).first
    }

    /// The children with an own name that is another case or composition of one, in the order of
    /// their inodes.
    func nodes(ownNameFolded key: String, of parent: InodeID) throws -> [Node] {
        try nodes(
            "WHERE node.parent = ? AND node.own_fold = ? AND node.own IS NOT NULL ORDER BY node.inode",
            [parent.column, key])
    }

    /// The child of exactly this name, if the server files it under another key than the predicted
    /// one. The folding of ASCII is known.
    func foreignChild(_ name: FileName, of parent: InodeID) throws -> Node? {
        if name.isASCII { return nil }
        return try firstNode(
            "WHERE node.parent = ? AND node.name = ? AND node.flags & 64 <> 0",
            [parent.column, name.string])
    }

    /// The child with this own name.
    func child(ownName bytes: [UInt8], of parent: InodeID) throws -> Node? {
        try firstNode("WHERE node.parent = ? AND node.own = ?", [parent.column, blob(bytes)])
    }

    /// Whether users see a name in a folder, of another node than one.
    func isShown(_ name: FileName, in parent: InodeID, besides inode: InodeID?) throws -> Bool {
        if let node = try child(name, of: parent), node.inode != inode { return true }
        // An own name may be a sibling's on the server.
        guard name.own != nil, Alias(of: name.shown).fault == nil,
            let node = try child(FileName(name.text), of: parent)
        else { return false }
        return node.inode != inode
    }

    /// Whether a node can have a name in a folder: no other node has its key, here or on the
    /// server, nor the name itself, which the server may file under another key than the predicted
    /// one. With `overDeleted`, a tombstone on the server counts as free, because the next node
    /// takes its place there.
    func isFree(
        _ name: FileName, in parent: InodeID, for inode: InodeID?, overDeleted: Bool
    ) throws -> Bool {
        let key = name.folded
        if let node = try child(folded: key, of: parent), node.inode != inode { return false }
        if let node = try foreignChild(name, of: parent), node.inode != inode { return false }
        let isOnServer = { (node: Node?) in
            guard let node else { return false }
            return node.inode != inode && !(overDeleted && node.isTombstone)
        }
        if try isOnServer(remoteChild(folded: key, of: parent)) { return false }
        return try name.isASCII || !isOnServer(remoteChild(like: name, of: parent))
    }

    /// The nodes in the local tree with an alias.
    package func aliasedNodes() throws -> [InodeID] {
        try nodes("WHERE node.own IS NOT NULL", []).map(\.inode)
    }

    /// Whether a node in the local tree has an own name.
    func hasOwnNames() throws -> Bool {
        try database.number("SELECT 1 FROM node WHERE own IS NOT NULL LIMIT 1") != nil
    }
}
