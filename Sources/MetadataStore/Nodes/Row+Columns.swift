// Typed columns of rows. A damaged disk or another program can leave any value in a row, and GRDB's
// own conversions trap on a value of another type: here that is an error that names the column. Not
// GRDB's `Row`, either: that builds a dictionary of the column names for each query, which costs
// several times SQLite's search for a node.

import ContentHashing
import Core
import Foundation
import GRDB
import GRDBSQLite

/// A row holds a value that no version of this program writes.
package struct DamagedRow: Error, Hashable, Sendable, CustomStringConvertible {
    /// The table, or the name of a query over several.
    package var table: String
    /// The column's name, or the expression.
    package var column: String

    /// One line for people.
    package var description: String { "damaged row: the column \(column) of the table \(table)" }
}

/// The columns of a statement's current row.
struct Columns {
    let statement: SQLiteStatement
    /// The table for error messages.
    var table: String

    // MARK: Numbers

    /// An integer within limits; nil for NULL.
    func number(
        ifAny index: CInt, in limits: ClosedRange<Int64> = .min ... .max
    ) throws(DamagedRow) -> Int64? {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_NULL: return nil
        case SQLITE_INTEGER:
            let number = sqlite3_column_int64(statement, index)
            guard limits.contains(number) else { throw damage(index) }
            return number
        default: throw damage(index)
        }
    }

    func number(
        _ index: CInt, in limits: ClosedRange<Int64> = .min ... .max
    ) throws(DamagedRow) -> Int64 {
        try present(number(ifAny: index, in: limits), index)
    }

    /// A small number, clamped to its type.
    func count(_ index: CInt) throws(DamagedRow) -> Int {
        Int(clamping: min(max(try number(index), 0), 0x7fff_ffff))
    }

    /// A size in bytes. Older versions stored sizes that no file can have: those are clamped.
    func size(ifAny index: CInt) throws(DamagedRow) -> Int64? {
        try number(ifAny: index, in: 0 ... .max).map { min($0, Self.largestSize) }
    }

    func size(_ index: CInt) throws(DamagedRow) -> Int64 {
        try present(size(ifAny: index), index)
    }

    /// No file is larger, here or on the server.
    static let largestSize: Int64 = 1 << 42

    func inode(ifAny index: CInt) throws(DamagedRow) -> InodeID? {
        try number(ifAny: index).map { InodeID(column: $0) }
    }

    func inode(_ index: CInt) throws(DamagedRow) -> InodeID {
        InodeID(column: try number(index))
    }

    /// A case of an enum.
    func choice<Value: RawRepresentable<Int>>(_ index: CInt) throws(DamagedRow) -> Value {
        try present(Value(rawValue: Int(clamping: number(index))), index)
    }

    func flags(_ index: CInt) throws(DamagedRow) -> NodeFlags {
        NodeFlags(rawValue: Int(truncatingIfNeeded: try number(index)))
    }

    func time(ifAny index: CInt) throws(DamagedRow) -> WallTime? {
        guard sqlite3_column_type(statement, index) == SQLITE_BLOB else {
            return try number(ifAny: index).map { WallTime(nanoseconds: $0) }
        }
        return try present(bytes(ifAny: index).flatMap { WallTime(column: $0) }, index)
    }

    func time(_ index: CInt) throws(DamagedRow) -> WallTime {
        try present(time(ifAny: index), index)
    }

    // MARK: Bytes

    func text(ifAny index: CInt) throws(DamagedRow) -> String? {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_NULL: return nil
        case SQLITE_TEXT:
            guard let text = sqlite3_column_text(statement, index) else { throw damage(index) }
            let count = Int(clamping: sqlite3_column_bytes(statement, index))
            return String(
                decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
        default: throw damage(index)
        }
    }

    func text(_ index: CInt) throws(DamagedRow) -> String {
        try present(text(ifAny: index), index)
    }

    /// The target of a link: a text, or other bytes. Older versions stored texts that no link can
    /// have: those count as none.
    func target(ifAny index: CInt) throws(DamagedRow) -> LinkTarget? {
        if sqlite3_column_type(statement, index) == SQLITE_BLOB {
            return try bytes(ifAny: index).flatMap { LinkTarget($0) }
        }
        return try text(ifAny: index).flatMap { LinkTarget($0) }
    }

    func bytes(ifAny index: CInt) throws(DamagedRow) -> [UInt8]? {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_NULL: return nil
        case SQLITE_BLOB:
            // SQLite returns no address for an empty blob.
            guard let bytes = sqlite3_column_blob(statement, index) else { return [] }
            let count = Int(clamping: sqlite3_column_bytes(statement, index))
            return Array(UnsafeRawBufferPointer(start: bytes, count: count))
        default: throw damage(index)
        }
    }

    func bytes(_ index: CInt) throws(DamagedRow) -> [UInt8] {
        try present(bytes(ifAny: index), index)
    }

    func hash(ifAny index: CInt) throws(DamagedRow) -> ContentHash? {
        guard let bytes = try bytes(ifAny: index) else { return nil }
        return try present(ContentHash(bytes: bytes), index)
    }

    // MARK: Errors

    /// The value, or an error if the column has none.
    private func present<Value>(
        _ value: Value?, _ index: CInt
    ) throws(DamagedRow) -> Value {
        guard let value else { throw damage(index) }
        return value
    }

    private func damage(_ index: CInt) -> DamagedRow {
        let name = sqlite3_column_name(statement, index).map { String(cString: $0) }
        return DamagedRow(table: table, column: name ?? "\(index)")
    }
}

/// A value that is decoded from a whole row.
protocol RowReadable {
    /// The table for error messages.
    static var table: String { get }

    init(_ row: Columns) throws
}

extension RowReadable {
    /// The first row, or nil.
    static func fetchFirst(_ statement: Statement, _ arguments: Arguments = []) throws -> Self? {
        try statement.firstRow(arguments) {
            try Self(Columns(statement: $0, table: table))
        }
    }

    static func fetchEvery(_ statement: Statement, _ arguments: Arguments = []) throws -> [Self] {
        var all: [Self] = []
        try forEach(statement, arguments) { all.append($0) }
        return all
    }

    /// Calls `body` with each row.
    static func forEach(
        _ statement: Statement, _ arguments: Arguments = [], _ body: (Self) throws -> Void
    ) throws {
        try statement.forEachRow(arguments) {
            try body(Self(Columns(statement: $0, table: table)))
        }
    }
}
