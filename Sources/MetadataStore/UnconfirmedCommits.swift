// What this mount has made or moved on the server, and no delta has told yet. An answer says by which path something
// arrived; if others had moved the folder before, the server has made a new folder of the old name for it, and only
// a delta tells. When that is in and does not have it, it is gone again, or elsewhere: it is to be asked for by its id.
// Not responsible for asking.

public import Core
import GRDB

/// Statements that take each row's node from the index of identities: there are few rows, and a million nodes.
enum UnconfirmedQuery {
    /// CROSS JOIN keeps the order: the rows, and for each its node.
    static let withNode = """
        SELECT unconfirmed.id FROM unconfirmed CROSS JOIN node ON node.id = unconfirmed.id
        ORDER BY unconfirmed.id LIMIT ?
        """
    static let deletionWithoutNode = """
        DELETE FROM unconfirmed WHERE NOT EXISTS (SELECT 1 FROM node WHERE node.id = unconfirmed.id)
        """
}

extension TreeReading {
    /// Identities that no delta has told, `limit` at most, of nodes that the server is believed to have.
    public func unconfirmedIDs(limit: Int) throws -> [FileID] {
        let statement = try database.cachedStatement(sql: UnconfirmedQuery.withNode)
        return try String.fetchAll(statement, arguments: [limit]).map { FileID($0) }
    }
}

extension Transaction {
    /// An answer says that what has this identity is somewhere.
    public func noteUnconfirmed(_ id: FileID) throws {
        try run("INSERT OR IGNORE INTO unconfirmed (id) VALUES (?)", [id.rawValue])
    }

    /// A delta has told of these, or they were asked for.
    public func forgetUnconfirmed(_ ids: some Sequence<FileID>) throws {
        guard try hasUnconfirmed() else { return }
        for id in ids {
            try run("DELETE FROM unconfirmed WHERE id = ?", [id.rawValue])
        }
    }

    /// Forgets what is not believed to be on the server any more.
    public func forgetUnconfirmedWithoutNode() throws {
        guard try hasUnconfirmed() else { return }
        try run(UnconfirmedQuery.deletionWithoutNode, [])
    }

    private func hasUnconfirmed() throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM unconfirmed)")
        return try Bool.fetchOne(statement) ?? false
    }
}
