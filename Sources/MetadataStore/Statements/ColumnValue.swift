// Values as SQLite stores them: the arguments of statements, which the change log repeats.

/// A value of a column, or an argument of a statement.
package enum ColumnValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    /// A text, or NULL.
    static func text(ifAny text: String?) -> ColumnValue { text.map { .text($0) } ?? .null }
}

/// Bytes as an argument, the empty ones too.
package func blob(_ bytes: [UInt8]) -> ColumnValue {
    .blob(bytes)
}

/// A type whose values are arguments of statements.
package protocol ColumnConvertible {
    /// The value as SQLite stores it.
    var columnValue: ColumnValue { get }
}

extension ColumnValue: ColumnConvertible {
    package var columnValue: ColumnValue { self }
}

extension Int64: ColumnConvertible {
    package var columnValue: ColumnValue { .integer(self) }
}

extension Int: ColumnConvertible {
    package var columnValue: ColumnValue { .integer(Int64(clamping: self)) }
}

extension Bool: ColumnConvertible {
    package var columnValue: ColumnValue { .integer(self ? 1 : 0) }
}

extension String: ColumnConvertible {
    package var columnValue: ColumnValue { .text(self) }
}

/// The arguments of a statement, in order; a nil is NULL.
package struct Arguments: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The values, in order.
    package var values: [ColumnValue]

    package init(_ values: [ColumnValue]) {
        self.values = values
    }

    package init(arrayLiteral elements: (any ColumnConvertible)?...) {
        values = elements.map { $0?.columnValue ?? .null }
    }
}
