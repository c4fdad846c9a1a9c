// One block on its way from the network, and those who wait for it. Not responsible for getting it.

import ContentHashing
import RemoteStore
import Synchronization

/// Names a block of a content.
struct BlockKey: Hashable, Sendable {
    var hash: ContentHash
    var index: Int
}

/// A block that arrives, shared by all who want it. A waiter is served as soon as its bytes are here,
/// unless the block must be checked whole first.
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
    }

    let key: BlockKey
    /// Where the block lies in the content.
    let range: Range<Int64>
    /// Whether nothing is served before the whole block has been checked.
    let servesWhole: Bool
    /// Lock: a leaf. Continuations are resumed after it is released.
    private let state: Mutex<State>

    init(key: BlockKey, range: Range<Int64>, servesWhole: Bool) {
        self.key = key
        self.range = range
        self.servesWhole = servesWhole
        state = Mutex(State())
    }

    var count: Int { state.withLock { $0.bytes.count } }
    var isOver: Bool { state.withLock { $0.isComplete || $0.failure != nil } }
    var hasWaiters: Bool { state.withLock { !$0.waiters.isEmpty } }
    /// The bytes so far.
    var bytes: [UInt8] { state.withLock { $0.bytes } }

    // MARK: Arriving

    func reserve() {
        state.withLock { $0.bytes.reserveCapacity(range.count) }
    }

    func append(_ piece: [UInt8]) {
        wake { $0.bytes += piece }
    }

    /// What came is not what it should be: begin again.
    func restart() {
        state.withLock { $0.bytes.removeAll(keepingCapacity: true) }
    }

    func complete() {
        wake { $0.isComplete = true }
    }

    func fail(_ error: RemoteError) {
        wake { $0.failure = error }
    }

    private func wake(_ change: (inout State) -> Void) {
        let woken: [(Waiter, RemoteError?)] = state.withLock { state in
            change(&state)
            let available = servesWhole && !state.isComplete ? 0 : state.bytes.count
            let failure = state.failure
            let ready = state.waiters.filter { failure != nil || $0.value.needed <= available }
            for ticket in ready.keys { state.waiters[ticket] = nil }
            return ready.values.map { ($0, $0.needed <= available ? nil : failure) }
        }
        for (waiter, failure) in woken {
            waiter.continuation.resume(returning: failure)
        }
    }

    // MARK: Waiting

    /// Bytes of the block if they are here; offsets count from the content's start.
    func available(_ wanted: Range<Int64>) -> [UInt8]? {
        state.withLock { state in
            guard !servesWhole || state.isComplete else { return nil }
            let upper = Int(wanted.upperBound - range.lowerBound)
            guard upper <= state.bytes.count else { return nil }
            return Array(state.bytes[Int(wanted.lowerBound - range.lowerBound)..<upper])
        }
    }

    /// Waits for bytes of the block. A cancelled waiter leaves at once, and the fetch goes on.
    func wait(for wanted: Range<Int64>) async throws(RemoteError) -> [UInt8] {
        if let bytes = available(wanted) { return bytes }
        let needed = Int(wanted.upperBound - range.lowerBound)
        let ticket = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let failure = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enter(ticket, Waiter(needed: needed, continuation: continuation))
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: ticket) }
            waiter?.continuation.resume(returning: .cancelled)
        }
        if let failure { throw failure }
        guard let bytes = available(wanted) else {
            // Restarted between waking and looking.
            return try await wait(for: wanted)
        }
        return bytes
    }

    private func enter(_ ticket: Int, _ waiter: Waiter) {
        let outcome: RemoteError?? = state.withLock { state in
            let available = servesWhole && !state.isComplete ? 0 : state.bytes.count
            if waiter.needed <= available { return .some(nil) }
            if let failure = state.failure { return .some(failure) }
            if Task.isCancelled { return .some(.cancelled) }
            state.waiters[ticket] = waiter
            return nil
        }
        if let outcome { waiter.continuation.resume(returning: outcome) }
    }
}
