// The tables, besides that of nodes, that can have a row of an inode. Most inodes have none in most of them, and one query
// costs less than ten deletions of nothing.

import Core
import GRDB

/// A set of those tables.
struct InodeTables: OptionSet, Hashable, Sendable {
    let rawValue: Int64

    static let fallback = InodeTables(rawValue: 1)
    static let staged = InodeTables(rawValue: 2)
    static let displaced = InodeTables(rawValue: 4)
    static let journal = InodeTables(rawValue: 8)
    static let twin = InodeTables(rawValue: 16)
    static let upload = InodeTables(rawValue: 32)
    static let piece = InodeTables(rawValue: 64)
    static let attribute = InodeTables(rawValue: 128)
    static let eviction = InodeTables(rawValue: 256)
    static let pin = InodeTables(rawValue: 512)
    static let told = InodeTables(rawValue: 1024)

    /// The statement that deletes the rows of an inode from each, apart from `fallback`, whose files end with them.
    fileprivate static let deletions: [(table: InodeTables, statement: String)] = [
        (.staged, "DELETE FROM staged WHERE inode = ?"),
        (.displaced, "DELETE FROM displaced WHERE inode = ?"),
        (.journal, "DELETE FROM journal WHERE inode = ?"),
        (.twin, "DELETE FROM twin WHERE inode = ?"),
        (.upload, "DELETE FROM upload WHERE inode = ?"),
        (.piece, "DELETE FROM piece WHERE inode = ?"),
        (.attribute, "DELETE FROM attribute WHERE inode = ?"),
        (.eviction, "DELETE FROM eviction WHERE inode = ?"),
        (.pin, "DELETE FROM pin WHERE inode = ?"),
        (.told, "DELETE FROM told WHERE inode = ?"),
    ]
}

extension Transaction {
    /// The tables besides `node` that have a row of an inode.
    func tablesBesideNode(of inode: InodeID) throws -> InodeTables {
        // SQLite's operators of bits have one precedence.
        let found = try database.number(
            """
            SELECT EXISTS (SELECT 1 FROM fallback WHERE inode = ?1)
                | (EXISTS (SELECT 1 FROM staged WHERE inode = ?1) << 1)
                | (EXISTS (SELECT 1 FROM displaced WHERE inode = ?1) << 2)
                | (EXISTS (SELECT 1 FROM journal WHERE inode = ?1) << 3)
                | (EXISTS (SELECT 1 FROM twin WHERE inode = ?1) << 4)
                | (EXISTS (SELECT 1 FROM upload WHERE inode = ?1) << 5)
                | (EXISTS (SELECT 1 FROM piece WHERE inode = ?1) << 6)
                | (EXISTS (SELECT 1 FROM attribute WHERE inode = ?1) << 7)
                | (EXISTS (SELECT 1 FROM eviction WHERE inode = ?1) << 8)
                | (EXISTS (SELECT 1 FROM pin WHERE inode = ?1) << 9)
                | (EXISTS (SELECT 1 FROM told WHERE inode = ?1) << 10)
            """, [inode.column])
        return InodeTables(rawValue: found ?? 0)
    }

    /// Removes the rows of an inode from tables that were found to have some.
    func removeRows(of inode: InodeID, from tables: InodeTables) throws {
        for (table, statement) in InodeTables.deletions where tables.contains(table) {
            try run(statement, [inode.column])
        }
    }
}
