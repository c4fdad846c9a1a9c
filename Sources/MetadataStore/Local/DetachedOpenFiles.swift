// Detached open files: where open files were when a delta removed them. A write through such a
// handle reattaches the file.

package import Core
import GRDB

extension TreeReading {
    /// The place from which a delta detached an open file; nil if none did, or if users deleted it.
    package func detachedPlace(of inode: InodeID) throws -> Place? {
        let statement = try database.cachedStatement(
            sql: "SELECT parent, name, own FROM eviction WHERE inode = ?")
        return try DetachedOpenFileRow.fetchFirst(statement, [inode.column])?.place
    }

    /// The last open file that a delta detached from a place.
    package func detachedOpenFile(from place: Place) throws -> InodeID? {
        let statement = try database.cachedStatement(
            sql: "SELECT inode FROM eviction WHERE parent = ? AND name = ? ORDER BY inode DESC")
        return try Int64.fetchOne(
            statement, arguments: [place.parent.column, place.name.string]
        ).map { InodeID(column: $0) }
    }
}

private struct DetachedOpenFileRow: RowReadable {
    static let table = "eviction"

    let place: Place

    init(_ row: Columns) throws {
        let own = try row.bytes(ifAny: 2).map { try OwnName($0) }
        place = Place(
            parent: try row.inode(0), name: try FileName(row.text(1), key: nil, own: own))
    }
}

extension Transaction {
    /// Notes that a delta detaches an open file from its place.
    package func noteDetached(of inode: InodeID, from place: Place) throws {
        try run(
            "INSERT OR REPLACE INTO eviction (inode, parent, name, own) VALUES (?, ?, ?, ?)",
            [inode.column, place.parent.column, place.name.string, place.name.givenColumn])
    }

    /// Drops the note, because the file is in the tree again.
    package func forgetDetached(of inode: InodeID) throws {
        try run("DELETE FROM eviction WHERE inode = ?", [inode.column])
    }
}
