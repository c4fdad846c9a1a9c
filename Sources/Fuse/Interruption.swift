// When a signal ends a waiting operation. The kernel tells of the first signal only, and not which it
// was; so the caller's pending signals are looked at, and looked at again while it waits.

import Core

/// The signals that wait for a thread and are not blocked, as bits: signal n is bit n − 1.
struct PendingSignals: Hashable, Sendable {
    /// The bits.
    var bits: UInt64

    /// Reads /proc/TID/status; nil if the thread is not visible from here.
    static func of(thread: Int32) -> PendingSignals? {
        guard thread > 0, let status = readSmallFile("/proc/\(thread)/status") else { return nil }
        return PendingSignals(parsing: status)
    }

    /// Parses the text of /proc/TID/status: the thread's own, the process's, less those blocked.
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

    /// Whether one of the signals is among them.
    func contains(anyOf signals: [Int32]) -> Bool {
        signals.contains { bits & 1 << UInt64($0 - 1) != 0 }
    }
}

/// The decision about an interrupted operation.
enum Interruption: Hashable, Sendable {
    /// Cancel it; its outcome decides what the caller sees.
    case cancel
    /// Let it go on, and look again later.
    case wait

    /// For how long to wait between two looks.
    static let interval: Duration = .milliseconds(100)

    /// SIGKILL. Every signal that kills shows as this one in each thread of the dying process.
    private static let deadly: [Int32] = [9]
    /// SIGHUP, SIGINT, SIGQUIT, SIGABRT and SIGTERM, caught: the user wants the program to stop.
    private static let stopping: [Int32] = [1, 2, 3, 6, 15]

    /// Decides.
    ///
    /// A dying caller waits for nothing, so every operation may stop. A caller that was told to stop
    /// gets EINTR where the operation allows it. Other signals (a child's end, a resized window,
    /// a language runtime's preemption) are none of the filesystem's business: programs do not expect
    /// EINTR from files for them.
    ///
    /// - Parameters:
    ///   - signals: What waits for the caller; nil if it is in another PID namespace. Then an
    ///     interruption counts as a wish to stop once it has lasted for one interval.
    ///   - isInterruptible: Whether the operation allows EINTR.
    ///   - looks: How often this was asked before for the same operation.
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
    /// Follows an interrupted operation until it is cancelled or ends by itself.
    func interrupt(_ token: UInt64) {
        // The first look is taken at once, for Ctrl-C and SIGKILL to be felt at once.
        if look(token, looks: 0) { return }
        Task {
            var looks = 0
            repeat {
                try? await Task.sleep(for: Interruption.interval)
                looks += 1
            } while !look(token, looks: looks)
        }
    }

    /// Decides once; true if there is nothing more to do.
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
