// The account's database: opening it, reading and writing. `Schema.swift` explains the rows;
// queries are in `Snapshot`, changes in `Transaction`.

package import Core
import Foundation
import GRDB
import Glibc
import Saturating
import Synchronization

/// The tree, the journal and the cursors of one account, in SQLite.
///
/// Reads see a consistent state and never wait for writers. Writes are transactions, one after the
/// other: a condition checked in a `write` closure still holds at its commit. A committed write
/// survives the death of the process; `synchronize` makes it survive power loss.
///
/// The blocking forms are for threads that may wait for the local disk (FUSE workers); tasks use
/// the `async` forms.
package final class MetadataStore: Sendable {
    let database: any DatabaseWriter
    /// Nil for a database in memory.
    let path: String?
    /// Nil for a database in memory.
    let index: LogIndex?
    /// Nil for a database in memory.
    let logFile: LogFile?
    /// The damage found when the files were opened; nil if there was none.
    package let damage: DatabaseDamage?
    /// Lock: a leaf, held for one small file, and at the end for its flush.
    let mark: Mutex<LogMark>
    /// Whether a flush of the log has failed. Lock: held over a flush, inside a transaction; only
    /// `mark` is taken under it.
    let hasFlushFailed = Mutex(false)
    /// Flushes an open file, like `fdatasync`.
    let flush: @Sendable (Int32) -> Int32
    /// Wraps the function in a struct: a function that is itself the value of a generic type like
    /// `Mutex` gets two more wrappers at each access, until a call exhausts the stack.
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

    /// The disk space for a database on a full disk; nil if there is none.
    package let reserve: SpaceReserve?

    /// The users' changes that are acknowledged and not committed; nil for a database in memory,
    /// which commits each.
    let group: ChangeGroup?
    /// Where and when they are committed.
    let groupEnd: GroupEnd

    /// Lock: a leaf, held for an assignment.
    let counted = Mutex(NodeCount())

    let transactionsBegun = Atomic<UInt64>(0)
    let transactionsEnded = Atomic<UInt64>(0)
    let accesses = Accesses()
    let writer = WriterUse()

    /// Called before each step of an access; an error is the access's. Set for a process with one
    /// thread, whose order of steps must not depend on the machine: the `async` forms run on the
    /// caller's thread then.
    let gate: (@Sendable (StoreAccess) throws -> Void)?

    /// Reads at once, while a further one waits. Each has a connection, with up to 4 MiB of pages.
    private static let readerLimit = 6
    /// Seconds for the lock of another process: `dbxfs doctor` has it for moments, a copy of the
    /// database for as long as its disk takes.
    private static let lockTimeout = 30.0

    /// Opens or creates the database file. `reserve` has the space for it on a full disk.
    ///
    /// Throws a `DatabaseError` when the file is no database or the disk refuses, and `TooNew` when
    /// a later version of this program has written it.
    package convenience init(path: String, reserve: SpaceReserve? = nil) throws {
        try self.init(path: path, reserve: reserve) { fdatasync($0) }
    }

    /// `delay` is how many seconds after its first change a group is committed; `put` writes to the
    /// change log, like `pwrite`.
    init(
        path: String, reserve: SpaceReserve? = nil, delay: Double = 0.05,
        put: @escaping ChangeLogFile.Write = { pwrite($0, $1.baseAddress, $1.count, $2) },
        flush: @escaping @Sendable (Int32) -> Int32
    ) throws {
        let keptLog = KeptLog()
        var configuration = Self.configuration(keptLog)
        // A group is open between accesses.
        configuration.allowsUnsafeTransactions = true
        configuration.maximumReaderCount = Self.readerLimit
        configuration.busyMode = .timeout(Self.lockTimeout)
        self.path = path
        index = LogIndex(ofDatabaseAt: path)
        self.flush = flush
        self.reserve = reserve
        gate = nil
        let known = LogMark(at: Self.markPath(path))
        var damage = known?.damage(ofDatabaseAt: path)
        try Self.checkFiles(ofDatabaseAt: path)
        Self.makeFile(path)
        let pool = try DatabasePool(path: path, configuration: configuration)
        database = pool
        logFile = LogFile(ofDatabaseAt: path)
        try Self.migrate(database, path)
        let (name, changes) = try Self.tidy(database)
        if let known, damage == nil { damage = known.damage(ofDatabase: name, changes) }
        self.damage = damage
        let next = max(changes, known?.changes ?? 0) +| 1
        try Self.noteChanges(next, database)
        mark = Mutex(LogMark(database: name, changes: next))
        let log = ChangeLog(
            database: name, salt: UInt32(truncatingIfNeeded: next),
            last: try database.writeWithoutTransaction { try ChangeReplay.last(in: $0) })
        group = ChangeGroup(
            log, in: ChangeLogFile(path: ChangeLog.path(ofDatabaseAt: path), put: put),
            reserve: reserve)
        groupEnd = GroupEnd(delay: delay)
        // From here on, the mark demands only what this process has flushed.
        try synchronize()
        keptLog.end(in: pool)
        reserve?.begin()
    }

    deinit { noteRelease() }

    /// Opens a database in memory, which outlives this store.
    ///
    /// `gate` is called before each step of an access and may refuse it by an error. The `async`
    /// forms run on the caller's thread.
    package init(
        _ memory: MemoryDatabase, gate: @escaping @Sendable (StoreAccess) throws -> Void
    ) throws {
        path = nil
        index = nil
        logFile = nil
        flush = { _ in 0 }
        damage = nil
        reserve = nil
        self.gate = gate
        group = nil
        groupEnd = GroupEnd(delay: 0)
        database = memory.queue
        let (name, changes) = try Self.tidy(database)
        mark = Mutex(LogMark(database: name, changes: changes))
        try synchronize()
    }

    static func configuration(_ keptLog: KeptLog? = nil) -> Configuration {
        PageCache.withoutStatistics
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            // Before the first access, which may show that the file is no database.
            keptLog?.prepare(database)
            // A commit reaches the WAL in the page cache; `synchronize` handles power loss.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
            try database.execute(sql: PageCache.usual.pragma)
            // Savepoints need no files.
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        return configuration
    }

    /// Makes a new database's file, for this user only: SQLite would apply the umask, which is that
    /// of all threads of the process. The log and its index get the mode of the database from
    /// SQLite.
    private static func makeFile(_ path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        // If it cannot be made, SQLite tells why.
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    private static func migrate(_ database: any DatabaseWriter, _ path: String?) throws {
        let migrator = Schema.migrator
        let isTooNew = try database.writeWithoutTransaction { try migrator.hasBeenSuperseded($0) }
        if isTooNew { throw TooNew() }
        // Before the migrations, because the statements are those of the version that has written
        // them.
        if let path { try repeatChanges(ofDatabaseAt: path, in: database) }
        try migrator.migrate(database)
    }

    /// Removes what an earlier process left behind. Returns the database's name, and how many
    /// openings and closings it counts.
    private static func tidy(_ database: any DatabaseWriter) throws -> (String, Int64) {
        try database.write { database in
            let transaction = Transaction(database: database, end: TransactionEnd())
            try transaction.removeOrphans()
            for folder in try transaction.keptFolders() { try transaction.reconsider(folder) }
            return (try transaction.databaseName(), try transaction.changes())
        }
    }

    /// The database was written by a later version of this program, whose rules are unknown.
    package struct TooNew: Error, Hashable, Sendable, CustomStringConvertible {
        /// One line for people.
        package var description: String {
            "a newer version of dbxfs has written it: install that version, or a later one"
        }
    }

    static func markPath(_ path: String) -> String { path + "-mark" }

    /// Reads a consistent state on this thread.
    package func read<Value>(_ body: (Snapshot) throws -> Value) throws -> Value {
        guard let gate else {
            return try accesses.run {
                guard committedGroup() else { return try readOnWriter(body) }
                return try database.read { try body(Snapshot(database: $0)) }
            }
        }
        try gate(.read)
        return try database.unsafeRead { try body(Snapshot(database: $0)) }
    }

    /// Number of nodes in the local tree, without the root. Of a million nodes, the number may be
    /// up to 7.5 seconds old.
    ///
    /// Throws a `DatabaseError` when the disk refuses.
    package func nodeCount(at now: WallTime) throws -> Int {
        if let known = counted.withLock({ $0.value(at: now) }) { return known }
        let count = try read { try $0.nodeCount() }
        counted.withLock { $0.note(count, at: now) }
        return count
    }

    /// Reads a few rows on this thread. The writing connection has the pages of the last
    /// transaction in memory, where other connections read them from the log. So it is used if no
    /// other thread uses it, and if it alone has all changes. The state is consistent, because no
    /// transaction begins before `body` returns. The caller must hold no lock that a transaction
    /// takes, because this may wait for a transaction.
    package func readBriefly<Value>(_ body: (Snapshot) throws -> Value) throws -> Value {
        guard gate == nil else { return try read(body) }
        if group?.isPending == true { return try readBetweenTransactions(body) }
        return try readIfFree(body) ?? read(body)
    }

    /// Does the same as `readBetweenTransactions` if no other thread uses the writing connection;
    /// returns nil if one does.
    package func readIfFree<Value>(_ body: (Snapshot) throws -> Value) throws -> Value? {
        guard gate == nil else { return try read(body) }
        return try writer.runIfFree { try accesses.run { try readOnWriter(body) } }
    }

    /// Reads a few rows on this thread between two transactions: the earlier one has done its
    /// work after the commit, the later one has not begun.
    package func readBetweenTransactions<Value>(_ body: (Snapshot) throws -> Value) throws -> Value
    {
        guard gate == nil else { return try read(body) }
        return try accesses.run { try writer.run { try readOnWriter(body) } }
    }

    private func readOnWriter<Value>(_ body: (Snapshot) throws -> Value) throws -> Value {
        try database.writeWithoutTransaction { database in
            try group?.restore(in: database)
            return try body(Snapshot(database: database))
        }
    }

    /// Runs one transaction on this thread; an error rolls it back.
    ///
    /// `due` returns the due time of its changes; by default at once.
    package func write<Value>(
        due: (ChangedPlace) -> WallTime = { _ in .atOnce }, _ body: (Transaction) throws -> Value
    ) throws -> Value {
        try gate?(.write)
        beginTransaction()
        defer { noteTransaction() }
        return try accesses.run {
            try writer.run {
                try database.writeWithoutTransaction { database in
                    try withSpace {
                        try group?.commit(in: database)
                        return try TransactionEnd.run(
                            body, in: database, countedBy: group, due: due, gate: gate
                        ) {
                            self.noteDroppedFallback($0)
                        }
                    }
                }
            }
        }
    }

    /// Reads a consistent state without holding a thread of the cooperative pool.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (Snapshot) throws -> Value
    ) async throws -> Value {
        if gate != nil { return try readInPlace(body) }
        try accesses.begin()
        defer { accesses.finish() }
        if let group, group.isPending {
            writer.begin()
            defer { writer.finish() }
            // If the disk refuses the commit, only this connection has all changes.
            let value: Value? = try await database.writeWithoutTransaction { database in
                if (try? group.commit(in: database)) != nil { return nil }
                try group.restore(in: database)
                return try body(Snapshot(database: database))
            }
            if let value { return value }
        }
        return try await database.read { try body(Snapshot(database: $0)) }
    }

    /// Runs one transaction without holding a thread of the cooperative pool.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        if gate != nil { return try writeInPlace(body) }
        try accesses.begin()
        defer { accesses.finish() }
        writer.begin()
        defer { writer.finish() }
        beginTransaction()
        defer { noteTransaction() }
        return try await database.writeWithoutTransaction { [self] database in
            try withSpace {
                try group?.commit(in: database)
                return try TransactionEnd.run(
                    body, in: database, countedBy: group, due: { _ in .atOnce }
                ) {
                    self.noteDroppedFallback($0)
                }
            }
        }
    }

    /// Functions of their own, because a call in an `async` function takes the `async` form.
    private func readInPlace<Value>(_ body: (Snapshot) throws -> Value) throws -> Value {
        try read(body)
    }

    private func writeInPlace<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        try write(body)
    }

    /// Sets `body` to be called after each transaction, with no lock held; nil removes it. It must
    /// return at once.
    package func observeTransactions(_ body: (@Sendable () -> Void)?) {
        commitObserver.withLock { $0.body = body }
    }

    /// Sets `body` to be called with the number of each staging file that was a fallback and is no
    /// longer needed, after the transaction that dropped it, by the rules of
    /// `Transaction.afterCommit`.
    package func observeDroppedFallbacks(_ body: @escaping @Sendable (Int64) -> Void) {
        fallbackObserver.withLock { $0.body = body }
    }

    func noteTransaction() {
        transactionsEnded.wrappingAdd(1, ordering: .sequentiallyConsistent)
        commitObserver.withLock { $0.body }?()
    }

    func noteDroppedFallback(_ file: Int64) {
        fallbackObserver.withLock { $0.body }?(file)
    }
}

extension Transaction {
    /// The database's unique name, assigned at its creation.
    fileprivate func databaseName() throws -> String {
        if let known = try setting(StoredSetting.databaseName) { return known }
        let name = UUID().uuidString
        try setSetting(StoredSetting.databaseName, to: name)
        return name
    }
}
