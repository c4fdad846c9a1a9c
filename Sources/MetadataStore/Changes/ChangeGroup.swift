// Many transactions of users become one commit of SQLite. Each of them survives the death of the
// process from the moment when its statements are in the change log: one small write, where a
// commit of SQLite writes a dozen pages. The transactions are not savepoints, because SQLite copies
// each page that a savepoint touches. So if one fails, the group is rolled back and the others, of
// which there are few, are run again. Not responsible for when SQLite commits
// (`MetadataStore+Changes.swift`).

import Foundation
import GRDB
import Glibc
import LocalFiles
import Saturating
import Synchronization

/// The transactions that are acknowledged, and that SQLite has not committed.
///
/// All functions are called with the connection that writes, by the thread that has it.
final class ChangeGroup: Sendable {
    /// Bytes of the log after which the database commits.
    private static let longestLap = 1 << 20

    private struct State {
        var log: ChangeLog
        let file: ChangeLogFile
        /// Whether SQLite's transaction is open.
        var isOpen = false
        /// Whether a transaction is running in it.
        var isChanging = false
        /// Whether SQLite's transaction has changes of a failed transaction of the group.
        var isSpoiled = false
    }

    /// Lock: taken only by the thread that has the connection, so that no thread waits for it.
    private let state: Mutex<State>
    private let pending = Atomic<Bool>(false)
    /// The space for the group on a full disk.
    private let reserve: SpaceReserve?

    init(_ log: ChangeLog, in file: ChangeLogFile, reserve: SpaceReserve? = nil) {
        state = Mutex(State(log: log, file: file))
        self.reserve = reserve
    }

    /// Whether there is anything that other connections do not see. Any thread may ask.
    var isPending: Bool { pending.load(ordering: .sequentiallyConsistent) }

    /// Begins a transaction of the group.
    func begin(in database: Database) throws {
        try state.withLock { state in
            try restore(&state, database)
            if !state.isOpen { try database.step("BEGIN IMMEDIATE") }
            state.isOpen = true
            state.isChanging = true
        }
    }

    /// Ends a transaction, whose changes survive the process from now on. Returns whether they are
    /// the first of the group.
    func finish(_ changes: TransactionChanges, in database: Database) throws -> Bool {
        try state.withLock { state in
            guard database.hasTransaction else {
                throw DatabaseError(resultCode: .SQLITE_ABORT)
            }
            state.isChanging = false
            let isComplete = changes.isComplete(in: database)
            if isComplete, changes.statements.isEmpty {
                endIfEmpty(&state, database)
                return false
            }
            guard isComplete, state.log.lap.count < Self.longestLap else {
                // The log cannot have it, so the database must.
                reserve?.prepare()
                try commit(&state, database, isLogged: false)
                return false
            }
            let isFirst = state.log.lap.isEmpty
            let file = state.file
            try state.log.append(changes.statements) { bytes, offset in
                try repeating { try file.write(bytes, at: offset) }
            }
            pending.store(true, ordering: .sequentiallyConsistent)
            return isFirst
        }
    }

    /// Undoes a transaction that has failed, and no other.
    func undo(_ changes: TransactionChanges, in database: Database) {
        state.withLock { state in
            state.isChanging = false
            state.isSpoiled = !database.hasTransaction || changes.hasChanged(in: database)
            // If that fails, the next access tries it again.
            try? restore(&state, database)
            endIfEmpty(&state, database)
        }
    }

    /// Has the database commit the group. If that fails, nothing is lost: the log has it, and so
    /// has the connection.
    func commit(in database: Database) throws {
        try state.withLock { state in
            // A read within a transaction sees the earlier state.
            guard !state.isChanging else { return }
            // The log has all changes of the group.
            try repeating {
                try restore(&state, database)
                if state.isOpen { try commit(&state, database) }
            }
        }
    }

    /// Counts a transaction that the database commits itself, before its commit. A power cut may
    /// take that commit and leave records of changes that were made after it: then these do not
    /// continue the database's numbers.
    func count(in database: Database) throws {
        try state.withLock { state in
            try ChangeReplay.note(last: state.log.last +| 1, in: database)
        }
    }

    /// Notes that a counted transaction is committed.
    func noteCounted() {
        state.withLock { $0.log.skip() }
    }

    /// Repeats the group if SQLite has lost its transaction.
    func restore(in database: Database) throws {
        try state.withLock { state in
            if !state.isChanging { try restore(&state, database) }
        }
    }

    /// Removes the file, because the database is closed and has everything.
    func removeFile() {
        state.withLock { $0.file.remove() }
    }

    // MARK: Parts

    /// Runs work again as long as the disk is full and the reserve has space.
    private func repeating(_ body: () throws -> Void) throws {
        if let reserve { try reserve.retrying(body) } else { try body() }
    }

    private func restore(_ state: inout State, _ database: Database) throws {
        if state.isSpoiled || (state.isOpen ? !database.hasTransaction : !state.log.lap.isEmpty) {
            try rebuild(&state, database)
        }
    }

    /// A transaction that is not in the log gets a number that no record has, as in `count(in:)`.
    private func commit(
        _ state: inout State, _ database: Database, isLogged: Bool = true
    ) throws {
        do {
            try ChangeReplay.note(last: state.log.last +| (isLogged ? 0 : 1), in: database)
            try database.step("COMMIT")
        } catch {
            // If that fails, the next access tries it again.
            try? rebuild(&state, database)
            throw error
        }
        state.isOpen = false
        state.log.beginAnew()
        if !isLogged { state.log.skip() }
        pending.store(false, ordering: .sequentiallyConsistent)
    }

    /// Opens SQLite's transaction anew, with the changes of the log and no others.
    private func rebuild(_ state: inout State, _ database: Database) throws {
        if database.hasTransaction { try database.step("ROLLBACK") }
        state.isOpen = false
        state.isSpoiled = false
        guard !state.log.lap.isEmpty else { return }
        try database.step("BEGIN IMMEDIATE")
        do {
            try ChangeReplay.repeatAll(state.log.records, in: database)
        } catch {
            if database.hasTransaction { try database.step("ROLLBACK") }
            throw error
        }
        state.isOpen = true
    }

    /// Ends SQLite's transaction if nothing has changed, so that other processes may write.
    private func endIfEmpty(_ state: inout State, _ database: Database) {
        guard state.isOpen, !state.isSpoiled, state.log.lap.isEmpty else { return }
        if database.hasTransaction { try? database.step("ROLLBACK") }
        state.isOpen = database.hasTransaction
    }
}

/// The file of a change log. It is created by the first record.
final class ChangeLogFile: Sendable {
    /// Writes bytes at an offset, like `pwrite`.
    typealias Write = @Sendable (Int32, UnsafeRawBufferPointer, off_t) -> Int

    private let path: String
    private let put: Write
    /// Lock: taken only by the thread that has the connection which writes.
    private let descriptor = Mutex<Int32>(-1)

    init(path: String, put: @escaping Write) {
        self.path = path
        self.put = put
    }

    deinit { descriptor.withLock { if $0 >= 0 { _ = close($0) } } }

    /// Puts bytes at an offset. If that fails, no record begins there.
    func write(_ bytes: [UInt8], at offset: Int) throws {
        try descriptor.withLock { descriptor in
            if descriptor < 0 {
                // The database has all records of older processes.
                do throws(RegularFile.Failure) {
                    descriptor = try RegularFile.open(path, O_WRONLY | O_CREAT | O_TRUNC)
                } catch {
                    throw Self.failure(error.errno)
                }
            }
            let file = descriptor
            let count = bytes.withUnsafeBytes {
                FileBytes.write($0, at: Int64(clamping: offset)) {
                    put(file, $0, off_t(clamping: $1))
                }
            }
            guard count == bytes.count else {
                let error = Self.failure(errno)
                _ = ftruncate(descriptor, off_t(clamping: offset))
                throw error
            }
        }
    }

    func remove() {
        _ = unlink(path)
    }

    private static func failure(_ error: Int32) -> DatabaseError {
        let code: ResultCode = error == ENOSPC || error == EDQUOT ? .SQLITE_FULL : .SQLITE_IOERR
        return DatabaseError(resultCode: code, message: String(cString: strerror(error)))
    }
}
