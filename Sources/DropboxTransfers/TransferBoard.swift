// The published state of all transfers: the last snapshot of each, and the readers of its updates.
// Not responsible for durable state: see TransferStore.

import Saturating
import Synchronization

/// The current state of all transfers of a queue.
final class TransferBoard: Sendable {
    private struct State {
        var transfers: [Int64: Transfer] = [:]
        var readers: [Int64: [Int: AsyncStream<Transfer>.Continuation]] = [:]
        var lastReader = 0
        var isClosed = false

        /// Sends a snapshot to the readers; returns those whose sequence ends with it. They are
        /// finished outside of the lock, because that calls `onTermination`, which takes it.
        mutating func show(_ transfer: Transfer) -> [AsyncStream<Transfer>.Continuation] {
            transfers[transfer.id] = transfer
            for reader in (readers[transfer.id] ?? [:]).values { reader.yield(transfer) }
            guard transfer.state.isEnded else { return [] }
            return (readers.removeValue(forKey: transfer.id) ?? [:]).map(\.value)
        }
    }

    /// Held for a lookup or an assignment; readers are notified inside, which only wakes them.
    private let state = Mutex(State())

    var all: [Transfer] {
        state.withLock { $0.transfers.values.sorted { $0.id < $1.id } }
    }

    subscript(id: Int64) -> Transfer? { state.withLock { $0.transfers[id] } }

    /// Updates the published state of a transfer.
    func change(_ id: Int64, _ body: (inout Transfer) -> Void) {
        let ended = state.withLock { state -> [AsyncStream<Transfer>.Continuation] in
            guard var transfer = state.transfers[id] else { return [] }
            body(&transfer)
            return state.show(transfer)
        }
        for reader in ended { reader.finish() }
    }

    func show(_ transfer: Transfer) {
        for reader in state.withLock({ $0.show(transfer) }) { reader.finish() }
    }

    func remove(_ id: Int64) {
        state.withLock { $0.transfers[id] = nil }
    }

    /// Ends all readers' sequences.
    func close() {
        let ended = state.withLock { state in
            state.isClosed = true
            defer { state.readers = [:] }
            return state.readers.values.flatMap(\.values)
        }
        for reader in ended { reader.finish() }
    }

    /// The transfer's current state, then each change; a slow reader gets the last state only.
    func updates(of id: Int64) -> AsyncStream<Transfer> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Transfer.self, bufferingPolicy: .bufferingNewest(1))
        let reader = state.withLock { state -> Int? in
            guard let transfer = state.transfers[id] else { return nil }
            continuation.yield(transfer)
            guard !transfer.state.isEnded, !state.isClosed else { return nil }
            state.lastReader +|= 1
            state.readers[id, default: [:]][state.lastReader] = continuation
            return state.lastReader
        }
        guard let reader else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.readers[id]?.removeValue(forKey: reader) }
        }
        return stream
    }
}
