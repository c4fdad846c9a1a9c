// Searches of deleted folders. Files that another client stores in a folder between its last
// listing and its deletion are deleted with it, unseen; the deltas since the listing name them, and
// they are restored. A row is written before the deletion is sent and removed after its deltas were
// examined, so that the search survives the process. Not responsible for the restoration.

package import Core
import GRDB

/// A folder whose deletion was sent, and whose last moment is not examined yet.
package struct FolderSearch: Hashable, Sendable {
    /// The number of the search's row, by which it ends.
    package let number: Int64
    /// The folder's ID, by which it was deleted.
    package let folder: FileID?
    /// Its path of keys.
    package let place: String
    /// The paths of keys of the folders in it, as last listed.
    package let folders: Set<String>
    /// From before the last listing; its deltas name each deleted file.
    package let cursor: Core.Cursor
    /// When the deletion was sent.
    package let sent: WallTime
    /// Whether the server has confirmed the deletion.
    package var isConfirmed: Bool
    /// Whether an earlier deletion of the folder had no response, and may still arrive. Known to
    /// the process that has noted the search; false of a row that is read again.
    package let followsUnanswered: Bool
}

extension TreeReading {
    /// All searches that are not finished, the oldest first.
    package func folderSearches() throws -> [FolderSearch] {
        let statement = try database.cachedStatement(
            sql: "SELECT number, folder, place, folders, cursor, sent, confirmed FROM search "
                + "ORDER BY number")
        return try FolderSearch.fetchEvery(statement)
    }

    /// Whether this mount has deleted a file at this revision since the oldest search began.
    package func isOwnDeletion(_ revision: Revision) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM own_deletion WHERE revision = ?)")
        return try Bool.fetchOne(statement, arguments: [revision.rawValue]) ?? false
    }
}

extension FolderSearch: RowReadable {
    static let table = "search"
    /// No name on Dropbox contains it.
    private static let separator: UInt8 = 0

    init(_ row: Columns) throws {
        number = try row.number(0)
        folder = try row.text(ifAny: 1).map { FileID($0) }
        place = try row.text(2)
        let paths = try row.bytes(3).split(separator: Self.separator)
        folders = Set(paths.map { String(decoding: $0, as: UTF8.self) })
        cursor = Core.Cursor(try row.text(4))
        sent = try row.time(5)
        isConfirmed = try row.number(6) != 0
        followsUnanswered = false
    }

    fileprivate init(
        number: Int64, folder: FileID?, place: String, folders: Set<String>, cursor: Core.Cursor,
        sent: WallTime, followsUnanswered: Bool
    ) {
        self.number = number
        self.folder = folder
        self.place = place
        self.folders = folders
        self.cursor = cursor
        self.sent = sent
        isConfirmed = false
        self.followsUnanswered = followsUnanswered
    }

    fileprivate static func column(of folders: Set<String>) -> ColumnValue {
        let paths = folders.sorted().map { Array($0.utf8) }
        return blob(Array(paths.joined(separator: [separator])))
    }
}

extension Transaction {
    /// Notes that a folder is about to be deleted, and is to be searched after that. The folder was
    /// listed since an earlier deletion of it was sent, so that deletion has not arrived. If it
    /// still arrives, this search finds the files that it takes, too. So the earlier search ends.
    package func noteSearch(
        of folder: FileID?, at place: String, holding folders: Set<String>,
        after cursor: Core.Cursor, sent: WallTime
    ) throws -> FolderSearch {
        try run(
            "INSERT INTO search (folder, place, folders, cursor, sent, confirmed) "
                + "VALUES (?, ?, ?, ?, ?, 0)",
            [
                folder?.rawValue, place, FolderSearch.column(of: folders), cursor.rawValue,
                sent.nanoseconds,
            ])
        // The number is a new one, because the earlier row is still there.
        let number = database.lastInsertedRowID
        try run(
            "DELETE FROM search WHERE folder = ? AND confirmed = 0 AND number < ?",
            [folder?.rawValue, number])
        return FolderSearch(
            number: number, folder: folder, place: place, folders: folders, cursor: cursor,
            sent: sent, followsUnanswered: database.changesCount > 0)
    }

    /// Notes that the server has confirmed the folder's deletion.
    package func confirmDeletion(in search: FolderSearch) throws {
        try run("UPDATE search SET confirmed = 1 WHERE number = ?", [search.number])
    }

    /// Removes a search that is finished, or pointless.
    package func forgetSearch(_ search: FolderSearch) throws {
        try run("DELETE FROM search WHERE number = ?", [search.number])
        try run("DELETE FROM own_deletion WHERE NOT EXISTS (SELECT 1 FROM search)", [])
    }

    /// Notes that a user's deletion of a file is about to be sent: no search restores that.
    package func noteOwnDeletion(of revision: Revision) throws {
        try run(
            "INSERT OR IGNORE INTO own_deletion (revision) SELECT ? WHERE EXISTS "
                + "(SELECT 1 FROM search)", [revision.rawValue])
    }
}
