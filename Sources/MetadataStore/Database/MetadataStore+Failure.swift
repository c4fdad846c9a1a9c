// The causes of failed transactions and of databases that cannot be opened, for callers that do not
// know SQLite; and the space that is released for transactions on a full disk (`SpaceReserve`).

import Foundation
import GRDB
import LocalFiles

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

extension MetadataStore {
    /// Throws if one of a database's files is none: SQLite would wait for a FIFO, and follow a
    /// link.
    static func checkFiles(ofDatabaseAt path: String) throws {
        for suffix in ["", "-wal", "-shm", "-journal"]
        where RegularFile.isOther(at: "\(path)\(suffix)") {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: "\(path)\(suffix) is not a file")
        }
    }

    /// Runs a transaction, with the space that the reserve has if the disk may be too full for it.
    func withSpace<Value>(_ transaction: () throws -> Value) throws -> Value {
        guard let reserve else { return try transaction() }
        reserve.prepare()
        do {
            return try transaction()
        } catch {
            // A quota may be used up where the disk is not: the next try has the space.
            if reserve.mayHelp(against: error) { reserve.release() }
            throw error
        }
    }
}
