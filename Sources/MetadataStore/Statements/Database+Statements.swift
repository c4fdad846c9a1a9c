// Runs statements. GRDB compiles and keeps them; they are stepped here, because its own execution
// costs several times SQLite's for a statement that finds one row.

import Foundation
import GRDB
import GRDBSQLite
import Saturating

extension Database {
    /// Runs a statement without its rows, if it has any.
    func step(_ sql: String, _ arguments: Arguments = []) throws {
        try cachedStatement(sql: sql).forEachRow(arguments) { _ in }
    }

    /// The number in the first column of the first row; nil if there is no row, or NULL in it.
    func number(_ sql: String, _ arguments: Arguments = []) throws -> Int64? {
        try cachedStatement(sql: sql).firstRow(arguments) { row in
            sqlite3_column_type(row, 0) == SQLITE_NULL ? nil : sqlite3_column_int64(row, 0)
        }.flatMap { $0 }
    }

    /// The text in the first column of the first row; nil if there is no row, or NULL in it.
    func text(_ sql: String, _ arguments: Arguments = []) throws -> String? {
        try cachedStatement(sql: sql).firstRow(arguments) { row in
            sqlite3_column_text(row, 0).map { text in
                let count = Int(clamping: sqlite3_column_bytes(row, 0))
                return String(
                    decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
            }
        }.flatMap { $0 }
    }

    /// Runs a transaction that no other connection can write in, and rolls it back if `body`
    /// throws. GRDB's own compiles `BEGIN` and `COMMIT` for each, which costs as much as a small
    /// change.
    func immediately<Value>(_ body: () throws -> Value) throws -> Value {
        try step("BEGIN IMMEDIATE")
        do {
            let value = try body()
            guard hasTransaction else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            try step("COMMIT")
            return value
        } catch {
            if hasTransaction { try? step("ROLLBACK") }
            throw error
        }
    }

    /// Whether a transaction is open. SQLite ends it by itself after some errors.
    var hasTransaction: Bool { sqlite3_get_autocommit(sqliteConnection) == 0 }

    /// How many rows all statements so far have changed.
    var changesSoFar: Int64 { Int64(clamping: sqlite3_total_changes(sqliteConnection)) }
}

extension Statement {
    /// Calls `body` with each row.
    func forEachRow(_ arguments: Arguments, _ body: (SQLiteStatement) throws -> Void) throws {
        try bind(arguments)
        defer { sqlite3_reset(sqliteStatement) }
        while try hasRow() { try body(sqliteStatement) }
    }

    /// The value of the first row; nil if there is none.
    func firstRow<Value>(
        _ arguments: Arguments, _ body: (SQLiteStatement) throws -> Value
    ) throws -> Value? {
        try bind(arguments)
        defer { sqlite3_reset(sqliteStatement) }
        return try hasRow() ? try body(sqliteStatement) : nil
    }

    private func hasRow() throws -> Bool {
        switch sqlite3_step(sqliteStatement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    private func bind(_ arguments: Arguments) throws {
        let statement = sqliteStatement
        sqlite3_reset(statement)
        guard sqlite3_bind_parameter_count(statement) == CInt(clamping: arguments.values.count)
        else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE)
        }
        var index: CInt = 0
        for value in arguments.values {
            index &+= 1
            let code = bind(value, at: index)
            guard code == SQLITE_OK else { throw failure(code) }
        }
    }

    private func bind(_ value: ColumnValue, at index: CInt) -> CInt {
        let statement = sqliteStatement
        // SQLite copies the bytes.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let number): return sqlite3_bind_int64(statement, index, number)
        case .text(var text):
            if text.isEmpty { return sqlite3_bind_text(statement, index, "", 0, copied) }
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text64(
                        statement, index, $0.baseAddress, sqlite3_uint64($0.count), copied,
                        UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let bytes):
            if bytes.isEmpty { return sqlite3_bind_zeroblob(statement, index, 0) }
            return bytes.withUnsafeBytes {
                sqlite3_bind_blob64(
                    statement, index, $0.baseAddress, sqlite3_uint64($0.count), copied)
            }
        }
    }

    private func failure(_ code: CInt) -> any Error {
        // GRDB interrupts the running statement of a task that is cancelled.
        if code & 0xff == SQLITE_INTERRUPT, Task.isCancelled { return CancellationError() }
        return DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: String(cString: sqlite3_errmsg(sqlite3_db_handle(sqliteStatement))))
    }
}
