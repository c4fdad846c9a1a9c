// Copies of content that was queued when it was copied: the server can make them, once it has the first.

public import Core
import GRDB

/// What a node's staged content is a copy of.
public struct Twin: Hashable, Sendable {
    /// The node that was copied.
    public var source: InodeID
    /// Its generation then; another one is other content.
    public var sourceGeneration: Int64
    /// The copy's generation; another one is other content.
    public var generation: Int64
    /// The revision that the source became, once it is on the server.
    public var revision: Revision?

    /// A copy of what is not on the server yet.
    public init(source: InodeID, sourceGeneration: Int64, generation: Int64) {
        self.source = source
        self.sourceGeneration = sourceGeneration
        self.generation = generation
    }
}

extension TreeReading {
    /// What a node was copied from, if that was not on the server then.
    public func twin(of inode: InodeID) throws -> Twin? {
        let statement = try database.cachedStatement(
            sql: "SELECT source, source_generation, generation, revision FROM twin WHERE inode = ?")
        return try Twin.fetchFirst(statement, [inode.column])
    }
}

extension Twin: RowReadable {
    static let table = "twin"

    init(_ row: Columns) throws {
        self.init(
            source: try row.inode(0), sourceGeneration: try row.number(1),
            generation: try row.number(2))
        revision = try row.text(ifAny: 3).map { Revision($0) }
    }
}

extension Transaction {
    /// Notes what a node was copied from.
    public func setTwin(_ twin: Twin, of inode: InodeID) throws {
        try run(
            """
            INSERT OR REPLACE INTO twin (inode, source, source_generation, generation)
            VALUES (?, ?, ?, ?)
            """,
            [inode.column, twin.source.column, twin.sourceGeneration, twin.generation])
    }

    /// The server has what was copied.
    public func noteTwins(
        of source: InodeID, generation: Int64, became revision: Revision
    ) throws {
        try run(
            "UPDATE twin SET revision = ? WHERE source = ? AND source_generation = ?",
            [revision.rawValue, source.column, generation])
    }
}
