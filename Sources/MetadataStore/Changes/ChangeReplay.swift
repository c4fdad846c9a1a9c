// Replays the records of a change log in the database that they belong to. A statement has the same
// effect as at first, because it depends on the rows and its arguments only, never on the time or
// on chance.

import GRDB
import LocalFiles

enum ChangeReplay {
    /// The records that the database beside them does not have yet.
    static func missingRecords(ofDatabaseAt path: String, in database: Database) throws
        -> [ChangeRecord]
    {
        guard let bytes = try changes(ofDatabaseAt: path), !bytes.isEmpty,
            try database.tableExists("setting"),
            let name = try setting(StoredSetting.databaseName, in: database)
        else { return [] }
        return ChangeLog.records(
            in: bytes, database: name, after: try last(in: database))
    }

    /// The bytes of the change log; nil if there is none. Throws if it cannot be read, or if
    /// something else has its name: the first change would remove acknowledged ones.
    private static func changes(ofDatabaseAt path: String) throws -> [UInt8]? {
        do throws(RegularFile.Failure) {
            return try RegularFile.contents(of: ChangeLog.path(ofDatabaseAt: path))
        } catch {
            let reason = error == .notAFile ? "is not a file" : "cannot be read: \(error)"
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "its change log \(reason)")
        }
    }

    /// The number of the last record that the database has.
    static func last(in database: Database) throws -> Int64 {
        try setting(StoredSetting.lastRecord, in: database).flatMap { Int64($0, radix: 10) } ?? 0
    }

    /// Notes the number of the last record that the database has, in the open transaction.
    static func note(last: Int64, in database: Database) throws {
        try database.step(
            "INSERT OR REPLACE INTO setting (key, value) VALUES (?, ?)",
            [StoredSetting.lastRecord, String(last)])
    }

    /// Repeats records in the open transaction.
    static func repeatAll(_ records: [ChangeRecord], in database: Database) throws {
        for record in records {
            for statement in record.statements {
                try database.step(statement.sql, statement.arguments)
            }
        }
    }

    private static func setting(_ key: String, in database: Database) throws -> String? {
        try database.text("SELECT value FROM setting WHERE key = ?", [key])
    }
}
