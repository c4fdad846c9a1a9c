// What the read pipeline remembers of one open handle.

import Synchronization

/// The reading of one handle: its pattern, and what is being fetched ahead for it.
public final class ReadSession: Sendable {
    private struct State {
        var pattern = ReadPattern()
        /// The reader's age when this handle read first; nil before.
        var epoch: UInt64?
        /// Where the furthest read ended.
        var furthest: Int64 = 0
        /// Fetches that run for a stream's future, by stream.
        var claims: [Int: [BlockFetch]] = [:]
    }

    /// Lock: a leaf, but for a fetch's own.
    private let state = Mutex(State())

    /// Whether no more than the beginning is likely to be wanted.
    let isGlance: Bool

    /// Begins with nothing read.
    public init() {
        isGlance = false
    }

    init(isGlance: Bool) {
        self.isGlance = isGlance
    }

    /// Where the furthest read ended; 0 before the first one.
    var furthest: Int64 { state.withLock { $0.furthest } }

    /// Nobody reads on: what was fetched ahead and nobody else wants is called off.
    deinit {
        let claims = state.withLock { $0.claims }
        for fetch in claims.values.joined() { fetch.release() }
    }

    /// Notes a read.
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

    /// Notes how old the reader was when this handle read first. Returns that age, and whether it is
    /// now.
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

    /// Keeps a retained fetch going for a stream.
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
