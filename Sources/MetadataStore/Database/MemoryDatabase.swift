// A database in memory for tests, which keeps its connection, and so its compiled statements, from
// one test to the next. Not responsible for a disk: the test that opens a store on it is called at
// each flush, and can take it back to an earlier state.

import GRDB
import GRDBSQLite

/// The steps of an access to a database in memory.
package enum StoreAccess: Sendable {
    case read
    /// A transaction that writes begins.
    case write
    /// It ends, with all its changes made.
    case commit
    /// Everything committed so far is to survive power loss.
    case flush
}

/// A database that no file holds; it outlives the stores that are opened on it, as a file outlives
/// the processes.
package final class MemoryDatabase: Sendable {
    let queue: DatabaseQueue
    private let tables: [String]
    /// Statements that replace all rows by those of a new database.
    private let resetting: [String]

    /// Creates the database with the tables of the present version.
    package init() throws {
        queue = try DatabaseQueue(configuration: MetadataStore.configuration())
        try Schema.migrator.migrate(queue)
        (tables, resetting) = try queue.write { database in
            let tables = try Self.tables(database)
            var statements = tables.map { "DELETE FROM \($0)" }
            for table in tables {
                try database.execute(
                    sql: "CREATE TEMP TABLE first_\(table) AS SELECT * FROM \(table)")
                if try database.isEmpty(table) { continue }
                statements.append("INSERT INTO \(table) SELECT * FROM first_\(table)")
            }
            return (tables, statements)
        }
    }

    /// Replaces all rows by those of a new database.
    package func reset() throws {
        try queue.write { database in
            for statement in resetting { try database.cachedStatement(sql: statement).execute() }
        }
    }

    /// A copy of the whole database.
    package func image() throws -> MemoryDatabaseImage {
        try queue.unsafeRead { database in
            var size: Int64 = 0
            guard let pages = sqlite3_serialize(database.sqliteConnection, "main", &size, 0) else {
                throw DatabaseError(resultCode: .SQLITE_NOMEM)
            }
            return MemoryDatabaseImage(pages: pages, size: size)
        }
    }

    /// Replaces all rows by those of a copy.
    package func restore(_ image: MemoryDatabaseImage) throws {
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "ATTACH ':memory:' AS image")
            defer { try? database.execute(sql: "DETACH image") }
            let code = sqlite3_deserialize(
                database.sqliteConnection, "image", image.pages, image.size, image.size, 0)
            guard code == SQLITE_OK else {
                throw DatabaseError(resultCode: ResultCode(rawValue: code))
            }
            // Row by row: a copy of the image's pages would make SQLite compile every statement
            // anew.
            try database.inTransaction {
                for table in tables {
                    try database.execute(sql: "DELETE FROM main.\(table)")
                    try database.execute(
                        sql: "INSERT INTO main.\(table) SELECT * FROM image.\(table)")
                }
                return .commit
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

/// The pages of a database at one time.
package final class MemoryDatabaseImage {
    fileprivate let pages: UnsafeMutablePointer<UInt8>
    fileprivate let size: Int64

    fileprivate init(pages: UnsafeMutablePointer<UInt8>, size: Int64) {
        (self.pages, self.size) = (pages, size)
    }

    deinit { sqlite3_free(pages) }
}

extension Database {
    fileprivate func isEmpty(_ table: String) throws -> Bool {
        try Row.fetchOne(self, sql: "SELECT 1 FROM \(table) LIMIT 1") == nil
    }
}
