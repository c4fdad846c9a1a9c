// The operations that wait for the network: their table, the inodes they hold, and their
// cancellation. Independent of requests and filesystems.

import Core
import Dispatch
import Saturating
import Synchronization

/// The properties of a waiting operation.
struct Operation: Sendable {
    let call: Call
    /// The inodes whose locks or pages the kernel holds until the reply: the parents of names, the
    /// file being read.
    let inodes: [InodeID]

    init(_ call: Call, inodes: [InodeID]) {
        self.call = call
        self.inodes = inodes
    }

    /// Whether a non-fatal signal may cancel it. Programs do not expect EINTR from close(2), and
    /// the descriptor is closed in any case.
    var isInterruptible: Bool { call != .flush }
    /// Whether it reads pages of a file, which the kernel keeps locked until the reply.
    var isRead: Bool { call == .read }
}

/// The table of operations in flight.
///
/// An operation is registered before its task starts and removed after its reply. Closing the table
/// decides for each whether it may still reply, so that the session can be freed.
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
        /// The files whose abandoned reads are looked for, and how often in a row there were none.
        var watches: [InodeID: Int] = [:]

        func reads(of inode: InodeID) -> [(token: UInt64, processID: Int32)] {
            entries.filter { $0.value.operation.isRead && $0.value.operation.inodes == [inode] }
                .map { ($0.key, $0.value.processID) }
        }
    }

    /// Held for dictionary accesses only; no foreign code is called under it.
    private let state = Mutex(State())
    /// Signalled when an operation ends while the table closes.
    private let ended = DispatchSemaphore(value: 0)

    // MARK: An operation's life

    /// Registers an operation and returns its token, or nil if no more are accepted. Tokens are
    /// never 0.
    func enter(_ operation: Operation, processID: Int32) -> UInt64? {
        state.withLock { state in
            guard state.phase == .open else { return nil }
            state.lastToken +|= 1
            state.entries[state.lastToken] = Entry(
                operation: operation, processID: processID, start: .now)
            return state.lastToken
        }
    }

    /// Starts the task of a registered operation.
    func start(_ token: UInt64, _ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            // Under the lock: the task blocks on it in `leave`, so it cannot end before it is
            // recorded.
            let task = Task { await body() }
            state.entries[token]?.task = task
            if state.entries[token]?.isCancelled == true || state.phase != .open {
                task.cancel()
            }
        }
    }

    /// Acquires the right to reply; false if the session is being freed and no reply is allowed.
    func beginAnswer(_ token: UInt64) -> Bool {
        state.withLock { state in
            guard state.phase != .closed else { return false }
            state.entries[token]?.isAnswering = true
            return true
        }
    }

    /// Removes an operation from the table.
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

    /// The process waiting for an operation and whether a signal may cancel it; nil when it has
    /// ended.
    func waiter(of token: UInt64) -> (processID: Int32, isInterruptible: Bool)? {
        state.withLock { state in
            state.entries[token].map { ($0.processID, $0.operation.isInterruptible) }
        }
    }

    // MARK: Reads

    /// The pending reads of a file.
    func reads(of inode: InodeID) -> [(token: UInt64, processID: Int32)] {
        state.withLock { $0.reads(of: inode) }
    }

    /// Begins to watch a file's reads, if there are any; false if it is watched already.
    func beginWatch(of inode: InodeID) -> Bool {
        state.withLock { state in
            guard !state.reads(of: inode).isEmpty else { return false }
            return state.watches.updateValue(0, forKey: inode) == nil
        }
    }

    /// Notes a check of a watched file's reads. Returns whether to check again, and else ends the
    /// watch.
    func continueWatch(of inode: InodeID, isIdle: Bool, mostIdleLooks: Int) -> Bool {
        state.withLock { state in
            let looks = isIdle ? (state.watches[inode] ?? 0) +| 1 : 0
            state.watches[inode] = looks < mostIdleLooks ? looks : nil
            return looks < mostIdleLooks
        }
    }

    // MARK: Locks of the kernel

    /// How long the oldest operation has made the kernel hold each inode that is held.
    func holds(now: ContinuousClock.Instant) -> [InodeID: Duration] {
        state.withLock { state in
            var holds: [InodeID: Duration] = [:]
            for entry in state.entries.values {
                for inode in entry.operation.inodes {
                    holds[inode] = max(holds[inode] ?? .zero, entry.start.duration(to: now))
                }
            }
            return holds
        }
    }

    // MARK: End

    /// Refuses further operations, cancels all, and waits for their replies. Blocks; returns
    /// whether all ended.
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

    /// Forbids further replies and waits for those in progress. Blocks for a system call.
    func close() {
        state.withLock { $0.phase = .closed }
        _ = ended.wait(atMost: nil) {
            state.withLock { !$0.entries.values.contains(where: \.isAnswering) }
        }
    }
}

extension DispatchSemaphore {
    /// The longest wait without a check of the condition.
    private static let look = DispatchTimeInterval.milliseconds(20)

    /// Waits until a condition holds whose changes are signalled; false if it did not within
    /// `limit`.
    ///
    /// The session's end and `stop` may wait at the same time, and each signal wakes only one of
    /// them: so both also check periodically.
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
    /// In nanoseconds for Dispatch, clamped to the limits of `Int`.
    var wholeNanoseconds: Int {
        let (seconds, attoseconds) = components
        let scaled = Int(clamping: seconds) *| 1_000_000_000
        return scaled +| Int(clamping: attoseconds / 1_000_000_000)
    }
}
