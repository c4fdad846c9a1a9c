// Upload intents: a row for each commit that was sent and whose response is not recorded. If the
// response is lost, or the process ends before it comes, the server may have the change. The rows
// identify its deltas as this mount's own, also if users have changed or deleted the node since.

package import ContentHashing
package import Core
import GRDB

extension TreeReading {
    /// The intent to create a node at a place, if it may still arrive, and the inode of the node.
    /// `hash` is that of a file's content; nil means a folder. An intent matches if it was sent for
    /// the folder of the place, or by the path that this folder has now.
    package func intent(
        at place: Place, hash: ContentHash?, modified: WallTime?
    ) throws -> (id: Int64, inode: InodeID)? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT \(UploadIntentRow.columns) FROM attempt
                WHERE fold IN (?, ?) AND hash IS ? AND (modified IS NULL OR modified = ?)
                ORDER BY id DESC
                """)
        let arguments: Arguments = [
            // Also under the predicted key, because the intent was noted before the server returned
            // its key of the name.
            place.name.folded, Folding.fold(place.name.string), hash?.column,
            modified?.seconds,
        ]
        let rows = try UploadIntentRow.fetchEvery(statement, arguments)
        guard !rows.isEmpty else { return nil }
        let path = try remoteKeyPath(of: place.parent)
        let row = rows.first { $0.parent == place.parent || path != nil && $0.folder == path }
        return row.map { ($0.id, $0.inode) }
    }

    /// The intent of a copy by the server to a place, if it may have arrived there. Only copies
    /// have no modification time of their own.
    package func intent(ofCopyTo place: Place) throws -> (id: Int64, inode: InodeID)? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT \(UploadIntentRow.columns) FROM attempt
                WHERE fold = ? AND parent = ? AND hash IS NOT NULL AND modified IS NULL
                ORDER BY id DESC
                """)
        let rows = try UploadIntentRow.fetchEvery(
            statement, [place.name.folded, place.parent.column])
        return rows.first.map { ($0.id, $0.inode) }
    }

    /// Whether the server has a file with a content and a modification time.
    package func hasFile(withHash hash: ContentHash, modified: WallTime) throws -> Bool {
        try database.number(
            "SELECT 1 FROM node WHERE hash = ? AND client_modified = ? AND remote <> 0 LIMIT 1",
            [hash.column, modified.column]) != nil
    }

    /// The folders whose move is not known to have arrived, and the target paths. The server's
    /// place of their contents is unknown.
    package func intendedMoves() throws -> [(id: Int64, inode: InodeID, target: String)] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT \(UploadIntentRow.columns) FROM attempt
                WHERE target IS NOT NULL AND sent = 0
                """)
        return try UploadIntentRow.fetchEvery(statement).map { ($0.id, $0.inode, $0.target ?? "") }
    }

    /// The intent of a node's move to a place, if it may still arrive.
    package func intent(ofMove inode: InodeID, to place: Place) throws -> Int64? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT \(UploadIntentRow.columns) FROM attempt
                WHERE inode = ? AND target IS NOT NULL ORDER BY id DESC
                """)
        let rows = try UploadIntentRow.fetchEvery(statement, [inode.column])
        guard !rows.isEmpty, let keys = try remoteKeyPath(of: place.parent) else { return nil }
        let key = "\(keys)/\(place.name.folded)"
        return rows.first { $0.target.map { Folding.fold($0) } == key }?.id
    }

    /// Whether a new file with this hash, or a new folder if it is nil, was sent to any place and
    /// may have arrived.
    package func hasCreation(withHash hash: ContentHash?) throws -> Bool {
        try database.number(
            "SELECT 1 FROM attempt WHERE fold IS NOT NULL AND hash IS ?", [hash?.column]) != nil
    }

    /// Whether content, facts, a creation or a folder's move was sent for a node, and may have
    /// arrived.
    package func hasIntent(for inode: InodeID) throws -> Bool {
        try database.number("SELECT 1 FROM attempt WHERE inode = ?", [inode.column]) != nil
    }

    /// Whether anything was sent whose response is not known.
    package func hasIntents() throws -> Bool {
        try database.number("SELECT EXISTS (SELECT 1 FROM attempt)", []) == 1
    }

    /// Whether content with this hash was sent for a node.
    package func hasIntent(withHash hash: ContentHash, for inode: InodeID) throws -> Bool {
        try database.number(
            "SELECT 1 FROM attempt WHERE inode = ? AND hash = ?", [inode.column, hash.column])
            != nil
    }

    /// The same without new nodes that were sent to other places.
    package func hasIntent(withContent hash: ContentHash, for inode: InodeID) throws -> Bool {
        try database.number(
            "SELECT 1 FROM attempt WHERE inode = ? AND hash = ? AND fold IS NULL",
            [inode.column, hash.column]) != nil
    }

    /// Whether content with any other hash was sent for a node, and may have arrived.
    package func hasIntent(
        withOtherHashThan hash: ContentHash, for inode: InodeID
    ) throws -> Bool {
        try database.number(
            "SELECT 1 FROM attempt WHERE inode = ? AND hash <> ?", [inode.column, hash.column])
            != nil
    }
}

/// A row of the table `attempt`.
private struct UploadIntentRow: RowReadable {
    static let table = "attempt"
    /// The columns that `init` reads, in its order.
    static let columns = "id, inode, target, parent, folder"

    let id: Int64
    let inode: InodeID
    let target: String?
    let parent: InodeID?
    let folder: String?

    init(_ row: Columns) throws {
        id = try row.number(0)
        inode = try row.inode(1)
        target = try row.text(ifAny: 2)
        parent = try row.inode(ifAny: 3)
        folder = try row.text(ifAny: 4)
    }
}

extension Transaction {
    /// Notes an upload intent, and returns its number. `place` is set if the node is new there,
    /// `hash` if it is a file; `modified` is the modification time that is sent with it.
    package func noteIntent(
        _ inode: InodeID, at place: Place?, hash: ContentHash?, modified: WallTime?,
        sent: WallTime
    ) throws -> Int64 {
        try run(
            "INSERT INTO attempt (inode, parent, folder, fold, hash, modified, sent) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                inode.column, place?.parent.column,
                try place.flatMap { try remoteKeyPath(of: $0.parent) },
                place?.name.folded, hash?.column, modified?.storable.seconds, sent.nanoseconds,
            ])
        return database.lastInsertedRowID
    }

    /// Notes that a node is about to be moved to a path, and returns the intent's number. `sent` is
    /// the time if it is a file; a folder's outcome is asked for before anything else is sent. An
    /// earlier intent for the same move stays: this one may turn out not to have left the machine.
    package func noteMove(
        of inode: InodeID, to target: String, sent: WallTime?
    ) throws -> Int64 {
        try run(
            "INSERT INTO attempt (inode, target, sent) VALUES (?, ?, ?)",
            [inode.column, target, sent?.nanoseconds ?? 0])
        return database.lastInsertedRowID
    }

    /// Removes an intent that is known to have arrived. Other intents of the same node at that
    /// place lose the place, because the next file there is another client's, such as one that was
    /// restored after its deletion. They still say which content was sent. Of a move, the earlier
    /// ones of its node are removed.
    package func noteArrival(of id: Int64) throws {
        try run(
            """
            UPDATE attempt SET parent = NULL, fold = NULL WHERE (inode, parent, fold) IN (
                SELECT inode, parent, fold FROM attempt WHERE id = ?)
            """, [id])
        try run(
            """
            DELETE FROM attempt WHERE target IS NOT NULL AND id <= ? AND inode IN (
                SELECT inode FROM attempt WHERE id = ? AND target IS NOT NULL)
            """, [id, id])
        try forgetIntent(id)
    }

    /// Removes the intents to create a node at a place from which the server has deleted it: it has
    /// arrived there, so the next node at the place is another client's. An intent for another
    /// place stays, because it may still arrive: the node's content was sent there before users put
    /// it in the place of a file that the server had.
    package func forgetCreations(of inode: InodeID, at place: Place?) throws {
        try run(
            "DELETE FROM attempt WHERE inode = ? AND target IS NULL AND (parent IS NULL OR parent = ? AND fold = ?)",
            [inode.column, place?.parent.column, place?.name.folded])
    }

    /// Removes the intents to store earlier content of a node, which the server has replaced: their
    /// commits can no longer succeed.
    package func forgetContents(of inode: InodeID) throws {
        try run(
            "DELETE FROM attempt WHERE inode = ? AND hash IS NOT NULL AND fold IS NULL",
            [inode.column])
    }

    /// The same for content that was sent before that with a hash, which has arrived. If the server
    /// has it again, another client has restored it.
    package func forgetContents(of inode: InodeID, before hash: ContentHash) throws {
        try run(
            """
            DELETE FROM attempt WHERE inode = ?1 AND hash IS NOT NULL AND fold IS NULL
                AND id < (SELECT max(id) FROM attempt WHERE inode = ?1 AND hash = ?2) AND hash <> ?2
            """, [inode.column, hash.column])
    }

    /// Removes an intent that is known not to have arrived.
    package func forgetIntent(_ id: Int64) throws {
        try run("DELETE FROM attempt WHERE id = ?", [id])
    }

    /// Counts that all intents are unanswered for another quarter of an hour; the `first` time in a
    /// process, that they were found. The caller measures the time: rows cannot tell it, because
    /// the machine's date may be set.
    package func ageIntents(first: Bool) throws {
        try run(first ? "UPDATE attempt SET age = 1" : "UPDATE attempt SET age = age + 1", [])
    }

    /// Removes intents that will not arrive. Called when all deltas up to the present are applied
    /// and no commit is in flight. A folder's move that the deltas lack was not made. Any other
    /// step has not arrived, and never will, if it was sent before `time` and this process has
    /// found it unanswered for a quarter of an hour; later ones may still be in progress at a
    /// server that got them from an earlier process.
    package func forgetIntents(sentBefore time: WallTime) throws {
        try run(
            """
            DELETE FROM attempt WHERE target IS NOT NULL AND sent = 0
                OR age > 1 AND (sent < ? OR sent > ?)
            """,
            [
                time.nanoseconds,
                // After the clock was set back, the age of such a row is unknown.
                time.adding(seconds: 86_400).nanoseconds,
            ])
    }
}
