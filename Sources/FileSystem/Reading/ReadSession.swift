// What the read pipeline remembers of one open handle.

import Synchronization

/// The reading of one handle.
public final class ReadSession: Sendable {
    private struct State {
        var window = ReadWindow()
        var isUsed = false
        var fetchedUpTo = 0
    }

    /// Lock: a leaf.
    private let state = Mutex(State())

    /// Begins with nothing read.
    public init() {}

    /// Notes a read. Returns whether it is the handle's first.
    func note(_ range: Range<Int64>) -> Bool {
        state.withLock { state in
            state.window.note(range)
            defer { state.isUsed = true }
            return !state.isUsed
        }
    }

    func noteStall() {
        state.withLock { $0.window.stalled() }
    }

    var isRandom: Bool { state.withLock { $0.window.isRandom } }

    /// Blocks to fetch ahead now, each named once.
    func blocksToFetch(after block: Int, count: Int) -> Range<Int> {
        state.withLock { state in
            let end = min(block + 1 + state.window.blocksAhead, count)
            // After a seek back, what was fetched further on does not count.
            let reach = state.fetchedUpTo > end ? block + 1 : state.fetchedUpTo
            let start = max(block + 1, reach)
            guard start < end else { return end..<end }
            state.fetchedUpTo = end
            return start..<end
        }
    }
}
