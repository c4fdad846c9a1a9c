// The log (WAL) of a database that cannot be opened stays as it is. Not responsible for whether the
// log is the database's (`LogMark`).

import CSQLite
import GRDB
import Synchronization

/// Keeps SQLite from merging the log into the database, and from deleting it, when a connection is
/// closed before the database has been opened.
///
/// Of a database that is damaged, the log may have the only copy of the last changes. A mount that
/// refuses it must leave both as they are, for a user who repairs them.
final class KeptLog: Sendable {
    private let isKept = Atomic<Bool>(true)

    /// Called for each new connection.
    func prepare(_ database: Database) {
        let isKept = isKept.load(ordering: .relaxed)
        _ = csqlite_keep_log_at_close(database.sqliteConnection, isKept ? 1 : 0)
    }

    /// The database is open: from now on, its last connection merges the log.
    func end(in pool: DatabasePool) {
        isKept.store(false, ordering: .relaxed)
        pool.writeWithoutTransaction { prepare($0) }
        pool.invalidateReadOnlyConnections()
    }
}
