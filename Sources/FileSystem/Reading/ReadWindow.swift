// How one handle reads, and how far ahead to fetch for it. Pure: offsets in, decisions out.

/// Recognises sequential and random reading, and sizes the read-ahead.
struct ReadWindow: Hashable, Sendable {
    /// Tolerance around the expected offset. The kernel issues read-ahead out of order (mountpoint-s3
    /// reckons with 256 KiB back and 512 KiB forward), and programs skip small parts.
    private static let backwardTolerance: Int64 = 1 << 20
    private static let forwardTolerance: Int64 = 2 << 20
    /// Bytes read in sequence before anything is fetched ahead: what looks at a file's head only, such
    /// as a file manager, reads less.
    private static let evidence: Int64 = 512 << 10
    /// Seeks after which a handle is taken to read at random, as in gcsfuse.
    private static let randomSeeks = 3
    /// Most blocks fetched ahead: 32 MiB.
    private static let maximumBlocks = 8

    private var next: Int64 = 0
    private var sequentialBytes: Int64 = 0
    private var seeks = 0
    private var blocks = 1

    /// Whether to fetch what is asked for and nothing around it.
    var isRandom: Bool { seeks >= Self.randomSeeks }

    /// Blocks to fetch ahead of the one that is being read.
    var blocksAhead: Int { sequentialBytes >= Self.evidence && !isRandom ? blocks : 0 }

    /// A read has come.
    mutating func note(_ range: Range<Int64>) {
        let expected = (next - Self.backwardTolerance)...(next + Self.forwardTolerance)
        if expected.contains(range.lowerBound) {
            sequentialBytes += range.upperBound - range.lowerBound
            next = max(next, range.upperBound)
            if sequentialBytes >= Self.evidence { seeks = 0 }
        } else {
            seeks += 1
            sequentialBytes = 0
            blocks = 1
            next = range.upperBound
        }
    }

    /// The reader had to wait for the network: fetch further ahead.
    mutating func stalled() {
        if blocksAhead > 0 {
            blocks = min(2 * blocks, Self.maximumBlocks)
        }
    }
}
