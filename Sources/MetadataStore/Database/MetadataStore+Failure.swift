// The causes of failed transactions and of databases that cannot be opened, for callers that do not know SQLite.

import Foundation
import GRDB

extension MetadataStore {
    /// The failures of SQLite that callers tell apart.
    package enum Failure: Hashable, Sendable {
        /// The disk is full.
        case diskFull
        /// The file is no database, or a damaged one.
        case damaged(detail: String)
        /// Any other failure, in SQLite's words.
        case other(detail: String)
    }

    /// The failure of SQLite that an error reports; nil for errors of other origin.
    package static func failure(in error: any Error) -> Failure? {
        guard let error = error as? DatabaseError else { return nil }
        return switch error.resultCode {
        case .SQLITE_FULL: .diskFull
        case .SQLITE_NOTADB, .SQLITE_CORRUPT: .damaged(detail: error.message ?? "damaged")
        default: .other(detail: error.message ?? "\(error.resultCode)")
        }
    }

    /// Whether a transaction failed because the local disk is full.
    package static func isDiskFull(_ error: any Error) -> Bool {
        guard let error = error as? POSIXError else { return failure(in: error) == .diskFull }
        return error.code == .ENOSPC || error.code == .EDQUOT
    }
}
