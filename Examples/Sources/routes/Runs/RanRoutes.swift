// Which routes ran, told by the client itself, and what their results have to be.

import Account
import DropboxAPI
import Synchronization

/// Keeps the routes of the calls that succeeded.
final class RanRoutes: DropboxObserver {
    private let seen = Mutex(Set<String>())

    /// The routes, each once.
    var routes: Set<String> { seen.withLock { $0 } }

    func callEnded(_ record: CallRecord) {
        guard record.failure == nil else { return }
        seen.withLock { _ = $0.insert(record.context.route) }
    }
}

/// Throws with the statement that does not hold.
func expect(_ holds: Bool, _ statement: String) throws(Usage) {
    guard holds else { throw Usage("it does not hold that \(statement)") }
}
