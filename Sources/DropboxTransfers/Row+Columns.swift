// Typed access to columns. A damaged disk or another program can leave any value in a row, and
// GRDB's own conversions trap on a value of another type: these throw an error that names the
// column.

import ContentHashing
import Foundation
import GRDB

/// A row contains a value that no version of this program writes.
struct DamagedRow: Error, CustomStringConvertible {
    var column: String

    var description: String { "damaged row: the column \(column)" }
}

extension Row {
    func number(ifAny column: String) throws(DamagedRow) -> Int64? {
        switch storage(column) {
        case .null: nil
        case .int64(let number): number
        default: throw DamagedRow(column: column)
        }
    }

    func number(_ column: String) throws(DamagedRow) -> Int64 {
        guard let number = try number(ifAny: column) else { throw DamagedRow(column: column) }
        return number
    }

    func text(ifAny column: String) throws(DamagedRow) -> String? {
        switch storage(column) {
        case .null: nil
        case .string(let text): text
        default: throw DamagedRow(column: column)
        }
    }

    func data(ifAny column: String) throws(DamagedRow) -> Data? {
        switch storage(column) {
        case .null: nil
        case .blob(let data): data
        default: throw DamagedRow(column: column)
        }
    }

    /// A column's value of any type; NULL where there is no such column.
    private func storage(_ column: String) -> DatabaseValue.Storage {
        first { $0.0 == column }?.1.storage ?? .null
    }
}
