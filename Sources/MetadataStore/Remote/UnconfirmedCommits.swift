// The response to a commit names the path at which the change arrived, and that path may be out of
// date: if another client had moved the folder before, the server has made a new folder of the old
// name, and only a delta says so. So the nodes that this mount has created or moved are noted here
// until a delta contains them. If the deltas up to the present do not contain a node, another
// client has moved or deleted it, and it has to be requested by its ID. Not responsible for that
// request.

package import Core
import GRDB

/// Statements that take each row's node from the index of IDs: there are few rows, and a million
/// nodes.
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
    /// Up to `limit` IDs that no delta has contained, of nodes that are believed to be on the
    /// server.
    package func unconfirmedIDs(limit: Int) throws -> [FileID] {
        let statement = try database.cachedStatement(sql: UnconfirmedQuery.withNode)
        return try String.fetchAll(statement, arguments: [limit]).map { FileID($0) }
    }

    /// Whether a response has placed this ID, and no delta has contained it since.
    package func isUnconfirmed(_ id: FileID) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM unconfirmed WHERE id = ?)")
        return try Bool.fetchOne(statement, arguments: [id.rawValue]) ?? false
    }
}

extension Transaction {
    /// Notes an ID that a response has placed.
    package func noteUnconfirmed(_ id: FileID) throws {
        try run("INSERT OR IGNORE INTO unconfirmed (id) VALUES (?)", [id.rawValue])
    }

    /// Removes IDs that a delta has contained, or that were requested.
    package func forgetUnconfirmed(_ ids: some Sequence<FileID>) throws {
        guard try hasUnconfirmed() else { return }
        for id in ids {
            try run("DELETE FROM unconfirmed WHERE id = ?", [id.rawValue])
        }
    }

    /// Removes all IDs, as a full listing begins with no commit in flight: it has each of these
    /// nodes where it is, and removes the others at its end.
    package func forgetAllUnconfirmed() throws {
        try run("DELETE FROM unconfirmed", [])
    }

    /// Removes IDs of nodes that are no longer believed to be on the server.
    package func forgetUnconfirmedWithoutNode() throws {
        guard try hasUnconfirmed() else { return }
        try run(UnconfirmedQuery.deletionWithoutNode, [])
    }

    private func hasUnconfirmed() throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM unconfirmed)")
        return try Bool.fetchOne(statement) ?? false
    }
}
