// Previous server paths of moved folders. The next delta may still name entries by them, namely
// deletions that other clients made before the move.

package import Core
import GRDB
import Saturating

extension TreeReading {
    /// The nodes that the server had at a folded path before folders above it were moved: at most
    /// `mostNodesOfPath`, those of the last moves first. None for the path of such a folder itself,
    /// whose deletion there is the move.
    package func nodes(previousFoldedPath foldedPath: String) throws -> [Node] {
        let names = Self.keys(in: foldedPath)
        let paths = try database.cachedStatement(
            sql: "SELECT inode FROM departure WHERE parent = ? AND fold = ? ORDER BY rowid")
        var waiting = [PreviousPathStep(depth: 0, folder: .root, isInMoved: false)]
        // One folder can be reached in several ways, which all end alike.
        var seen = Set(waiting)
        var found: [Node] = []
        while let step = waiting.popLast(), found.count < Self.mostNodesOfPath {
            guard step.depth < names.count else { continue }
            let name = names[step.depth]
            let below = step.depth +| 1
            // The last one is examined first.
            var next = try Int64.fetchAll(paths, arguments: [step.folder.column, name]).map {
                PreviousPathStep(depth: below, folder: InodeID(column: $0), isInMoved: true)
            }
            if let child = try remoteChild(folded: name, of: step.folder) {
                if below == names.count, step.isInMoved { found.append(child) }
                next.append(
                    PreviousPathStep(depth: below, folder: child.inode, isInMoved: step.isInMoved))
            }
            waiting.append(contentsOf: next.filter { seen.insert($0).inserted })
        }
        return found
    }

    /// Number of nodes that one path may have meant: each costs a request.
    private static var mostNodesOfPath: Int { 16 }

    /// The nodes that a deletion at this folded path may mean, below folders that this mount has
    /// moved. If another client had moved such a folder first, and deleted a node in it there, the
    /// path is one that no other delta names. So the nodes are found by the last names of the path,
    /// one or more. `limit` is the maximum number of nodes.
    package func nodesBelowPreviousPaths(
        endingLike foldedPath: String, limit: Int
    ) throws -> [Node] {
        let names = Self.keys(in: foldedPath)
        let folders = try Int64.fetchAll(
            database.cachedStatement(sql: "SELECT DISTINCT inode FROM departure LIMIT ?"),
            arguments: [limit])
        var found: [Node] = []
        for folder in folders.map({ InodeID(column: $0) }) {
            // The first name belongs to a parent of the folder, or to the folder.
            for start in names.indices.dropFirst() where found.count < limit {
                var node: Node?
                for name in names[start...] {
                    node = try remoteChild(folded: name, of: node?.inode ?? folder)
                    if node == nil { break }
                }
                if let node { found.append(node) }
            }
        }
        return found
    }
}

/// A step on the way down a path that may be a previous one.
private struct PreviousPathStep: Hashable {
    /// Number of the path's names that lead to it.
    var depth: Int
    var folder: InodeID
    /// Whether a folder on the way was moved.
    var isInMoved: Bool
}

extension Transaction {
    /// Notes the previous place of a folder before the feed has its move.
    package func notePreviousPath(of inode: InodeID, from place: Place) throws {
        try run(
            "INSERT INTO departure (inode, parent, fold) VALUES (?, ?, ?)",
            [inode.column, place.parent.column, place.name.folded])
    }

    /// Notes the place of a deleted folder if a folder was moved out of it before, because the
    /// previous path of the moved folder leads through it.
    ///
    /// Call it for the inner one of two folders first.
    package func noteDeletion(of inode: InodeID, at place: Place) throws {
        try run(
            "INSERT INTO departure (inode, parent, fold) SELECT ?1, ?2, ?3 "
                + "WHERE EXISTS (SELECT 1 FROM departure WHERE parent = ?1)",
            [inode.column, place.parent.column, place.name.folded])
    }

    /// Drops all previous paths, because the deltas from before those moves are applied.
    package func forgetPreviousPaths() throws {
        try run("DELETE FROM departure", [])
    }
}
