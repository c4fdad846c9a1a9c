// The tables, besides that of nodes, that can have a row of an inode. Most inodes have none in most of them, and one query
// costs less than ten deletions of nothing.

import Core
import GRDB

/// A set of those tables.
struct InodeTables: OptionSet, Hashable, Sendable {
    let rawValue: Int64

    /// The table of each bit. The files of `fallback` end with its rows.
    private static let names = [
        "fallback", "staged", "displaced", "journal", "twin", "upload", "piece", "attribute", "eviction", "pin", "told",
    ]

    static let fallback = InodeTables(rawValue: 1)

    /// The query for the tables that have a row of an inode. SQLite's operators of bits have one precedence.
    fileprivate static let query =
        "SELECT "
        + names.enumerated().map { bit, name in
            "(EXISTS (SELECT 1 FROM \(name) WHERE inode = ?1) << \(bit))"
        }.joined(separator: " | ")

    /// The statement that deletes the rows of an inode from each table, apart from `fallback`.
    fileprivate static let deletions = names.enumerated().dropFirst().map { bit, name in
        (table: InodeTables(rawValue: 1 << bit), statement: "DELETE FROM \(name) WHERE inode = ?")
    }
}

extension Transaction {
    /// The tables besides `node` that have a row of an inode.
    func tablesBesideNode(of inode: InodeID) throws -> InodeTables {
        InodeTables(rawValue: try database.number(InodeTables.query, [inode.column]) ?? 0)
    }

    /// Removes the rows of an inode from tables that were found to have some.
    func removeRows(of inode: InodeID, from tables: InodeTables) throws {
        for (table, statement) in InodeTables.deletions where tables.contains(table) {
            try run(statement, [inode.column])
        }
    }
}
