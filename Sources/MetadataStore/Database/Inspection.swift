// Read-only access to an account's database from outside of a mount. Repairs, migrates and changes
// nothing.

import GRDB
import Glibc

/// A database that is only read, whether it is mounted or not.
///
/// `MetadataStore` cleans up after the mount before it when it opens a file; this does not.
package final class DatabaseInspection: Sendable {
    private let queue: DatabaseQueue
    /// The database with the changes of the change log, if it lacks some because its mount has
    /// died: in a transaction that is never committed.
    private let completed: DatabaseQueue?

    /// Opens the file. Throws a `DatabaseError` if it is missing or no database.
    package init(path: String) throws {
        try MetadataStore.checkFiles(ofDatabaseAt: path)
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        queue = try DatabaseQueue(path: path, configuration: configuration)
        let missing = try queue.read {
            try ChangeReplay.missingRecords(ofDatabaseAt: path, in: $0)
        }
        completed = missing.isEmpty || access(path, W_OK) != 0 ? nil : try Self.complete(path)
    }

    deinit {
        // Before `queue`, because SQLite cleans up when the last connection is closed that may
        // write.
        try? completed?.close()
    }

    /// Nil beside a mount, which has committed its changes by then, or is in a long transaction.
    private static func complete(_ path: String) throws -> DatabaseQueue? {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        // A mount commits its changes within a fraction of a second, and then nothing is missing.
        configuration.busyMode = .timeout(1)
        let database = try DatabaseQueue(path: path, configuration: configuration)
        return try database.writeWithoutTransaction { connection in
            do {
                try connection.step("BEGIN IMMEDIATE")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                return nil
            }
            let missing = try ChangeReplay.missingRecords(ofDatabaseAt: path, in: connection)
            if missing.isEmpty {
                try connection.step("ROLLBACK")
                return nil
            }
            try ChangeReplay.repeatAll(missing, in: connection)
            return database
        }
    }

    private func reading<Value>(_ body: (Database) throws -> Value) throws -> Value {
        if let completed { return try completed.unsafeRead(body) }
        return try queue.read(body)
    }

    /// Reads a consistent state. Tables and columns may be missing if an older version made the
    /// file.
    package func read<Value>(_ body: (Snapshot) throws -> Value) throws -> Value {
        try reading { try body(Snapshot(database: $0)) }
    }

    /// Whether a later version of this program has written the file.
    package func isTooNew() throws -> Bool {
        try reading { try Schema.migrator.hasBeenSuperseded($0) }
    }

    /// Rows that violate the invariants, a line each, `limit` at most for each rule; nil for a file
    /// from an older version, whose rows follow other rules until the next mount. Reads every row.
    package func contradictions(limit: Int) throws -> [String]? {
        try reading { database in
            guard try Schema.migrator.hasCompletedMigrations(database) else { return nil }
            return try Snapshot(database: database).brokenInvariants(limit: limit)
                .map(\.description)
        }
    }

    /// The damage of the file's structure, in SQLite's words; nil if there is none. Reads all of
    /// it.
    package func damage() throws -> String? {
        try reading { database in
            let report = try String.fetchAll(database, sql: "PRAGMA quick_check(1)")
            return report == ["ok"] ? nil : report.first ?? "no answer"
        }
    }
}
