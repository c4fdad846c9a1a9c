// The causes of failed transactions, for callers that do not know SQLite.

import Foundation
import GRDB

extension MetadataStore {
    /// Whether a transaction failed because the local disk is full.
    package static func isDiskFull(_ error: any Error) -> Bool {
        switch error {
        case let error as DatabaseError: error.resultCode == .SQLITE_FULL
        case let error as POSIXError: error.code == .ENOSPC || error.code == .EDQUOT
        default: false
        }
    }
}
