// How one handle reads: up to two sequential streams, or random access. Pure: offsets in, decisions
// out.

import Core
import Saturating

/// Recognises streams and random access.
///
/// Two streams, because players and archivers read tail and head in turn, and two threads may share
/// a handle; a seek to one position must not drop the other stream.
struct ReadPattern: Hashable, Sendable {
    /// How much to fetch for a read that is not cached.
    enum Reach: Hashable {
        /// The read, rounded to small units: the handle reads at random.
        case exact
        /// A first piece: the pattern is unknown yet, and the first bytes should come soon.
        case initial
        /// The rest of the block: the handle reads sequentially.
        case block
    }

    /// The consequence of a read.
    struct Decision: Hashable {
        /// How much to fetch on a cache miss.
        var reach: Reach
        /// The stream that the read belongs to.
        var stream: Int
        /// The stream that was dropped for it.
        var abandoned: Int?
    }

    private struct Stream: Hashable {
        var id: Int
        var window: ReadWindow
    }

    private static let streamLimit = 2
    /// Seeks without a sequential run after which a handle counts as random, as in gcsfuse.
    private static let seeksToRandom = 3
    /// Contiguous reads that open a window, at first and of a random reader.
    private static let readsToOpen = (first: 2, random: 3)

    /// Most recently used stream first.
    private var streams: [Stream] = []
    private var seeks = 0
    private var nextID = 0

    private var readsToOpen: Int {
        seeks > Self.seeksToRandom ? Self.readsToOpen.random : Self.readsToOpen.first
    }

    /// Takes a read into account.
    mutating func note(_ range: Range<Int64>) -> Decision {
        var abandoned: Int?
        let found =
            streams.firstIndex { $0.window.relation(to: range) == .contiguous }
            ?? streams.firstIndex { $0.window.relation(to: range) == .skip }
        if let found {
            var stream = streams.remove(at: found)
            stream.window.advance(range, readsToOpen: readsToOpen)
            streams.insert(stream, at: 0)
        } else {
            if !streams.isEmpty { seeks +|= 1 }
            if streams.count == Self.streamLimit { abandoned = streams.removeLast().id }
            let window = ReadWindow(range, readsToOpen: readsToOpen)
            streams.insert(Stream(id: nextID, window: window), at: 0)
            nextID +|= 1
        }
        let stream = streams[0]
        if stream.window.isOpen { seeks = 0 }
        let reach: Reach =
            stream.window.isOpen ? .block : seeks > Self.seeksToRandom ? .exact : .initial
        return Decision(reach: reach, stream: stream.id, abandoned: abandoned)
    }

    /// A stream's reader had to wait.
    mutating func stalled(_ id: Int, at offset: Int64) {
        change(id) { $0.stalled(at: offset) }
    }

    /// There was no memory for read-ahead from an offset on.
    mutating func refused(_ id: Int, at offset: Int64) {
        change(id) { $0.refused(at: offset) }
    }

    /// The range to read ahead for a stream now.
    mutating func takeAhead(_ id: Int, contentSize: Int64) -> Range<Int64>? {
        var range: Range<Int64>?
        change(id) { range = $0.takeAhead(contentSize: contentSize) }
        return range
    }

    private mutating func change(_ id: Int, _ body: (inout ReadWindow) -> Void) {
        guard let index = streams.firstIndex(where: { $0.id == id }) else { return }
        body(&streams[index].window)
    }
}
