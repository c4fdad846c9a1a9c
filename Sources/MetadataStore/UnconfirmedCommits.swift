// What this mount has made or moved on the server, and no delta has told yet. An answer says by which path something
// arrived; if others had moved the folder before, the server has made a new folder of the old name for it, and only
// a delta tells. When that is in and does not have it, it is gone again, or elsewhere: it is to be asked for by its id.
// Not responsible for asking.

public import Core
import GRDB

extension TreeReading {
    /// Identities that no delta has told, `limit` at most, of nodes that the server is believed to have.
    public func unconfirmedIDs(limit: Int) throws -> [FileID] {
        let statement = try database.cachedStatement(
            sql: "SELECT id FROM unconfirmed WHERE id IN (SELECT id FROM node) LIMIT ?")
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
        try run(
            "DELETE FROM unconfirmed WHERE id NOT IN (SELECT id FROM node WHERE id IS NOT NULL)",
            [])
    }

    private func hasUnconfirmed() throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM unconfirmed)")
        return try Bool.fetchOne(statement) ?? false
    }
}
