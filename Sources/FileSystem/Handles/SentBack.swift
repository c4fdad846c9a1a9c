// The callers that got ESTALE, and the files that they come back to. Not responsible for the
// reason.

import Core
import Synchronization

/// The callers whose last `open` was answered with `ESTALE`.
///
/// At this error the kernel repeats the lookup and the open once, on the same thread. A second
/// ESTALE would reach the process, so a caller that returns must not get it. The lookup need not
/// have helped, because a descriptor in `/proc` has no name, and another change may have come in
/// between.
final class SentBack: Sendable {
    /// A caller on its way to a repeated open.
    private struct Return {
        var time: WallTime
        var inode: InodeID
        /// The generation that the kernel had of the file when the caller was sent back.
        var generation: UInt64
    }

    /// By the kernel's thread ID.
    private let callers = Mutex<[Int32: Return]>([:])
    /// Nanoseconds after which a thread's next open is not the repeated one.
    private static let returnTimeout: Int64 = 10_000_000_000
    /// Number of entries at which expired ones are dropped.
    private static let limit = 256

    /// Notes that a caller gets ESTALE for a file of which the kernel has a generation.
    func note(_ caller: CallingProcess, _ inode: InodeID, generation: UInt64, at now: WallTime) {
        callers.withLock { callers in
            if callers.count >= Self.limit {
                callers = callers.filter { Self.isAwaited($0.value, at: now) }
            }
            callers[caller.processID] = Return(time: now, inode: inode, generation: generation)
        }
    }

    /// Whether a caller may have looked up this generation of a file, and is about to open it.
    func awaits(_ generation: UInt64, of inode: InodeID, at now: WallTime) -> Bool {
        callers.withLock { callers in
            callers.values.contains {
                $0.inode == inode && $0.generation != generation && Self.isAwaited($0, at: now)
            }
        }
    }

    private static func isAwaited(_ one: Return, at now: WallTime) -> Bool {
        now < one.time.adding(nanoseconds: returnTimeout)
    }

    /// Whether a caller got ESTALE and this is its repeated open. True only once.
    func takes(back caller: CallingProcess, at now: WallTime) -> Bool {
        callers.withLock { callers in
            guard let one = callers.removeValue(forKey: caller.processID) else { return false }
            return Self.isAwaited(one, at: now)
        }
    }
}
