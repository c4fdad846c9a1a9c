// Where the server had folders before this mount moved them, or found them elsewhere by looking. The feed's
// next news can still name things by those places: what others deleted below before the move.

public import Core
import GRDB

extension TreeReading {
    /// The node that the server had at a folded path when a folder above it was not moved yet. Nil for
    /// the path of the folder itself, whose deletion there is the move.
    public func departedNode(foldedPath: String) throws -> Node? {
        let names = Self.keys(in: foldedPath)
        return try departedNode(names[...], below: .root, isInMoved: false)
    }

    private func departedNode(
        _ names: ArraySlice<String>, below parent: InodeID, isInMoved: Bool
    ) throws -> Node? {
        guard let name = names.first else { return nil }
        let rest = names.dropFirst()
        if let child = try remoteChild(folded: name, of: parent) {
            if rest.isEmpty { return isInMoved ? child : nil }
            let found = try departedNode(rest, below: child.inode, isInMoved: isInMoved)
            if let found { return found }
        }
        let statement = try database.cachedStatement(
            sql: "SELECT inode FROM departure WHERE parent = ? AND fold = ? ORDER BY rowid DESC")
        let moved = try Int64.fetchAll(statement, arguments: [parent.column, name])
        for inode in moved {
            let found = try departedNode(rest, below: InodeID(column: inode), isInMoved: true)
            if let found { return found }
        }
        return nil
    }
}

extension Transaction {
    /// Notes the place that a folder has left before the feed tells of it.
    public func noteDeparture(of inode: InodeID, from place: Place) throws {
        try run(
            "INSERT INTO departure (inode, parent, fold) VALUES (?, ?, ?)",
            [inode.column, place.parent.column, place.name.folded])
    }

    /// All news from before those moves are in.
    public func forgetDepartures() throws {
        try run("DELETE FROM departure", [])
    }
}
