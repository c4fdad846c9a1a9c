// Upload sessions that were begun, and their pieces. So the upload of a big file continues where it
// was after a restart of the process.

package import ContentHashing
package import Core
import GRDB

/// A session that holds some pieces of a node's staged content.
package struct PartialUpload: Hashable, Sendable {
    /// ID of the session.
    package var session: String
    /// The staging file: for another one, the pieces are useless.
    package var file: Int64
    /// The content's size in bytes, once the piece that closes the session may have been sent.
    package var size: Int64?
    /// When it was begun: the server drops sessions after seven days.
    package var begun: WallTime
    /// The pieces on the server: the digests of each piece's blocks, by the piece's first byte.
    package var pieces: [Int64: [ContentHash]]

    /// Creates an upload without pieces.
    package init(session: String, file: Int64, begun: WallTime) {
        self.session = session
        self.file = file
        self.begun = begun
        pieces = [:]
    }
}

extension TreeReading {
    /// The begun upload of a node.
    package func partialUpload(of inode: InodeID) throws -> PartialUpload? {
        let statement = try database.cachedStatement(
            sql: "SELECT session, file, size, begun FROM upload WHERE inode = ?")
        guard var upload = try PartialUpload.fetchFirst(statement, [inode.column]) else {
            return nil
        }
        let pieces = try database.cachedStatement(
            sql: "SELECT start, digests FROM piece WHERE inode = ?")
        try PieceRow.forEach(pieces, [inode.column]) { upload.pieces[$0.start] = $0.digests }
        return upload
    }
}

extension PartialUpload: RowReadable {
    static let table = "upload"

    init(_ row: Columns) throws {
        self.init(
            session: try row.text(0), file: try row.number(1), begun: try row.time(3))
        size = try row.size(ifAny: 2)
    }
}

private struct PieceRow: RowReadable {
    static let table = "piece"

    let start: Int64
    let digests: [ContentHash]

    init(_ row: Columns) throws {
        start = try row.size(0)
        let bytes = try row.bytes(1)
        digests = stride(from: 0, to: bytes.count, by: ContentHash.byteCount).compactMap {
            ContentHash(bytes: bytes.dropFirst($0).prefix(ContentHash.byteCount))
        }
    }
}

extension Transaction {
    /// Records a new session, replacing any other of this node. Returns false, and records nothing,
    /// if the node no longer has the content: it may have gone since the session was asked for.
    package func beginUpload(_ upload: PartialUpload, of inode: InodeID) throws -> Bool {
        try forgetUpload(of: inode)
        try run(
            "INSERT INTO upload (inode, session, file, size, begun) "
                + "SELECT inode, ?, file, ?, ? FROM staged WHERE inode = ? AND file = ?",
            [
                upload.session, upload.size, upload.begun.nanoseconds, inode.column, upload.file,
            ])
        return database.changesCount > 0
    }

    /// Notes that a session is about to be closed, with content of so many bytes.
    package func noteClosing(at size: Int64, session: String, of inode: InodeID) throws {
        try run(
            "UPDATE upload SET size = ? WHERE inode = ? AND session = ?",
            [size, inode.column, session])
    }

    /// Notes a piece that the server has, if this session is still the node's.
    package func notePiece(
        at start: Int64, digests: [ContentHash], session: String, of inode: InodeID
    ) throws {
        try run(
            "INSERT OR REPLACE INTO piece (inode, start, digests) "
                + "SELECT inode, ?, ? FROM upload WHERE inode = ? AND session = ?",
            [start, blob(digests.flatMap(\.bytes)), inode.column, session])
    }

    /// Drops a session that is no longer usable.
    package func forgetUpload(of inode: InodeID) throws {
        try run("DELETE FROM upload WHERE inode = ?", [inode.column])
        try run("DELETE FROM piece WHERE inode = ?", [inode.column])
    }
}
