// The operations that wait on the network: which there are, whom they keep waiting, and how they are
// cancelled. Knows no request and no filesystem.

import Core
import Dispatch
import Synchronization

/// What is to be known of an operation while it waits.
struct Operation: Sendable {
    /// Name for the log.
    let name: StaticString
    /// The inodes whose locks or pages the kernel holds until the answer: the parents of names, the
    /// file that is read.
    let inodes: [InodeID]
    /// Whether a signal short of death may end it.
    let isInterruptible: Bool
}

/// The table of operations under way.
///
/// An operation is entered before its task starts and leaves after its answer. Closing the table
/// decides between "answered" and "never to be answered" for each, so that the session can be freed.
final class PendingOperations: Sendable {
    private struct Entry {
        let operation: Operation
        let processID: Int32
        let start: ContinuousClock.Instant
        var task: Task<Void, Never>?
        var isCancelled = false
        var isAnswering = false
    }

    private struct State {
        enum Phase { case open, cancelled, closed }
        var entries: [UInt64: Entry] = [:]
        var lastToken: UInt64 = 0
        var phase = Phase.open
    }

    /// Held for dictionary accesses only; nothing foreign is called under it.
    private let state = Mutex(State())
    /// Signalled when an operation ends while the table closes.
    private let ended = DispatchSemaphore(value: 0)

    // MARK: An operation's life

    /// Enters an operation and returns its token, or nil if no more are accepted. Tokens are never 0.
    func enter(_ operation: Operation, processID: Int32) -> UInt64? {
        state.withLock { state in
            guard state.phase == .open else { return nil }
            state.lastToken += 1
            state.entries[state.lastToken] = Entry(
                operation: operation, processID: processID, start: .now)
            return state.lastToken
        }
    }

    /// Starts the task of an entered operation.
    func start(_ token: UInt64, _ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            // Under the lock, so that the task cannot end before it is noted: it waits to leave.
            let task = Task { await body() }
            state.entries[token]?.task = task
            if state.entries[token]?.isCancelled == true || state.phase != .open {
                task.cancel()
            }
        }
    }

    /// Asks for the right to answer; false if the session is being freed and nothing may be answered.
    func beginAnswer(_ token: UInt64) -> Bool {
        state.withLock { state in
            guard state.phase != .closed else { return false }
            state.entries[token]?.isAnswering = true
            return true
        }
    }

    /// Takes an operation out.
    func leave(_ token: UInt64) {
        let isClosing = state.withLock { state in
            state.entries[token] = nil
            return state.phase != .open
        }
        if isClosing {
            ended.signal()
        }
    }

    // MARK: Interruption

    /// Cancels one operation's task.
    func cancel(_ token: UInt64) {
        let task = state.withLock { state in
            state.entries[token]?.isCancelled = true
            return state.entries[token]?.task
        }
        task?.cancel()
    }

    /// The process that waits for an operation and whether a signal may end it; nil when it has ended.
    func waiter(of token: UInt64) -> (processID: Int32, isInterruptible: Bool)? {
        state.withLock { state in
            state.entries[token].map { ($0.processID, $0.operation.isInterruptible) }
        }
    }

    // MARK: Locks of the kernel

    /// For how long the oldest operation has made the kernel hold on to each inode that is held.
    func holds(now: ContinuousClock.Instant) -> [InodeID: Duration] {
        state.withLock { state in
            var holds: [InodeID: Duration] = [:]
            for entry in state.entries.values {
                for inode in entry.operation.inodes {
                    holds[inode] = max(holds[inode] ?? .zero, now - entry.start)
                }
            }
            return holds
        }
    }

    // MARK: End

    /// Accepts no more, cancels all, and waits for their answers. Blocks; returns whether all came.
    func cancelAll(waiting limit: Duration) -> Bool {
        let tasks = state.withLock { state in
            if state.phase == .open {
                state.phase = .cancelled
            }
            return state.entries.values.compactMap(\.task)
        }
        tasks.forEach { $0.cancel() }
        return ended.wait(atMost: limit) { state.withLock { $0.entries.isEmpty } }
    }

    /// Forbids further answers and waits for those being given this moment. Blocks for a system call.
    func close() {
        state.withLock { $0.phase = .closed }
        _ = ended.wait(atMost: nil) {
            state.withLock { !$0.entries.values.contains(where: \.isAnswering) }
        }
    }
}

extension DispatchSemaphore {
    /// For how long a waiter relies on a signal.
    private static let look = DispatchTimeInterval.milliseconds(20)

    /// Waits until a condition holds, whose changes are signalled; false if it did not within `limit`.
    ///
    /// The session's end and `stop` may wait for one thing at a time, and each signal wakes one of
    /// them only: so both look now and then without one.
    func wait(atMost limit: Duration?, until isMet: () -> Bool) -> Bool {
        let deadline = limit.map { DispatchTime.now() + .nanoseconds($0.wholeNanoseconds) }
        while !isMet() {
            if let deadline, DispatchTime.now() >= deadline { return false }
            _ = wait(timeout: .now() + Self.look)
        }
        return true
    }
}

extension Duration {
    /// For Dispatch, which counts nanoseconds; caps at what `Int` holds.
    var wholeNanoseconds: Int {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : scaled + Int(attoseconds / 1_000_000_000)
    }
}
