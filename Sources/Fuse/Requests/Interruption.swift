// When a signal cancels a waiting operation. The kernel reports the first signal only, without its
// number; so the caller's pending signals are read from /proc, repeatedly while it waits.

import Core
import LocalIO
import Saturating

/// A thread's pending, unblocked signals as bits: signal n is bit n − 1.
struct PendingSignals: Hashable, Sendable {
    /// The set as a bit mask.
    var bits: UInt64

    /// Reads /proc/TID/status; nil if the thread is not visible in this PID namespace.
    static func of(thread: Int32) -> PendingSignals? {
        guard thread > 0, let status = try? readText("/proc/\(thread)/status") else { return nil }
        return PendingSignals(parsing: status)
    }

    /// Parses the text of /proc/TID/status: the thread's and the process's pending signals, less
    /// those blocked.
    init?(parsing status: String) {
        guard let own = Self.mask("SigPnd:", in: status),
            let shared = Self.mask("ShdPnd:", in: status),
            let blocked = Self.mask("SigBlk:", in: status)
        else { return nil }
        bits = (own | shared) & ~blocked
    }

    private static func mask(_ field: String, in status: String) -> UInt64? {
        let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
        return line.flatMap { $0.split(whereSeparator: \.isWhitespace).last }
            .flatMap { UInt64($0, radix: 16) }
    }

    /// Whether one of the signals is pending.
    func contains(anyOf signals: [Int32]) -> Bool {
        signals.contains { signal in
            let place = UInt64(clamping: signal -| 1)
            return bits & 1 << place != 0
        }
    }
}

/// The decision about an interrupted operation.
enum Interruption: Hashable, Sendable {
    /// Cancel it; its outcome determines the caller's result.
    case cancel
    /// Let it continue, and check again later.
    case wait

    /// The interval between two checks.
    static let interval: Duration = .milliseconds(100)

    /// SIGKILL. Every fatal signal appears as this one in each thread of the dying process.
    private static let deadly: [Int32] = [9]
    /// SIGHUP, SIGINT, SIGQUIT, SIGABRT and SIGTERM, caught: the user wants the program to stop.
    private static let stopping: [Int32] = [1, 2, 3, 6, 15]

    /// Decides whether to cancel an interrupted operation.
    ///
    /// A dying caller waits for nothing, so every operation may be cancelled. A caller that was
    /// told to stop gets EINTR where the operation allows it. Other signals (SIGCHLD, a resized
    /// window, a language runtime's preemption) are ignored: programs do not expect EINTR from
    /// files for them.
    ///
    /// - Parameters:
    ///   - signals: The caller's pending signals; nil if it is in another PID namespace. Then an
    ///     interruption counts as a request to stop once it has lasted for one interval.
    ///   - isInterruptible: Whether the operation allows EINTR.
    ///   - looks: How often this was called before for the same operation.
    static func decide(
        signals: PendingSignals?, isInterruptible: Bool, looks: Int
    ) -> Interruption {
        guard let signals else {
            return isInterruptible && looks > 0 ? .cancel : .wait
        }
        if signals.contains(anyOf: deadly) {
            return .cancel
        }
        return isInterruptible && signals.contains(anyOf: stopping) ? .cancel : .wait
    }
}

extension PendingOperations {
    /// Monitors an interrupted operation until it is cancelled or ends by itself.
    func interrupt(_ token: UInt64) {
        // The first check is immediate, so that Ctrl-C and SIGKILL take effect at once.
        if look(token, looks: 0) { return }
        Task {
            var looks = 0
            repeat {
                try? await Task.sleep(for: Interruption.interval)
                looks +|= 1
            } while !look(token, looks: looks)
        }
    }

    /// Decides once; true if no further check is needed.
    private func look(_ token: UInt64, looks: Int) -> Bool {
        guard let waiter = waiter(of: token) else { return true }
        let decision = Interruption.decide(
            signals: PendingSignals.of(thread: waiter.processID),
            isInterruptible: waiter.isInterruptible, looks: looks)
        guard decision == .cancel else { return false }
        cancel(token)
        return true
    }
}
