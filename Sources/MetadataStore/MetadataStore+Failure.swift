// What callers must know of a failed transaction without knowing SQLite.

import Foundation
import GRDB

extension MetadataStore {
    /// Whether a transaction failed because the local disk has no room left.
    public static func isDiskFull(_ error: any Error) -> Bool {
        switch error {
        case let error as DatabaseError: error.resultCode == .SQLITE_FULL
        case let error as POSIXError: error.code == .ENOSPC || error.code == .EDQUOT
        default: false
        }
    }
}
