// The umask, which is that of the whole process. Not responsible for files of other threads, which
// have the test's umask as long as it holds.

public import Glibc
import Synchronization

private let holder = Mutex(())

/// Runs `body` under another umask. One test at a time: two would restore each other's.
@discardableResult public func withUmask<Result>(
    _ mask: mode_t, _ body: () throws -> Result
) rethrows -> Result {
    try holder.withLock { _ in
        let before = umask(mask)
        defer { umask(before) }
        return try body()
    }
}
