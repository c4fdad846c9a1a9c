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
        var inode: InodeID
        /// The generation that the kernel had of the file when the caller got ESTALE.
        var generation: UInt64
        /// From then on, an open is not the repeated one.
        var end: WallTime

        func isFresh(at now: WallTime) -> Bool { now < end }
    }

    private struct State {
        /// By the kernel's thread ID.
        var threads: [Int32: Retry] = [:]
        /// Of threads in PID namespaces that the mount does not see: all of them have the ID 0.
        var strangers: [InodeID: Retry] = [:]
    }

    private let state = Mutex(State())
    /// Nanoseconds after which a thread's next open is not the repeated one.
    private static let threadsTimeout: Int64 = 10_000_000_000
    /// The same for strangers. Nothing tells the end of their repeated opens, and until this time
    /// all of them get the version that was looked up last, also if others have changed it since.
    private static let strangersTimeout: Int64 = 2_000_000_000
    /// Number of entries at which expired ones are dropped.
    private static let limit = 256

    /// Notes that a caller gets ESTALE for a file of which the kernel has a generation.
    func note(_ caller: CallingProcess, _ inode: InodeID, generation: UInt64, at now: WallTime) {
        let timeout = caller.hasThreadID ? Self.threadsTimeout : Self.strangersTimeout
        let retry = Retry(
            inode: inode, generation: generation, end: now.adding(nanoseconds: timeout))
        state.withLock { state in
            if state.threads.count >= Self.limit {
                state.threads = state.threads.filter { $0.value.isFresh(at: now) }
            }
            if state.strangers.count >= Self.limit {
                state.strangers = state.strangers.filter { $0.value.isFresh(at: now) }
            }
            if caller.hasThreadID {
                state.threads[caller.processID] = retry
            } else {
                state.strangers[inode] = retry
            }
        }
    }

    /// Whether a caller may have looked up this generation of a file, and is about to open it.
    func isAboutToOpen(_ generation: UInt64, of inode: InodeID, at now: WallTime) -> Bool {
        state.withLock { state in
            let isExpected = { (retry: Retry) in
                retry.inode == inode && retry.generation != generation && retry.isFresh(at: now)
            }
            return state.threads.values.contains(where: isExpected)
                || state.strangers[inode].map(isExpected) ?? false
        }
    }

    /// The opens of a caller that got ESTALE that are the repeated one; to be asked for once,
    /// before the first attempt of an open. A thread repeats one open. Strangers cannot be told
    /// apart: for a file for which one of them got ESTALE, each of their opens counts as repeated
    /// for a while.
    func takeRetry(of caller: CallingProcess, at now: WallTime) -> RepeatedOpens {
        state.withLock { state in
            guard caller.hasThreadID else {
                return .files(Set(state.strangers.filter { $0.value.isFresh(at: now) }.keys))
            }
            guard let retry = state.threads.removeValue(forKey: caller.processID),
                retry.isFresh(at: now)
            else { return .files([]) }
            return .any
        }
    }
}

/// The files whose open is a repeated one if a caller opens them now.
enum RepeatedOpens: Sendable {
    /// Any file: the repeated lookup may have led to another one than before.
    case any
    /// The files for which callers like this one got ESTALE.
    case files(Set<InodeID>)

    /// Whether the open of a file is a repeated one.
    func contains(_ inode: InodeID) -> Bool {
        switch self {
        case .any: true
        case .files(let inodes): inodes.contains(inode)
        }
    }
}

extension CallingProcess {
    /// Whether the thread can be told from others.
    fileprivate var hasThreadID: Bool { processID != 0 }
}
