// The callers whose open was answered with ESTALE, and that retry it. Not responsible for the
// reason.

import Core
import Synchronization

/// The callers whose last `open` was answered with `ESTALE`.
///
/// At this error the kernel repeats the lookup and the open once, on the same thread. A second
/// ESTALE would reach the process, so a caller that retries must not get it. The lookup need not
/// have helped, because a descriptor in `/proc` has no name, and another change may have come in
/// between.
final class StaleOpens: Sendable {
    /// A repeated open that is to be expected.
    private struct Retry {
        var time: WallTime
        var inode: InodeID
        /// The generation that the kernel had of the file when the caller got ESTALE.
        var generation: UInt64
    }

    /// By the kernel's thread ID.
    private let retries = Mutex<[Int32: Retry]>([:])
    /// Nanoseconds after which a thread's next open is not the repeated one.
    private static let retryTimeout: Int64 = 10_000_000_000
    /// Number of entries at which expired ones are dropped.
    private static let limit = 256

    /// Notes that a caller gets ESTALE for a file of which the kernel has a generation.
    func note(_ caller: CallingProcess, _ inode: InodeID, generation: UInt64, at now: WallTime) {
        retries.withLock { retries in
            if retries.count >= Self.limit {
                retries = retries.filter { Self.isAwaited($0.value, at: now) }
            }
            retries[caller.processID] = Retry(time: now, inode: inode, generation: generation)
        }
    }

    /// Whether a caller may have looked up this generation of a file, and is about to open it.
    func awaits(_ generation: UInt64, of inode: InodeID, at now: WallTime) -> Bool {
        retries.withLock { retries in
            retries.values.contains {
                $0.inode == inode && $0.generation != generation && Self.isAwaited($0, at: now)
            }
        }
    }

    private static func isAwaited(_ retry: Retry, at now: WallTime) -> Bool {
        now < retry.time.adding(nanoseconds: retryTimeout)
    }

    /// Whether a caller got ESTALE and this is its repeated open. True only once.
    func takeRetry(of caller: CallingProcess, at now: WallTime) -> Bool {
        retries.withLock { retries in
            guard let retry = retries.removeValue(forKey: caller.processID) else { return false }
            return Self.isAwaited(retry, at: now)
        }
    }
}
