// The tables, besides that of nodes, that can have a row of an inode. Most inodes have none in most
// of them, and one query costs less than ten deletions of nothing.

import Core
import GRDB

/// One of those tables, by its name.
enum InodeTable: String, CaseIterable {
    /// Its rows end with their files.
    case fallback
    case staged, displaced, journal, twin, upload, piece, attribute, eviction, pin, told

    /// The query for a number that has a bit for each table with a row of an inode. SQLite's
    /// operators of bits have one precedence.
    fileprivate static let query =
        "SELECT "
        + allCases.enumerated().map { bit, table in
            "(EXISTS (SELECT 1 FROM \(table.rawValue) WHERE inode = ?1) << \(bit))"
        }.joined(separator: " | ")

    /// Each table with its bit, and the statement that deletes the rows of an inode.
    fileprivate static let rows = allCases.enumerated().map { bit, table in
        (
            table: table, bit: Int64(1) << bit,
            deletion: "DELETE FROM \(table.rawValue) WHERE inode = ?"
        )
    }
}

extension Transaction {
    /// The tables besides `node` that have a row of an inode.
    func tablesBesideNode(of inode: InodeID) throws -> [InodeTable] {
        let bits = try database.number(InodeTable.query, [inode.column]) ?? 0
        return InodeTable.rows.filter { bits & $0.bit != 0 }.map(\.table)
    }

    /// Removes the rows of an inode from tables that were found to have some, apart from
    /// `fallback`.
    func removeRows(of inode: InodeID, from tables: [InodeTable]) throws {
        for row in InodeTable.rows where row.table != .fallback && tables.contains(row.table) {
            try run(row.deletion, [inode.column])
        }
    }
}
