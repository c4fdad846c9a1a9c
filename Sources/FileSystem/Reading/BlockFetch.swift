// A part of a block on its way from the network, and those who wait for it. Not responsible for getting
// it.

import ContentHashing
import Core
import RemoteStore
import Synchronization

/// Names a block of a content.
struct BlockKey: Hashable, Sendable {
    var hash: ContentHash
    var index: Int
}

/// Bytes that arrive, shared by all who want them. A waiter is served as soon as its bytes are here,
/// unless they must be checked as a whole first.
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
        /// Readers and sessions that want it; it is called off when nobody does.
        var interest = 1
        var isStarted = false
        var isAbandoned = false
        var task: Task<Void, Never>?
    }

    /// What is still to come is brought to its end, if it is no more than this: to break a transfer off
    /// costs the connection, and a new one several round trips.
    private static let worthFinishing = 1 << 20 + 128 << 10

    /// A number of its own.
    let id: Int
    let key: BlockKey
    /// Where the bytes lie in the content.
    let range: Range<Int64>
    /// Whether nothing is served before all has been checked.
    let isHeldBack: Bool
    /// Whether it comes from the disk.
    let isLocal: Bool
    private let buffers: BlockBuffers
    /// Lock: a leaf. Continuations are resumed after it is released.
    private let state = Mutex(State())

    /// Makes one that its maker is interested in.
    init(
        id: Int, key: BlockKey, range: Range<Int64>, buffers: BlockBuffers, isHeldBack: Bool,
        isLocal: Bool = false
    ) {
        self.id = id
        self.key = key
        self.range = range
        self.isHeldBack = isHeldBack
        self.isLocal = isLocal
        self.buffers = buffers
    }

    deinit {
        buffers.give(state.withLock { state in exchange(&state.bytes, with: []) })
    }

    /// How many bytes are here.
    var count: Int { state.withLock { $0.bytes.count } }
    var isOver: Bool { state.withLock { $0.isComplete || $0.failure != nil } }
    /// Whether nobody wanted it any more.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }
    /// How many wait for bytes that are not here.
    var waiterCount: Int { state.withLock { $0.waiters.count } }
    /// The bytes so far.
    var bytes: [UInt8] { state.withLock { $0.bytes } }

    // MARK: Interest

    /// Somebody more wants it; false if it was called off already.
    func retain() -> Bool {
        state.withLock { state in
            guard !state.isAbandoned else { return false }
            state.interest +|= 1
            return true
        }
    }

    /// Somebody wants it no more. The last one calls it off, unless it has arrived.
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

    /// Notes the task that brings it.
    func attach(_ task: Task<Void, Never>) {
        let isAbandoned = state.withLock { state in
            state.task = task
            return state.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

    /// Ends it with an error, whoever wants it.
    func abort(_ error: RemoteError) {
        let task = state.withLock { state in
            state.isAbandoned = true
            return state.task
        }
        task?.cancel()
        fail(error)
    }

    // MARK: Arriving

    /// Its turn has come.
    func start() {
        state.withLock { state in
            state.isStarted = true
            state.bytes = buffers.take(range.count)
        }
    }

    func append(_ piece: [UInt8]) {
        wake { $0.bytes.append(contentsOf: piece) }
    }

    /// What came is not what it should be, and nobody has seen it: begin again.
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
            guard !state.isComplete || isHeldBack else { return }
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

    /// How many bytes may be served.
    private func available(_ state: State) -> Int {
        isHeldBack && (!state.isComplete || state.failure != nil) ? 0 : state.bytes.count
    }

    // MARK: Waiting

    /// Bytes if they are here and may be served; offsets count from the content's start.
    func available(_ wanted: Range<Int64>) -> [UInt8]? {
        state.withLock { state in
            let upper = Int(clamping: wanted.upperBound -| range.lowerBound)
            guard upper <= available(state) else { return nil }
            return Array(state.bytes[Int(clamping: wanted.lowerBound -| range.lowerBound)..<upper])
        }
    }

    /// Waits for bytes. A cancelled waiter leaves at once.
    func wait(for wanted: Range<Int64>) async throws(RemoteError) -> [UInt8] {
        while true {
            if let bytes = available(wanted) { return bytes }
            let needed = Int(clamping: wanted.upperBound -| range.lowerBound)
            if let failure = await failure(waitingFor: needed) { throw failure }
        }
    }

    /// Waits until it has arrived and was kept, which is later than that its bytes can be had.
    func kept() async throws(RemoteError) {
        if let failure = await failure(waitingFor: range.count +| 1) { throw failure }
    }

    /// Waits for a number of bytes, more than all of them until it is complete; returns what went wrong.
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
