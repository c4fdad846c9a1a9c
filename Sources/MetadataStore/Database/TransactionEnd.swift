// The end of a transaction: journal, commit, and the work that waits for it.

import Core
import GRDB

/// The work at a transaction's end.
///
/// Replaces the database's own observers: if a commit fails, for example because the disk is full,
/// those are not called, and then are called at the next transaction's commit.
final class TransactionEnd {
    var onCommit: [@Sendable () -> Void] = []
    var onEnd: [@Sendable () -> Void] = []
    var onUndo: [@Sendable () -> Void] = []
    /// The nodes whose journal entries are settled before the commit.
    var changed = ChangedNodes()
    /// The keys that have become free in folders with own names.
    var freed = FreedKeys()
    /// When names that go back are sent; nil for the time of any other change.
    var returnsDue: WallTime?
    /// Whether no name goes back.
    var keepsAliases = false
    /// Names that nodes have got besides those that their places say: own names made here.
    var otherNames: [Place] = []
    /// The nodes that the transaction has read since its last change.
    let nodes = ReadNodes()
    /// The count of changed rows when no place was taken by anything but the nodes in it.
    var unclaimed: Int64?
    /// Gets staging files that were fallbacks and are not needed after the commit.
    let dropped: @Sendable (Int64) -> Void

    /// The way by which the transaction changes rows.
    let changes: TransactionChanges

    init(
        changes: TransactionChanges = TransactionChanges(),
        dropped: @escaping @Sendable (Int64) -> Void = { _ in }
    ) {
        self.changes = changes
        self.dropped = dropped
    }

    /// Runs a part of the transaction. If it fails, its `afterCommit` closures are dropped.
    func undoing<Value>(_ body: () throws -> Value) throws -> Value {
        let before = onCommit
        let undone = onUndo
        onUndo = []
        defer { onUndo.insert(contentsOf: undone, at: 0) }
        do {
            return try body()
        } catch {
            onCommit = before
            nodes.forget()
            unclaimed = nil
            undo()
            throw error
        }
    }

    private func undo() {
        onUndo.reversed().forEach { $0() }
        onUndo = []
    }

    /// Runs a transaction of a group and its end, while no other one can begin. Returns also
    /// whether it is the first of the group.
    static func run<Value>(
        _ body: (Transaction) throws -> Value, in group: ChangeGroup, _ database: Database,
        due: (ChangedPlace) -> WallTime, dropped: @escaping @Sendable (Int64) -> Void
    ) throws -> (value: Value, isFirst: Bool) {
        try group.begin(in: database)
        let end = TransactionEnd(
            changes: TransactionChanges(loggedIn: database), dropped: dropped)
        defer { end.onEnd.forEach { $0() } }
        let outcome: (Value, Bool)
        do {
            let value = try Transaction(database: database, end: end).finish(body, due: due)
            outcome = (value, try group.finish(end.changes, in: database))
        } catch {
            group.undo(end.changes, in: database)
            end.undo()
            throw error
        }
        end.onCommit.forEach { $0() }
        return outcome
    }

    /// Runs a transaction that SQLite commits, and its end, while no other one can begin. `group`
    /// counts it.
    static func run<Value>(
        _ body: (Transaction) throws -> Value, in database: Database, countedBy group: ChangeGroup?,
        due: (ChangedPlace) -> WallTime, gate: (@Sendable (StoreAccess) throws -> Void)? = nil,
        dropped: @escaping @Sendable (Int64) -> Void
    ) throws -> Value {
        let end = TransactionEnd(dropped: dropped)
        defer { end.onEnd.forEach { $0() } }
        let value: Value
        var isCounted = false
        do {
            let rows = database.changesSoFar
            value = try database.immediately {
                let value = try Transaction(database: database, end: end).finish(body, due: due)
                if let group, database.changesSoFar != rows {
                    try group.count(in: database)
                    isCounted = true
                }
                try gate?(.commit)
                return value
            }
        } catch {
            end.undo()
            throw error
        }
        if isCounted { group?.noteCounted() }
        end.onCommit.forEach { $0() }
        return value
    }
}

extension Transaction {
    /// Does the work of this transaction, and then what follows from its changes of places.
    fileprivate func finish<Value>(
        _ body: (Transaction) throws -> Value, due: (ChangedPlace) -> WallTime
    ) throws -> Value {
        let value = try body(self)
        try returnNames()
        try settleJournal(due: due)
        return value
    }
}
