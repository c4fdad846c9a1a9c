// Checks which folder contains which. No folder ever contains itself, neither in the local tree nor
// in the server's, so every walk up ends. The server decides how deep folders are.

package import Core
import GRDB
import Saturating

/// The change would contradict the stored rows.
package enum TreeContradiction: Error, Hashable, Sendable {
    /// A folder would contain itself.
    case folderInItself(InodeID)
    /// The parent would be no folder, or would not exist.
    case notAFolder(InodeID)
    /// The server would have two nodes at one place, of which this is the present one.
    case taken(InodeID)
}

extension MetadataStore {
    /// Whether a transaction failed because of its data, not because of the disk: it would fail
    /// again.
    package static func isContradiction(_ error: any Error) -> Bool {
        switch error {
        case is TreeContradiction, is FileName.Invalid: true
        case let error as DatabaseError: error.resultCode == .SQLITE_CONSTRAINT
        default: false
        }
    }
}

extension TreeReading {
    /// Whether `inode` is `ancestor` or below it in the local tree.
    package func isInode(_ inode: InodeID, within ancestor: InodeID) throws -> Bool {
        let parent = try database.cachedStatement(sql: "SELECT parent FROM node WHERE inode = ?")
        return try isBelow(inode, ancestor, parent)
    }

    /// Whether the server has `inode` at or below `ancestor`.
    package func isRemote(_ inode: InodeID, within ancestor: InodeID) throws -> Bool {
        let parent = try database.cachedStatement(
            sql: """
                SELECT CASE remote WHEN 1 THEN parent
                    WHEN 2 THEN (SELECT displaced.parent FROM displaced WHERE inode = node.inode) END
                FROM node WHERE inode = ?
                """)
        return try isBelow(inode, ancestor, parent)
    }

    /// Walks up. A foreign database may have a loop: the walk ends where it reaches a folder again
    /// (Brent's algorithm, which remembers one folder at a time).
    private func isBelow(
        _ inode: InodeID, _ ancestor: InodeID, _ parent: Statement
    ) throws -> Bool {
        var current = inode
        var remembered = inode
        var steps = 0
        var lap = 1
        while current != ancestor {
            guard let column = try Int64?.fetchOne(parent, arguments: [current.column]),
                let next = column
            else { return false }
            current = InodeID(column: next)
            if current == remembered { return false }
            steps +|= 1
            if steps == lap {
                remembered = current
                steps = 0
                lap &*= 2
            }
        }
        return true
    }
}

extension Transaction {
    /// Throws unless a node can be in a folder of the local tree.
    func checkPlace(of node: Node, in parent: InodeID) throws {
        if node.place?.parent == parent { return }
        try checkFolder(parent)
        if node.kind == .folder, try isInode(parent, within: node.inode) {
            throw TreeContradiction.folderInItself(node.inode)
        }
    }

    /// Throws unless the server can have a node in a folder.
    func checkRemotePlace(of node: Node, at place: Place) throws {
        try checkFolder(place.parent)
        if node.kind == .folder, try isRemote(place.parent, within: node.inode) {
            throw TreeContradiction.folderInItself(node.inode)
        }
        if let other = try remoteChild(folded: place.name.folded, of: place.parent),
            other.inode != node.inode
        {
            throw TreeContradiction.taken(other.inode)
        }
    }

    private func checkFolder(_ inode: InodeID) throws {
        let kind = try database.number("SELECT kind FROM node WHERE inode = ?", [inode.column])
        guard kind == Int64(clamping: NodeKind.folder.rawValue) else {
            throw TreeContradiction.notAFolder(inode)
        }
    }

    /// Runs a part of the transaction in a savepoint, so that an error rolls back only that part.
    package func undoable<Value>(_ body: () throws -> Value) throws -> Value {
        try end.undoing {
            try end.changes.undoing(in: database, body)
        }
    }
}
