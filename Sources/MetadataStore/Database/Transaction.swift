// The two views of the database that reads and writes get; their queries and changes are in
// extensions. Not responsible for how a transaction ends (`TransactionEnd`).

package import GRDB

/// A consistent state of the database.
package struct Snapshot: TreeReading {
    /// The connection, valid within the closure that got the snapshot.
    package let database: Database
    package var nodesRead: ReadNodes? { nil }

    init(database: Database) {
        self.database = database
    }
}

/// A state of the database that is being changed.
package struct Transaction: TreeReading {
    /// The connection, valid within the closure that got the transaction.
    package let database: Database

    package var nodesRead: ReadNodes? { end.nodes }

    let end: TransactionEnd

    init(database: Database, end: TransactionEnd) {
        self.database = database
        self.end = end
    }

    /// Calls `body` once this transaction is committed, before another one begins; never if it is
    /// rolled back. It may take locks that are taken inside of transactions, but must not begin
    /// one.
    package func afterCommit(_ body: @escaping @Sendable () -> Void) {
        end.onCommit.append(body)
    }

    /// Calls `body` once when this transaction is committed or rolled back, by the rules of
    /// `afterCommit`.
    package func afterEnd(_ body: @escaping @Sendable () -> Void) {
        end.onEnd.append(body)
    }

    /// Calls `body` once if this transaction, or its running savepoint, is rolled back, by the
    /// rules of `afterCommit`.
    package func afterUndo(_ body: @escaping @Sendable () -> Void) {
        end.onUndo.append(body)
    }

    /// Reports, after the commit, that a fallback's staging file is no longer needed.
    func endFile(_ number: Int64) {
        let dropped = end.dropped
        afterCommit { dropped(number) }
    }
}
