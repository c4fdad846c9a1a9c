// The memory of the read pipeline for one open handle.

import Synchronization

/// The reads of one handle: their pattern, and its read-ahead.
package final class ReadSession: Sendable {
    private struct State {
        var pattern = ReadPattern()
        /// The reader's epoch at this handle's first read; nil before.
        var epoch: UInt64?
        /// End of the furthest read.
        var furthest: Int64 = 0
        /// Whether bytes were fetched for it.
        var hasFetched = false
        /// Read-ahead fetches by stream.
        var claims: [Int: [BlockFetch]] = [:]
    }

    /// Lock: a leaf, but for a fetch's own.
    private let state = Mutex(State())

    /// Whether the handle is likely to read only the beginning.
    let isHeaderProbe: Bool

    /// Creates a session without reads.
    package init() {
        isHeaderProbe = false
    }

    init(isHeaderProbe: Bool) {
        self.isHeaderProbe = isHeaderProbe
    }

    /// End of the furthest read; 0 before the first one.
    var furthest: Int64 { state.withLock { $0.furthest } }

    /// Whether bytes were fetched for the handle.
    var hasFetched: Bool { state.withLock { $0.hasFetched } }

    func noteFetch() {
        state.withLock { $0.hasFetched = true }
    }

    /// The handle is closed: read-ahead without another reader is cancelled.
    deinit {
        let claims = state.withLock { $0.claims }
        for fetch in claims.values.joined() { fetch.release() }
    }

    /// Takes a read into account.
    func note(_ range: Range<Int64>) -> ReadPattern.Decision {
        let (decision, freed) = state.withLock { state in
            let decision = state.pattern.note(range)
            state.furthest = max(state.furthest, range.upperBound)
            var freed: [BlockFetch] = []
            if let abandoned = decision.abandoned {
                freed = state.claims.removeValue(forKey: abandoned) ?? []
            }
            return (decision, freed)
        }
        for fetch in freed { fetch.release() }
        return decision
    }

    /// Notes the reader's epoch at this handle's first read. Returns that epoch, and whether this
    /// read is the first.
    func begin(_ epoch: UInt64) -> (epoch: UInt64, isFirst: Bool) {
        state.withLock { state in
            let isFirst = state.epoch == nil
            let begun = state.epoch ?? epoch
            state.epoch = begun
            return (begun, isFirst)
        }
    }

    func stalled(_ stream: Int, at offset: Int64) {
        state.withLock { $0.pattern.stalled(stream, at: offset) }
    }

    func refused(_ stream: Int, at offset: Int64) {
        state.withLock { $0.pattern.refused(stream, at: offset) }
    }

    func takeAhead(_ stream: Int, contentSize: Int64) -> Range<Int64>? {
        state.withLock { $0.pattern.takeAhead(stream, contentSize: contentSize) }
    }

    /// Holds a retained fetch for a stream.
    func claim(_ fetch: BlockFetch, for stream: Int) {
        let over = state.withLock { state in
            var claims = state.claims[stream] ?? []
            let over = claims.filter(\.isOver)
            claims.removeAll(where: \.isOver)
            claims.append(fetch)
            state.claims[stream] = claims
            return over
        }
        for fetch in over { fetch.release() }
    }
}
