// Commits whose answer has not been recorded. If the reply is lost, or the process ends before it comes,
// the server may have what was sent; by these rows its news are known as this mount's own, whatever users
// have done to the node since, and even if there is no such node any more.

public import ContentHashing
public import Core
import GRDB

extension TreeReading {
    /// The commit of something new to a place that is not known to have arrived, and the inode that it
    /// was sent for: a file with this hash, or a folder where there is none.
    public func attempt(
        at place: Place, hash: ContentHash?, modified: Timestamp?
    ) throws -> (id: Int64, inode: InodeID)? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT id, inode, target FROM attempt WHERE parent = ? AND fold IN (?, ?) AND hash IS ?
                    AND (modified IS NULL OR modified = ?)
                ORDER BY id DESC LIMIT 1
                """)
        let arguments: StatementArguments = [
            // It was noted before the server could say under which key it files the name.
            place.parent.column, place.name.folded, Folding.fold(place.name.string),
            hash?.column ?? .null, modified?.seconds,
        ]
        return try AttemptRow.fetchFirst(statement, arguments).map { ($0.id, $0.inode) }
    }

    /// The folders whose move is not known to have arrived, and the paths that they were sent to. Where
    /// the server has what is in them is not known.
    public func attemptedMoves() throws -> [(id: Int64, inode: InodeID, target: String)] {
        let statement = try database.cachedStatement(
            sql: "SELECT id, inode, target FROM attempt WHERE target IS NOT NULL")
        return try AttemptRow.fetchEvery(statement).map { ($0.id, $0.inode, $0.target ?? "") }
    }

    /// Whether content with this hash was sent for a node.
    public func wasAttempted(_ hash: ContentHash, for inode: InodeID) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT 1 FROM attempt WHERE inode = ? AND hash = ?")
        return try Int.fetchOne(statement, arguments: [inode.column, hash.column]) != nil
    }
}

/// A note of what was sent.
private struct AttemptRow: RowReadable {
    static let table = "attempt"

    let id: Int64
    let inode: InodeID
    let target: String?

    init(_ row: Columns) throws {
        id = try row.number(0)
        inode = try row.inode(1)
        target = try row.text(ifAny: 2)
    }
}

extension Transaction {
    /// Notes what is about to be sent, and returns the note's number: to a place if it is new there, with
    /// a file's hash or none for a folder.
    /// `modified` is the modification time that is sent with it.
    public func noteAttempt(
        _ inode: InodeID, at place: Place?, hash: ContentHash?, modified: Timestamp?,
        sent: Timestamp
    ) throws -> Int64 {
        try run(
            "INSERT INTO attempt (inode, parent, fold, hash, modified, sent) VALUES (?, ?, ?, ?, ?, ?)",
            [
                inode.column, place?.parent.column, place?.name.folded, hash?.column,
                modified?.storable.seconds, sent.nanoseconds,
            ])
        return database.lastInsertedRowID
    }

    /// Notes that a folder is about to be moved to a path, and returns the note's number.
    public func noteMove(of inode: InodeID, to target: String) throws -> Int64 {
        try run(
            "INSERT INTO attempt (inode, target) VALUES (?, ?)", [inode.column, target])
        return database.lastInsertedRowID
    }

    /// What was sent is known to have arrived, or not to have.
    public func forgetAttempt(_ id: Int64) throws {
        try run("DELETE FROM attempt WHERE id = ?", [id])
    }

    /// All changes up to now are in, with no commit on its way: a move that is not among them has not been
    /// made. Something new that was sent before a time has not arrived, and never will; a later one may be in
    /// work still, at a server that was not asked by this process.
    public func forgetAttempts(sentBefore time: Timestamp) throws {
        try run(
            "DELETE FROM attempt WHERE target IS NOT NULL OR sent < ? OR sent > ?",
            [
                time.nanoseconds,
                // A clock that was set back says nothing about how long ago that was.
                time.adding(seconds: 86_400).nanoseconds,
            ])
    }
}
