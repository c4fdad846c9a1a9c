// The way by which a transaction changes rows. For the change log, it notes the statements that had
// an effect. Not responsible for writing them.

import GRDB
import Saturating

/// The changes of one transaction.
final class TransactionChanges {
    /// More statements than a record should have: the database commits such a transaction at once.
    private static let most = 4096

    /// Whether statements are noted.
    private let isLogged: Bool
    /// The statements that had an effect, in order.
    private(set) var statements: [LoggedStatement] = []
    /// Whether a change could not be noted.
    private var hasOthers = false
    /// How many rows all noted statements have changed.
    private var changedRows: Int64 = 0
    private var rowsBefore: Int64 = 0

    /// Changes of a transaction that the database commits.
    init() {
        isLogged = false
    }

    /// Changes of a transaction for the change log.
    init(loggedIn database: Database) {
        isLogged = true
        rowsBefore = database.changesSoFar
    }

    /// Runs a statement that changes rows.
    func run(_ sql: String, _ arguments: Arguments, in database: Database) throws {
        // Without a transaction, because an error has ended it, the statement would be one of its
        // own.
        guard database.hasTransaction else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        guard isLogged else { return try database.step(sql, arguments) }
        let before = database.changesSoFar
        try database.step(sql, arguments)
        let changed = database.changesSoFar -| before
        changedRows +|= changed
        // An insertion that was ignored has counted up the number of the next row.
        if changed == 0, !sql.hasPrefix("INSERT") { return }
        if statements.count < Self.most, ChangeLog.isChange(sql) {
            statements.append(LoggedStatement(sql: sql, arguments: arguments))
        } else {
            hasOthers = true
        }
    }

    /// Runs a part of the transaction in a savepoint, so that an error undoes only that part.
    func undoing<Value>(in database: Database, _ body: () throws -> Value) throws -> Value {
        let (noted, hadOthers) = (statements.count, hasOthers)
        try database.step("SAVEPOINT part")
        do {
            let value = try body()
            try database.step("RELEASE part")
            return value
        } catch {
            try database.step("ROLLBACK TO part")
            try database.step("RELEASE part")
            statements.removeLast(max(0, statements.count -| noted))
            hasOthers = hadOthers
            throw error
        }
    }

    /// Whether rows were changed, by any way.
    func hasChanged(in database: Database) -> Bool { database.changesSoFar != rowsBefore }

    /// Whether the statements are all changes of the transaction.
    func isComplete(in database: Database) -> Bool {
        !hasOthers && database.changesSoFar -| rowsBefore == changedRows
    }
}
