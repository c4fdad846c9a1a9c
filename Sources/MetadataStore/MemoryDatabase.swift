// A database in memory for tests, which keeps its connection, and so its compiled statements, from one test to the
// next. Not responsible for what reaches a disk.

import GRDB

/// A database that no file holds; it outlives the stores that are opened on it, as a file outlives the processes.
package final class MemoryDatabase: Sendable {
    let queue: DatabaseQueue

    /// Creates the database with the tables of the present version.
    package init() throws {
        queue = try DatabaseQueue(configuration: MetadataStore.configuration)
        try Schema.migrator.migrate(queue)
        try queue.write { database in
            for table in try Self.tables(database) {
                try database.execute(
                    sql: "CREATE TEMP TABLE first_\(table) AS SELECT * FROM \(table)")
            }
        }
    }

    /// Makes it what it was when it was created.
    package func reset() throws {
        try queue.write { database in
            for table in try Self.tables(database) {
                try database.execute(sql: "DELETE FROM \(table)")
                try database.execute(sql: "INSERT INTO \(table) SELECT * FROM first_\(table)")
            }
        }
    }

    /// SQLite's own table of the last row numbers among them; not GRDB's table of migrations.
    private static func tables(_ database: Database) throws -> [String] {
        try String.fetchAll(
            database,
            sql: """
                SELECT name FROM main.sqlite_master
                WHERE type = 'table' AND name <> 'grdb_migrations' AND name NOT LIKE 'sqlite_stat%'
                """)
    }
}
