// One sequential stream of reads, and how far ahead to fetch for it. Pure: offsets in, decisions out.
// Which stream a read belongs to is decided in `ReadPattern`.

import BlockCache
import Core

/// A reader's place in a content, and the window of bytes to have ready after it.
struct ReadWindow: Hashable, Sendable {
    /// How a read continues the stream.
    enum Relation: Hashable {
        /// At the stream's end, but for the disorder in which the kernel's read-ahead arrives.
        case contiguous
        /// A little further on: what lies between is on its way anyway.
        case skip
        /// Somewhere else.
        case foreign
    }

    /// Disorder around the expected offset: mountpoint-s3 reckons with 256 KiB back and 512 KiB
    /// forward; programs also step back a little (mountpoint keeps 1 MiB for them).
    private static let backwardTolerance: Int64 = 1 << 20
    private static let forwardTolerance: Int64 = 512 << 10
    /// A forward seek that mountpoint-s3 waits out rather than begin a new request.
    private static let longestSkip: Int64 = 16 << 20
    /// Bytes read in sequence before anything is fetched ahead: what looks at a file's head only, such
    /// as a file manager, reads less.
    private static let evidence: Int64 = 256 << 10
    /// Who asks for so much at a content's beginning means to read on: programs that only look ask for
    /// less, and the kernel, on behalf of who reads by pieces, does too.
    private static let firstOfMany: Int64 = 1 << 20
    /// Most bytes to have ahead: four times what 1 Gbit/s and 50 ms hold on the way, half of the
    /// memory that all readers share.
    private static let maximumSize: Int64 = 24 << 20

    /// The end of the furthest read.
    private(set) var position: Int64
    /// Bytes to have ready after the position; 0 while too little is known of the reader.
    private(set) var size: Int64 = 0
    private var run: Int64
    private var reads = 1
    private var horizon: Int64
    /// A stall before this offset was answered already.
    private var answeredUpTo: Int64 = 0

    /// Begins with a read.
    init(_ range: Range<Int64>, readsToOpen: Int = 2) {
        position = range.upperBound
        run = Int64(clamping: range.count)
        horizon = range.upperBound
        open(ifAfter: readsToOpen)
    }

    /// Whether there is a window at all.
    var isOpen: Bool { size > 0 }

    /// How a read continues this stream.
    func relation(to range: Range<Int64>) -> Relation {
        let distance = range.lowerBound -| position
        if (-Self.backwardTolerance...Self.forwardTolerance).contains(distance) {
            return .contiguous
        }
        return isOpen && distance > 0 && distance <= Self.longestSkip ? .skip : .foreign
    }

    /// A read continues the stream. `readsToOpen` says how many it takes to believe in it.
    mutating func advance(_ range: Range<Int64>, readsToOpen: Int) {
        run +|= Int64(clamping: range.count)
        reads +|= 1
        position = max(position, range.upperBound)
        horizon = max(horizon, position)
        open(ifAfter: readsToOpen)
    }

    private mutating func open(ifAfter readsToOpen: Int) {
        guard !isOpen else { return }
        // Who asks for a whole block at once wants all of it.
        let isBegun = position == run && run >= Self.firstOfMany
        if run >= DiskBlockCache.blockSize || isBegun
            || run >= Self.evidence && reads >= readsToOpen
        {
            size = DiskBlockCache.blockSize
        }
    }

    /// The reader had to wait for the network: fetch further ahead. Counts once per window, because the
    /// kernel asks for several pieces at once, which all wait.
    mutating func stalled(at offset: Int64) {
        guard isOpen, offset >= answeredUpTo else { return }
        size = min(Self.maximumSize, 2 *| size)
        answeredUpTo = position +| size
    }

    /// There was no memory for what begins at an offset: fetch less, and that part again later.
    mutating func refused(at offset: Int64) {
        size = max(DiskBlockCache.blockSize, size / 2)
        horizon = max(position, min(horizon, offset))
    }

    /// What to fetch ahead now, up to the end of a block; each byte is named once.
    mutating func takeAhead(contentSize: Int64) -> Range<Int64>? {
        guard isOpen else { return nil }
        let block = DiskBlockCache.blockSize
        let end = min((position +| size +| block -| 1) / block *| block, contentSize)
        guard horizon < end else { return nil }
        defer { horizon = end }
        return horizon..<end
    }
}
