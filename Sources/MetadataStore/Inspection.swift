// A look at an account's database from outside of a mount. Nothing is repaired, migrated or changed.

import GRDB

/// A database that is only looked at, whether it is mounted or not.
///
/// `MetadataStore` cleans up after the mount before it when it opens a file; this does not.
public final class DatabaseInspection: Sendable {
    private let queue: DatabaseQueue

    /// Opens the file. Throws a `DatabaseError` when there is none, or it is none.
    public init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Reads a consistent state. What it asks for may not be in the file yet if an older version made it.
    public func read<Value>(_ body: (Snapshot) throws -> Value) throws -> Value {
        try queue.read { try body(Snapshot(database: $0)) }
    }

    /// Whether a later version of this program has written the file.
    public func isTooNew() throws -> Bool {
        try queue.read { try Schema.migrator.hasBeenSuperseded($0) }
    }

    /// Rows that contradict each other, a line each, `limit` at most for each rule; nil for a file that an older
    /// version has written, whose rows follow other rules until the next mount. Reads every row.
    public func contradictions(limit: Int) throws -> [String]? {
        try queue.read { database in
            guard try Schema.migrator.hasCompletedMigrations(database) else { return nil }
            return try Snapshot(database: database).brokenInvariants(limit: limit)
                .map(\.description)
        }
    }

    /// What is wrong with the file's structure, in SQLite's words; nil when nothing is. Reads all of it.
    public func damage() throws -> String? {
        try queue.read { database in
            let report = try String.fetchAll(database, sql: "PRAGMA quick_check(1)")
            return report == ["ok"] ? nil : report.first ?? "no answer"
        }
    }
}
