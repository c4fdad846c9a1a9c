// The invariants of the rows after every transaction, as queries for the rows that violate them.
// For random histories in tests, after each step, and for `dbxfs doctor --deep`. Repairs nothing.

package import Core
import GRDB

/// A violated invariant of the rows.
package struct BrokenInvariant: Hashable, Sendable, CustomStringConvertible {
    /// A node that violates it.
    package var inode: InodeID
    /// The rule that it violates.
    package var rule: String

    /// One line for people.
    package var description: String { "\(inode) \(rule)" }
}

extension TreeReading {
    /// The violations, up to `limit` of each rule. Reads every row.
    package func brokenInvariants(limit: Int = 1_000) throws -> [BrokenInvariant] {
        var broken: [BrokenInvariant] = []
        for (rule, query) in Invariants.all {
            let statement = try database.cachedStatement(sql: query)
            let inodes = try Int64.fetchAll(statement, arguments: [limit])
            broken.append(
                contentsOf: inodes.map { BrokenInvariant(inode: InodeID(column: $0), rule: rule) })
        }
        return broken
    }
}

private enum Invariants {
    /// Each rule as a statement about a violating node, and the query for such nodes.
    static let all: [(rule: String, query: String)] =
        [tree, server, membership, content].flatMap(\.self).map { ($0, "\($1) LIMIT ?") }

    private static var tree: [(String, String)] {
        [
            (
                "is in no folder that users see",
                """
                WITH RECURSIVE seen (inode) AS (
                    SELECT 1 UNION
                    SELECT node.inode FROM seen JOIN node ON node.parent = seen.inode
                        JOIN node AS folder ON folder.inode = seen.inode WHERE folder.kind = 0)
                SELECT inode FROM node WHERE parent IS NOT NULL AND inode NOT IN seen
                """
            ),
            (
                "has the name of another node in its folder",
                """
                SELECT max(inode) FROM node WHERE parent IS NOT NULL
                GROUP BY parent, coalesce(name, fold) HAVING count(*) > 1
                """
            ),
            (
                "is seen under the name of another node in its folder",
                """
                SELECT node.inode FROM node WHERE node.own IS NOT NULL AND (
                    node.parent IS NULL OR EXISTS (SELECT 1 FROM node AS other
                        WHERE other.parent = node.parent AND other.inode <> node.inode
                            AND coalesce(other.own, CAST(coalesce(other.name, other.fold) AS BLOB))
                                = node.own))
                """
            ),
            (
                "has an own name without its key",
                "SELECT inode FROM node WHERE (own IS NULL) <> (own_fold IS NULL)"
            ),
            (
                "never leaves this machine, and the server has it",
                "SELECT inode FROM node WHERE flags & 16 <> 0 AND remote <> 0"
            ),
            (
                "is kept for what it does not hold",
                """
                SELECT inode FROM node WHERE flags & 256 <> 0 AND (
                    kind <> 0 OR remote <> 0 OR parent IS NULL OR flags & 16 <> 0
                    OR NOT EXISTS (SELECT 1 FROM node AS child
                        WHERE child.parent = node.inode AND child.flags & 272 <> 0))
                """
            ),
        ]
    }

    /// The server's place of each node that it has.
    private static let places = """
        SELECT inode, parent, fold FROM node WHERE remote = 1 AND inode <> 1
        UNION ALL SELECT inode, parent, fold FROM displaced
        """

    private static var server: [(String, String)] {
        [
            (
                "has lost its place on the server",
                """
                SELECT inode FROM node
                WHERE remote = 2 AND inode NOT IN (SELECT inode FROM displaced)
                    OR remote = 1 AND parent IS NULL AND inode <> 1
                """
            ),
            (
                "is gone or elsewhere, and has a place on the server",
                """
                SELECT inode FROM displaced
                WHERE inode NOT IN (SELECT inode FROM node WHERE remote = 2)
                """
            ),
            (
                "shares its place on the server with another node",
                "SELECT max(inode) FROM (\(places)) GROUP BY parent, fold HAVING count(*) > 1"
            ),
            (
                "is on the server in no folder that is there",
                """
                WITH RECURSIVE place (inode, parent, fold) AS (\(places)),
                there (inode) AS (
                    SELECT 1 UNION
                    SELECT place.inode FROM there JOIN place ON place.parent = there.inode
                        JOIN node AS folder ON folder.inode = there.inode WHERE folder.kind = 0)
                SELECT inode FROM place WHERE inode NOT IN there
                """
            ),
        ]
    }

    private static var membership: [(String, String)] {
        [
            (
                "is owed to the server and not in the journal",
                """
                SELECT inode FROM node WHERE \(Standing.isOwedInSQL)
                    AND inode NOT IN (SELECT inode FROM journal)
                """
            ),
            (
                "is in the journal and not owed to the server",
                """
                SELECT inode FROM journal
                WHERE inode NOT IN (SELECT inode FROM node WHERE \(Standing.isOwedInSQL))
                """
            ),
        ]
    }

    private static var content: [(String, String)] {
        ["staged", "fallback", "twin", "upload", "piece", "attribute", "pin", "told"].map { table in
            (
                "is gone, and a row of \(table) names it",
                "SELECT inode FROM \(table) WHERE inode NOT IN (SELECT inode FROM node)"
            )
        }
    }
}
