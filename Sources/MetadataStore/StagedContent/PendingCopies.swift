// Pending copies: copies of queued content, which the server can make once it has the source.

package import Core
import GRDB

/// The source of a node's staged content.
package struct PendingCopy: Hashable, Sendable {
    /// Inode of the copied node.
    package var source: InodeID
    /// The source's generation when it was copied; with another generation it has other content.
    package var sourceGeneration: Int64
    /// The copy's generation; with another generation it has other content.
    package var generation: Int64
    /// The source's revision, once it is on the server.
    package var revision: Revision?

    /// Creates a copy whose source is not on the server yet.
    package init(source: InodeID, sourceGeneration: Int64, generation: Int64) {
        self.source = source
        self.sourceGeneration = sourceGeneration
        self.generation = generation
    }
}

extension TreeReading {
    /// The pending copy of a node, if it is one.
    package func pendingCopy(of inode: InodeID) throws -> PendingCopy? {
        let statement = try database.cachedStatement(
            sql: "SELECT source, source_generation, generation, revision FROM twin WHERE inode = ?")
        return try PendingCopy.fetchFirst(statement, [inode.column])
    }
}

extension PendingCopy: RowReadable {
    static let table = "twin"

    init(_ row: Columns) throws {
        self.init(
            source: try row.inode(0), sourceGeneration: try row.number(1),
            generation: try row.number(2))
        revision = try row.text(ifAny: 3).map { Revision($0) }
    }
}

extension Transaction {
    /// Records a pending copy.
    package func setPendingCopy(_ pendingCopy: PendingCopy, of inode: InodeID) throws {
        try run(
            """
            INSERT OR REPLACE INTO twin (inode, source, source_generation, generation)
            VALUES (?, ?, ?, ?)
            """,
            [
                inode.column, pendingCopy.source.column, pendingCopy.sourceGeneration,
                pendingCopy.generation,
            ])
    }

    /// Notes the revision of a source that was uploaded.
    package func notePendingCopies(
        of source: InodeID, generation: Int64, became revision: Revision
    ) throws {
        try run(
            "UPDATE twin SET revision = ? WHERE source = ? AND source_generation = ?",
            [revision.rawValue, source.column, generation])
    }
}
