// The callers that got ESTALE. Not responsible for the reason.

import Core
import Synchronization

/// The callers whose last `open` was answered with `ESTALE`.
///
/// At this error the kernel repeats the lookup and the open once, on the same thread. A second
/// ESTALE would reach the process, so a caller that returns must not get it. The lookup need not
/// have helped, because a descriptor in `/proc` has no name, and another change may have come in
/// between.
final class SentBack: Sendable {
    /// When each got ESTALE, by the kernel's thread ID.
    private let callers = Mutex<[Int32: Timestamp]>([:])
    /// Nanoseconds after which a thread's next open is not the repeated one.
    private static let patience: Int64 = 10_000_000_000
    /// Number of entries at which expired ones are dropped.
    private static let limit = 256

    /// Notes that a caller gets ESTALE.
    func note(_ caller: Caller, at now: Timestamp) {
        callers.withLock { callers in
            if callers.count >= Self.limit {
                callers = callers.filter { now < $0.value.adding(nanoseconds: Self.patience) }
            }
            callers[caller.processID] = now
        }
    }

    /// Whether a caller got ESTALE and this is its repeated open. True only once.
    func takes(back caller: Caller, at now: Timestamp) -> Bool {
        callers.withLock { callers in
            guard let time = callers.removeValue(forKey: caller.processID) else { return false }
            return now < time.adding(nanoseconds: Self.patience)
        }
    }
}
