// Who was told to look a name up again. Not responsible for why.

import Core
import Synchronization

/// The callers whose last `open` was answered with `ESTALE`.
///
/// At this error the kernel looks the name up and opens what it finds, once, on the same thread. A caller that
/// comes again must therefore not be sent back again: the process would get the error. Looking up need not have
/// helped, because a descriptor in `/proc` has no name, and another change may have come in between.
final class SentBack: Sendable {
    /// When each was sent back, by the kernel's number of the thread.
    private let callers = Mutex<[Int32: Timestamp]>([:])
    /// Nanoseconds after which a thread that has not come again does not mean this any more.
    private static let patience: Int64 = 10_000_000_000
    /// From how many on those are dropped.
    private static let limit = 256

    /// Notes that a caller is sent back.
    func note(_ caller: Caller, at now: Timestamp) {
        callers.withLock { callers in
            if callers.count >= Self.limit {
                callers = callers.filter { now < $0.value.adding(nanoseconds: Self.patience) }
            }
            callers[caller.processID] = now
        }
    }

    /// Whether a caller was sent back and comes again now. It does so once.
    func takes(back caller: Caller, at now: Timestamp) -> Bool {
        callers.withLock { callers in
            guard let time = callers.removeValue(forKey: caller.processID) else { return false }
            return now < time.adding(nanoseconds: Self.patience)
        }
    }
}
