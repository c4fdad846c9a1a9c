// The account's database: opening it, and the two ways in. What the rows mean is in `Schema.swift`,
// queries are in `Snapshot`, changes in `Transaction`.

public import Core
import Foundation
public import GRDB
import Glibc
import Synchronization

/// The tree, the journal and the cursors of one account, in SQLite.
///
/// Reads see a consistent state and never wait for writers. Writes are transactions, one after
/// the other: what a `write` closure checks still holds when it commits. A committed write survives
/// the death of the process; `synchronize` makes it survive power loss.
///
/// The blocking forms are for threads that may wait for the local disk (FUSE workers); tasks use the
/// `async` forms.
public final class MetadataStore: Sendable {
    private let pool: DatabasePool
    private let path: String
    /// What was found wrong with the files when they were opened; nil when nothing was.
    public let damage: DatabaseDamage?
    /// Lock: a leaf, held for one small file.
    private let mark: Mutex<LogMark>
    /// A function in a structure: a function that is itself what a generic type like `Mutex` holds is
    /// wrapped in two more at each access, until calling it takes all of the stack.
    private struct Observer {
        var body: (@Sendable () -> Void)?
    }

    /// Lock: a leaf, held for an assignment.
    private let commitObserver = Mutex(Observer())

    private struct FileObserver {
        var body: (@Sendable (Int64) -> Void)?
    }

    /// Lock: a leaf, held for an assignment.
    private let fallbackObserver = Mutex(FileObserver())

    /// Opens or creates the database file.
    ///
    /// Throws a `DatabaseError` when the file is not a database or the disk refuses, and `TooNew` when a
    /// later version of this program has written it.
    public init(path: String) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 6
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { database in
            // A commit reaches the WAL in the page cache; power loss is `synchronize`'s matter.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            try database.execute(sql: "PRAGMA cache_size = -4096")
        }
        let mask = umask(0o077)
        defer { umask(mask) }
        self.path = path
        let known = LogMark(at: Self.markPath(path))
        var damage = known?.damage(ofDatabaseAt: path)
        self.pool = try DatabasePool(path: path, configuration: configuration)
        let migrator = Schema.migrator
        let isTooNew = try pool.writeWithoutTransaction { try migrator.hasBeenSuperseded($0) }
        if isTooNew { throw TooNew() }
        try migrator.migrate(pool)
        let name = try pool.write { database in
            let transaction = Transaction(database: database, end: TransactionEnd())
            try transaction.removeOrphans()
            for folder in try transaction.keptFolders() { try transaction.reconsider(folder) }
            return try transaction.databaseName()
        }
        if let known, damage == nil, known.database != name { damage = .replaced }
        self.damage = damage
        mark = Mutex(LogMark(database: name))
        // From here on, what the mark demands is what this process has flushed.
        try synchronize()
    }

    /// The database was written by a later version of this program, whose rules this one does not know.
    public struct TooNew: Error, Hashable, Sendable, CustomStringConvertible {
        /// One line for people.
        public var description: String {
            "a newer version of dbxfs has written it: install that version, or a later one"
        }
    }

    private static func markPath(_ path: String) -> String { path + "-mark" }

    /// Reads a consistent state, on this thread's time.
    public func read<Value>(_ body: (Snapshot) throws -> Value) throws -> Value {
        try pool.read { try body(Snapshot(database: $0)) }
    }

    /// Changes the state in one transaction, which an error undoes, on this thread's time.
    ///
    /// `due` says when the nodes that it changes may be sent: at once, unless told otherwise.
    public func write<Value>(
        due: (InodeID) -> Timestamp = { _ in .atOnce }, _ body: (Transaction) throws -> Value
    ) throws -> Value {
        defer { commitObserver.withLock { $0.body }?() }
        return try pool.writeWithoutTransaction { database in
            try TransactionEnd.run(body, in: database, due: due) { self.noteDroppedFallback($0) }
        }
    }

    /// Reads a consistent state without holding a thread of the cooperative pool.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (Snapshot) throws -> Value
    ) async throws -> Value {
        try await pool.read { try body(Snapshot(database: $0)) }
    }

    /// Changes the state in one transaction without holding a thread of the cooperative pool.
    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        defer { commitObserver.withLock { $0.body }?() }
        return try await pool.writeWithoutTransaction { database in
            try TransactionEnd.run(body, in: database, due: { _ in .atOnce }) {
                self.noteDroppedFallback($0)
            }
        }
    }

    /// Has `body` called after each transaction, with no lock held; nil ends that. It must return at once.
    public func observeTransactions(_ body: (@Sendable () -> Void)?) {
        commitObserver.withLock { $0.body = body }
    }

    /// Has `body` called with the number of each staging file that was a node's fallback and is not needed any
    /// more, after the transaction that dropped it, by the rules of `Transaction.afterCommit`.
    public func observeDroppedFallbacks(_ body: @escaping @Sendable (Int64) -> Void) {
        fallbackObserver.withLock { $0.body = body }
    }

    private func noteDroppedFallback(_ file: Int64) {
        fallbackObserver.withLock { $0.body }?(file)
    }

    /// Makes everything committed so far survive power loss. Blocks for the disk.
    ///
    /// A commit under `synchronous = NORMAL` is complete in the WAL file but perhaps not on the
    /// platter; flushing that file is all that `FULL` would add. What is not in the WAL any more was
    /// flushed by the checkpoint that moved it.
    public func synchronize() throws {
        // Asked before the flush: what commits bring meanwhile may be on the disk or not.
        let extent = LogExtent(indexAt: path + "-shm")
        if let extent, isSafe(extent) { return }
        let descriptor = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        defer { Glibc.close(descriptor) }
        guard fdatasync(descriptor) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        guard let extent else { return }
        mark.withLock { mark in
            mark.salts = extent.salts
            mark.frames = extent.frames
            mark.isClosed = false
            mark.write(to: Self.markPath(path))
        }
    }

    /// Whether every transaction so far is known to survive power loss.
    public var isSafe: Bool {
        LogExtent(indexAt: path + "-shm").map { isSafe($0) } ?? false
    }

    private func isSafe(_ extent: LogExtent) -> Bool {
        mark.withLock { $0.salts == extent.salts && $0.frames == extent.frames && !$0.isClosed }
    }

    /// Waits for running work and closes the file.
    public func close() throws {
        // Before the log goes with the last connection: nothing is committed any more.
        mark.withLock { mark in
            mark.isClosed = true
            mark.write(to: Self.markPath(path))
        }
        try pool.close()
    }
}

extension Transaction {
    /// The database's own name, given when it was made.
    fileprivate func databaseName() throws -> String {
        if let known = try setting("database.name") { return known }
        let name = UUID().uuidString
        try setSetting("database.name", to: name)
        return name
    }
}

/// A consistent state of the database.
public struct Snapshot: TreeReading {
    /// The connection, valid within the closure that was given the snapshot.
    public let database: Database

    init(database: Database) {
        self.database = database
    }
}

/// A state that is being changed.
public struct Transaction: TreeReading {
    /// The connection, valid within the closure that was given the transaction.
    public let database: Database

    let end: TransactionEnd

    fileprivate init(database: Database, end: TransactionEnd) {
        self.database = database
        self.end = end
    }

    /// Has `body` called once this transaction is committed, before another one begins; never if it is
    /// undone. It may take locks that are taken inside of transactions, but begin none.
    public func afterCommit(_ body: @escaping @Sendable () -> Void) {
        end.onCommit.append(body)
    }

    /// Has `body` called once when this transaction is committed or undone, by the rules of `afterCommit`.
    public func afterEnd(_ body: @escaping @Sendable () -> Void) {
        end.onEnd.append(body)
    }

    /// Has `body` called once if this transaction, or the part of it that runs, is undone, by the rules of
    /// `afterCommit`.
    public func afterUndo(_ body: @escaping @Sendable () -> Void) {
        end.onUndo.append(body)
    }

    /// Tells, once this transaction is committed, that a fallback's staging file is not needed any more.
    func endFile(_ number: Int64) {
        let dropped = end.dropped
        afterCommit { dropped(number) }
    }
}

/// What a transaction's end is to bring.
///
/// Not the database's own observers: those of a transaction whose commit fails, for example because the
/// disk is full, hear nothing of that, and then of the commit of the next one.
final class TransactionEnd {
    fileprivate(set) var onCommit: [@Sendable () -> Void] = []
    fileprivate(set) var onEnd: [@Sendable () -> Void] = []
    fileprivate(set) var onUndo: [@Sendable () -> Void] = []
    /// What is to be settled in the journal before the commit.
    var changed = ChangedNodes()
    /// Is told of staging files that were fallbacks and are not needed after the commit.
    fileprivate let dropped: @Sendable (Int64) -> Void

    init(dropped: @escaping @Sendable (Int64) -> Void = { _ in }) {
        self.dropped = dropped
    }

    /// Runs a part of the transaction. What it wanted of the commit is not done if it fails.
    func undoing<Value>(_ body: () throws -> Value) throws -> Value {
        let before = onCommit
        let undone = onUndo
        onUndo = []
        defer { onUndo = undone + onUndo }
        do {
            return try body()
        } catch {
            onCommit = before
            undo()
            throw error
        }
    }

    private func undo() {
        onUndo.reversed().forEach { $0() }
        onUndo = []
    }

    /// Runs a transaction and what follows it, while no other one can begin.
    static func run<Value>(
        _ body: (Transaction) throws -> Value, in database: Database,
        due: (InodeID) -> Timestamp, dropped: @escaping @Sendable (Int64) -> Void
    ) throws -> Value {
        let end = TransactionEnd(dropped: dropped)
        defer { end.onEnd.forEach { $0() } }
        var value: Value?
        do {
            try database.inTransaction(.immediate) {
                let transaction = Transaction(database: database, end: end)
                value = try body(transaction)
                try transaction.settleJournal(due: due)
                return .commit
            }
        } catch {
            end.undo()
            throw error
        }
        end.onCommit.forEach { $0() }
        guard let value else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return value
    }
}
