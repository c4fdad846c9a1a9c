// A part of a block that is being fetched, and the readers that wait for it. Not responsible for
// the transfer.

import ContentHashing
import Core
import RemoteStore
import Saturating
import Synchronization

/// Identifies a block of a content.
struct BlockKey: Hashable, Sendable {
    var hash: ContentHash
    var index: Int
}

/// Arriving bytes, shared by all readers. A waiter is served as soon as its bytes are there, unless
/// they are withheld until a check.
final class BlockFetch: Sendable {
    private struct Waiter {
        var needed: Int
        var continuation: CheckedContinuation<RemoteError?, Never>
    }

    private struct State {
        var bytes: [UInt8] = []
        var isComplete = false
        var failure: RemoteError?
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
        /// Readers and sessions that want it; it is cancelled when none is left.
        var interest = 1
        var isStarted = false
        var isAbandoned = false
        var task: Task<Void, Never>?
    }

    /// A remainder up to this size is transferred to the end: breaking off costs the connection,
    /// and a new one costs several round trips.
    private static let worthFinishing = Int(clamping: BlockFetcher.initialReach)

    /// Unique number of this fetch.
    let id: Int
    let key: BlockKey
    /// Position of the bytes in the content.
    let range: Range<Int64>
    /// Whether its bytes are withheld until all were checked.
    let isWithheld: Bool
    /// Whether it reads from the disk.
    let isLocal: Bool
    private let buffers: BlockBuffers
    /// Lock: a leaf. Continuations are resumed after it is released.
    private let state = Mutex(State())

    /// Creates a fetch with one interested reader, its creator.
    init(
        id: Int, key: BlockKey, range: Range<Int64>, buffers: BlockBuffers, isWithheld: Bool,
        isLocal: Bool = false
    ) {
        self.id = id
        self.key = key
        self.range = range
        self.isWithheld = isWithheld
        self.isLocal = isLocal
        self.buffers = buffers
    }

    deinit {
        buffers.give(state.withLock { state in exchange(&state.bytes, with: []) })
    }

    /// Bytes that have arrived.
    var count: Int { state.withLock { $0.bytes.count } }
    var isOver: Bool { state.withLock { $0.isComplete || $0.failure != nil } }
    /// Whether it was cancelled.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }
    /// Number of readers that wait for bytes.
    var waiterCount: Int { state.withLock { $0.waiters.count } }
    /// The bytes that have arrived.
    var bytes: [UInt8] { state.withLock { $0.bytes } }

    // MARK: Interest

    /// Adds an interested reader; false if it was cancelled already.
    func retain() -> Bool {
        state.withLock { state in
            guard !state.isAbandoned else { return false }
            state.interest +|= 1
            return true
        }
    }

    /// Removes an interested reader. The last one cancels it, unless it has arrived.
    func release() {
        let task: Task<Void, Never>? = state.withLock { state in
            state.interest -|= 1
            guard state.interest == 0, !state.isComplete, state.failure == nil else { return nil }
            let rest = range.count -| state.bytes.count
            guard !state.isStarted || rest > Self.worthFinishing else { return nil }
            state.isAbandoned = true
            return state.task
        }
        task?.cancel()
    }

    /// Stores the task that transfers it.
    func attach(_ task: Task<Void, Never>) {
        let isAbandoned = state.withLock { state in
            state.task = task
            return state.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    /// Ends it with an error for all readers.
    func abort(_ error: RemoteError) {
        let task = state.withLock { state in
            state.isAbandoned = true
            return state.task
        }
        task?.cancel()
        fail(error)
    }

    // MARK: Arriving

    /// Its turn in the queue has come.
    func start() {
        state.withLock { state in
            state.isStarted = true
            state.bytes = buffers.take(range.count)
        }
    }

    func append(_ chunk: [UInt8]) {
        wake { $0.bytes.append(contentsOf: chunk) }
    }

    /// Drops wrong bytes that were not served, for a retry.
    func restart() {
        state.withLock { $0.bytes.removeAll(keepingCapacity: true) }
    }

    func complete() {
        wake { state in
            if state.failure == nil { state.isComplete = true }
        }
    }

    func fail(_ error: RemoteError) {
        wake { state in
            guard !state.isComplete || isWithheld else { return }
            state.failure = state.failure ?? error
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let woken: [(Waiter, RemoteError?)] = state.withLock { state in
            change(&state)
            let available = available(state)
            let failure = state.failure
            let ready = state.waiters.filter { _, waiter in
                failure != nil || waiter.needed <= available || state.isComplete
            }
            for ticket in ready.keys { state.waiters[ticket] = nil }
            return ready.values.map { ($0, $0.needed <= available ? nil : failure) }
        }
        for (waiter, failure) in woken {
            waiter.continuation.resume(returning: failure)
        }
    }

    /// Bytes that may be served.
    private func available(_ state: State) -> Int {
        isWithheld && (!state.isComplete || state.failure != nil) ? 0 : state.bytes.count
    }

    // MARK: Waiting

    /// Bytes that have arrived and may be served; offsets count from the content's start.
    func available(_ wanted: Range<Int64>) -> [UInt8]? {
        state.withLock { state in
            let upper = Int(clamping: wanted.upperBound -| range.lowerBound)
            guard upper <= available(state) else { return nil }
            return Array(state.bytes[Int(clamping: wanted.lowerBound -| range.lowerBound)..<upper])
        }
    }

    /// Waits for bytes. A cancelled waiter returns at once.
    func wait(for wanted: Range<Int64>) async throws(RemoteError) -> [UInt8] {
        while true {
            if let bytes = available(wanted) { return bytes }
            let needed = Int(clamping: wanted.upperBound -| range.lowerBound)
            if let failure = await failure(waitingFor: needed) { throw failure }
        }
    }

    /// Waits until all bytes are in the cache, which is later than that they can be served.
    func kept() async throws(RemoteError) {
        if let failure = await failure(waitingFor: range.count +| 1) { throw failure }
    }

    /// Waits for a number of bytes (all + 1: until it is complete); returns the error, if any.
    private func failure(waitingFor needed: Int) async -> RemoteError? {
        let ticket = state.withLock { state in
            state.nextWaiter +|= 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enter(ticket, Waiter(needed: needed, continuation: continuation))
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: ticket) }
            waiter?.continuation.resume(returning: .cancelled)
        }
    }

    /// Waits until it has all its bytes or has failed, or until the waiter is cancelled.
    func ended() async {
        _ = try? await wait(for: range)
    }

    private func enter(_ ticket: Int, _ waiter: Waiter) {
        let outcome: RemoteError?? = state.withLock { state in
            if waiter.needed <= available(state) { return .some(nil) }
            if state.isComplete && state.failure == nil { return .some(nil) }
            if let failure = state.failure { return .some(failure) }
            if Task.isCancelled { return .some(.cancelled) }
            state.waiters[ticket] = waiter
            return nil
        }
        if let outcome { waiter.continuation.resume(returning: outcome) }
    }
}
