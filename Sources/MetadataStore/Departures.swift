// Where the server had folders before this mount moved them, or found them elsewhere by looking. The feed's
// next delta can still name things by those places: what others deleted below before the move.

public import Core
import GRDB

extension TreeReading {
    /// The node that the server had at a folded path when a folder above it was not moved yet. Nil for
    /// the path of the folder itself, whose deletion there is the move.
    public func departedNode(foldedPath: String) throws -> Node? {
        let names = Self.keys(in: foldedPath)
        let departures = try database.cachedStatement(
            sql: "SELECT inode FROM departure WHERE parent = ? AND fold = ? ORDER BY rowid")
        var waiting = [DepartureStep(depth: 0, folder: .root, isInMoved: false)]
        // One folder can be reached in many ways, each of which has the same end.
        var seen = Set(waiting)
        while let step = waiting.popLast() {
            guard step.depth < names.count else { continue }
            let name = names[step.depth]
            let below = step.depth +| 1
            // The one that is looked at first is the last one.
            var next = try Int64.fetchAll(departures, arguments: [step.folder.column, name]).map {
                DepartureStep(depth: below, folder: InodeID(column: $0), isInMoved: true)
            }
            if let child = try remoteChild(folded: name, of: step.folder) {
                if below == names.count, step.isInMoved { return child }
                next.append(
                    DepartureStep(depth: below, folder: child.inode, isInMoved: step.isInMoved))
            }
            waiting.append(contentsOf: next.filter { seen.insert($0).inserted })
        }
        return nil
    }
}

extension TreeReading {
    /// Nodes below folders that were moved here which a deletion at this folded path may be about, if others had moved
    /// the folder before: then the server had it at a place that no delta tells any more. They have the last names of
    /// the path, one or more; `limit` is how many are looked for.
    public func nodesInDepartedFolders(
        endingLike foldedPath: String, limit: Int
    ) throws -> [Node] {
        let names = Self.keys(in: foldedPath)
        let folders = try Int64.fetchAll(
            database.cachedStatement(sql: "SELECT DISTINCT inode FROM departure LIMIT ?"),
            arguments: [limit])
        var found: [Node] = []
        for folder in folders.map({ InodeID(column: $0) }) {
            // The first name is of what is above the folder, or of the folder.
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

/// A folder on the way down a path that may have been so earlier.
private struct DepartureStep: Hashable {
    /// How many names of the path lead to it.
    var depth: Int
    var folder: InodeID
    /// Whether a folder on the way was moved.
    var isInMoved: Bool
}

extension Transaction {
    /// Notes the place that a folder has left before the feed tells of it.
    public func noteDeparture(of inode: InodeID, from place: Place) throws {
        try run(
            "INSERT INTO departure (inode, parent, fold) VALUES (?, ?, ?)",
            [inode.column, place.parent.column, place.name.folded])
    }

    /// Notes the place that a folder had when it was deleted, if a folder was moved out of it before: the way to
    /// that one's old place leads through it.
    ///
    /// To be called for the inner one of two folders first.
    public func noteDeletion(of inode: InodeID, at place: Place) throws {
        try run(
            "INSERT INTO departure (inode, parent, fold) SELECT ?1, ?2, ?3 "
                + "WHERE EXISTS (SELECT 1 FROM departure WHERE parent = ?1)",
            [inode.column, place.parent.column, place.name.folded])
    }

    /// All deltas from before those moves are in.
    public func forgetDepartures() throws {
        try run("DELETE FROM departure", [])
    }
}
