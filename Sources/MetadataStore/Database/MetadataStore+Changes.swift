// Users' changes: the transactions that `ChangeGroup` joins, and when the database commits them.
// Not responsible for the change log.

package import Core
import Dispatch
import Foundation
import GRDB
import Saturating
import Synchronization

/// When a group of users' changes is committed that no access waits for.
struct GroupEnd: Sendable {
    /// Seconds from its first change.
    let delay: Double
    /// Seconds until a commit that the disk has refused is tried again.
    static let pause = 1.0
    let queue = DispatchQueue(label: "dbxfs.store.group")
}

extension MetadataStore {
    /// Runs a user's change as a transaction on this thread; an error undoes it. When this returns,
    /// the change survives the death of the process, and every access through this store sees it.
    /// SQLite commits it later, together with the changes that follow. This is for changes of a few
    /// rows, which are frequent; `write` is for all others.
    ///
    /// `due` returns the due time of its changes.
    package func change<Value>(
        due: (ChangedPlace) -> WallTime, _ body: (Transaction) throws -> Value
    ) throws -> Value {
        guard let group else { return try write(due: due, body) }
        beginTransaction()
        defer { noteTransaction() }
        let (value, isFirst) = try accesses.run {
            try writer.run {
                try database.writeWithoutTransaction { database in
                    try TransactionEnd.run(body, in: group, database, due: due) {
                        self.noteDroppedFallback($0)
                    }
                }
            }
        }
        if isFirst { commitGroup(after: groupEnd.delay) }
        return value
    }

    /// A number that grows with each transaction; nil while one runs, also while what it calls
    /// after its commit does. A read that began when this number was the same as now is up to date.
    package var version: UInt64? {
        let ended = transactionsEnded.load(ordering: .sequentiallyConsistent)
        let begun = transactionsBegun.load(ordering: .sequentiallyConsistent)
        return begun == ended ? ended : nil
    }

    /// Must be followed by `noteTransaction` when the transaction has ended.
    func beginTransaction() {
        transactionsBegun.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    /// Commits the group, so that other connections and power cuts find it in the database. Throws
    /// if the disk refuses; the changes stay in the change log then.
    func commitGroup() throws {
        guard let group, group.isPending else { return }
        try writer.run {
            // A caller that reads within a transaction has the connection already.
            try database.unsafeReentrantWrite { try group.commit(in: $0) }
        }
    }

    /// Commits the group, if there is one. Returns whether the database has all changes.
    func committedGroup() -> Bool {
        (try? commitGroup()) != nil
    }

    private func commitGroup(after seconds: Double) {
        let nanoseconds = Int(clamping: seconds * 1e9)
        groupEnd.queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
            guard let self else { return }
            do {
                try accesses.run { try commitGroup() }
            } catch is Closed {
                // The end commits it.
            } catch {
                commitGroup(after: GroupEnd.pause)
            }
        }
    }

    /// Commits the changes that an earlier process has acknowledged and not committed.
    static func repeatChanges(ofDatabaseAt path: String, in database: any DatabaseWriter) throws {
        try database.writeWithoutTransaction { database in
            if try ChangeReplay.missingRecords(ofDatabaseAt: path, in: database).isEmpty { return }
            try database.immediately {
                // Another process may have done it since.
                let missing = try ChangeReplay.missingRecords(ofDatabaseAt: path, in: database)
                if let last = missing.last {
                    try ChangeReplay.repeatAll(missing, in: database)
                    try ChangeReplay.note(last: last.number, in: database)
                }
            }
        }
    }
}
