// The rows on the disk that vouch for no bytes. Not responsible for later rows, which only the
// memory may have (`StagedState`).

import Synchronization

/// The staging files whose rows on the disk say that their bytes may not be there: these may be
/// written over. Those of other files that were flushed once may say the opposite.
final class InvalidatedRows: Sendable {
    /// Lock: a leaf; held for memory only.
    private let numbers = Mutex<Set<Int64>>([])

    func contains(_ number: Int64) -> Bool { numbers.withLock { $0.contains(number) } }

    func insert(_ number: Int64) { numbers.withLock { _ = $0.insert(number) } }

    /// Notes that a row is about to call bytes flushed, or that the file is no longer needed.
    func remove(_ number: Int64) { numbers.withLock { _ = $0.remove(number) } }
}
