// Transfers a folder of the server, with everything that the server has in it, to another node
// here. A folder that is split becomes an unsent one, and a tombstone takes its place on the
// server. Not responsible for which folders are split (`UploadResults+Splitting.swift`).

package import Core
import GRDB

extension Transaction {
    /// Makes a folder an unsent one, and returns a tombstone that is the server's folder from now
    /// on. The contents of that are displaced, so that each of them is moved by itself, and the
    /// tombstone is deleted after that.
    @discardableResult
    package func split(_ folder: InodeID) throws -> InodeID {
        let tombstone = try insertWithoutPlace(.folder)
        try handOverFolder(from: folder, to: tombstone)
        // This mount's move is the one to be made.
        try setFlags(.betweenMoves, false, of: folder)
        return tombstone
    }

    /// Transfers the server's folder of `old`, and all that the server has in it, to `new`, a
    /// folder that the server does not have. Pins stay, because local places do.
    package func handOverFolder(from old: InodeID, to new: InodeID) throws {
        guard let source = try node(old), let place = try remotePlace(of: source) else { return }
        try handOverRemote(of: source, at: place, to: new)
        try setFlags(.listed, source.flags.contains(.listed), of: new)
        try run("UPDATE departure SET inode = ? WHERE inode = ?", [new.column, old.column])
        // Commits to the folder, and moves out of it, concern the server's folder.
        for table in ["attempt", "departure"] {
            try run("UPDATE \(table) SET parent = ? WHERE parent = ?", [new.column, old.column])
        }
        try handOverContents(from: old, to: new)
    }

    /// In bulk, because there may be a hundred thousand.
    private func handOverContents(from old: InodeID, to new: InodeID) throws {
        try run(
            """
            INSERT INTO displaced (inode, parent, fold, name, own)
            SELECT inode, parent, fold, coalesce(name, fold), CASE WHEN flags & ? = 0 THEN own END
            FROM node WHERE parent = ? AND remote = 1
            """, [NodeFlags.madeOwnName.rawValue, old.column])
        try run("UPDATE node SET remote = 2 WHERE parent = ? AND remote = 1", [old.column])
        try run(
            "UPDATE displaced SET parent = ? WHERE parent = ?", [new.column, old.column])
        // Another client's second move would lead into a folder that is to be deleted.
        try run(
            """
            UPDATE node SET flags = flags & ~?1
            WHERE flags & ?1 <> 0 AND inode IN (SELECT inode FROM displaced WHERE parent = ?2)
            """, [NodeFlags.betweenMoves.rawValue, new.column])
        let contents = try database.cachedStatement(
            sql: "SELECT inode FROM displaced WHERE parent = ? ORDER BY fold")
        for inode in try Int64.fetchAll(contents, arguments: [new.column]) {
            noteChanged(InodeID(column: inode))
        }
        let seen = try database.cachedStatement(
            sql: """
                SELECT node.inode FROM displaced JOIN node ON node.inode = displaced.inode
                WHERE displaced.parent = ?1 AND node.parent = ?1
                """)
        for inode in try Int64.fetchAll(seen, arguments: [new.column]).map({ InodeID(column: $0) })
        {
            guard let node = try node(inode), let place = try remotePlace(of: node) else {
                continue
            }
            try setRemotePlace(inode, place)
        }
    }
}
