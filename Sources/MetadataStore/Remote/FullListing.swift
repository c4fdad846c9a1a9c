// The nodes that a full listing of the server has seen: each row has the number of the last one
// that contained it. Not responsible for the listing's pages, nor for what becomes of unseen nodes.

package import Core
import GRDB

extension TreeReading {
    /// The number of the full listing that is running, or of the last one.
    package func listingNumber() throws -> Int64 {
        try setting(StoredSetting.feedListing).flatMap { Int64($0, radix: 10) } ?? 0
    }

    /// The nodes on the server that a full listing has not seen: numbers only, because it may be
    /// all of them.
    package func inodes(notSeenBy listing: Int64) throws -> [InodeID] {
        let statement = try database.cachedStatement(
            sql: "SELECT inode FROM node WHERE remote <> 0 AND inode <> 1 AND met <> ?")
        return try Int64.fetchAll(statement, arguments: [listing]).map { InodeID(column: $0) }
    }

    /// The nodes that a full listing has seen, and the sum of their sizes: `total` does not fail
    /// where damaged sizes make too large a one. Reads all nodes.
    package func totals(seenBy listing: Int64) throws -> (entries: Int, bytes: Int64) {
        let statement = try database.cachedStatement(
            sql: """
                SELECT count(*), CAST(total(size) AS INTEGER) FROM node
                WHERE remote <> 0 AND inode <> 1 AND met = ?
                """)
        let row = try Row.fetchOne(statement, arguments: [listing])
        return (row?[0] ?? 0, row?[1] ?? 0)
    }
}

extension Transaction {
    /// Sets how many pages the connection keeps from now on.
    package func keepPages(_ cache: PageCache) throws {
        try database.step(cache.pragma)
    }

    /// Begins a full listing: from here on, seen nodes are marked with its number.
    package func beginListing() throws {
        try setSetting(StoredSetting.feedListing, to: "\(try listingNumber() &+ 1)")
    }

    /// Marks a node as seen by the running full listing. Returns whether it was unseen before.
    @discardableResult
    package func markSeen(_ inode: InodeID, by listing: Int64) throws -> Bool {
        try run(
            "UPDATE node SET met = ? WHERE inode = ? AND met <> ?",
            [listing, inode.column, listing])
        return database.changesCount > 0
    }

    /// Clears the listed flag of all folders.
    package func forgetListedFolders() throws {
        let mark = NodeFlags.listed.rawValue
        try run("UPDATE node SET flags = flags & ~? WHERE flags & ? <> 0", [mark, mark])
    }
}
