// Read-only access to an account's database from outside of a mount. Repairs, migrates and changes
// nothing.

import GRDB

/// A database that is only read, whether it is mounted or not.
///
/// `MetadataStore` cleans up after the mount before it when it opens a file; this does not.
package final class DatabaseInspection: Sendable {
    private let queue: DatabaseQueue

    /// Opens the file. Throws a `DatabaseError` if it is missing or no database.
    package init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Reads a consistent state. Tables and columns may be missing if an older version made the
    /// file.
    package func read<Value>(_ body: (Snapshot) throws -> Value) throws -> Value {
        try queue.read { try body(Snapshot(database: $0)) }
    }

    /// Whether a later version of this program has written the file.
    package func isTooNew() throws -> Bool {
        try queue.read { try Schema.migrator.hasBeenSuperseded($0) }
    }

    /// Rows that violate the invariants, a line each, `limit` at most for each rule; nil for a file
    /// from an older version, whose rows follow other rules until the next mount. Reads every row.
    package func contradictions(limit: Int) throws -> [String]? {
        try queue.read { database in
            guard try Schema.migrator.hasCompletedMigrations(database) else { return nil }
            return try Snapshot(database: database).brokenInvariants(limit: limit)
                .map(\.description)
        }
    }

    /// The damage of the file's structure, in SQLite's words; nil if there is none. Reads all of
    /// it.
    package func damage() throws -> String? {
        try queue.read { database in
            let report = try String.fetchAll(database, sql: "PRAGMA quick_check(1)")
            return report == ["ok"] ? nil : report.first ?? "no answer"
        }
    }
}
