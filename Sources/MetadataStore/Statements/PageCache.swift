// How much of the database a connection keeps in memory, and how SQLite counts its memory.

import CSQLite

/// The most memory that a connection takes for pages of the database.
package enum PageCache: Sendable {
    /// 4 MiB: a mount reads a few folders at a time.
    case usual
    /// 40 MiB: the index of the server's ids for a million nodes. A listing tells nodes in the
    /// order of their paths and has their ids in none, so that each would be inserted into a page
    /// which has to be read again.
    case listing

    var pragma: String {
        switch self {
        case .usual: "PRAGMA cache_size = -4096"
        case .listing: "PRAGMA cache_size = -40960"
        }
    }

    /// Has SQLite leave out its statistics of memory, which take one lock of the process for each
    /// allocation of any connection. It has no effect once the process has used SQLite.
    static let withoutStatistics: Void = { _ = csqlite_omit_memory_statistics() }()
}
