// One sequential stream of reads, and how far ahead to fetch for it. Pure: offsets in, decisions
// out. `ReadPattern` decides which stream a read belongs to.

import BlockCache
import Core
import Saturating

/// A stream's position in a content, and the window of bytes to have ready after it.
struct ReadWindow: Hashable, Sendable {
    /// How a read continues the stream.
    enum Relation: Hashable {
        /// At the stream's end, with a tolerance for the order in which the kernel's read-ahead
        /// arrives.
        case contiguous
        /// A little further on: the gap is in flight anyway.
        case skip
        /// Elsewhere: no continuation of the stream.
        case foreign
    }

    /// Tolerance around the expected offset: mountpoint-s3 allows 256 KiB back and 512 KiB forward;
    /// programs also step back a little (mountpoint keeps 1 MiB for them).
    private static let backwardTolerance: Int64 = 1 << 20
    private static let forwardTolerance: Int64 = 512 << 10
    /// A forward seek that mountpoint-s3 waits for rather than begin a new request.
    private static let longestSkip: Int64 = 16 << 20
    /// Bytes read in sequence before read-ahead begins: header probes, such as a file manager's,
    /// read less.
    private static let evidence: Int64 = 256 << 10
    /// A first read this large at offset 0 counts as sequential: header probes read less, and so
    /// does kernel read-ahead for buffered readers.
    private static let firstOfMany: Int64 = 1 << 20
    /// Maximum window: four times what 1 Gbit/s and 50 ms hold in flight, half of the memory that
    /// all readers share.
    private static let maximumSize: Int64 = 24 << 20

    /// The end of the furthest read.
    private(set) var position: Int64
    /// Bytes to have ready after the position; 0 before the stream is recognised.
    private(set) var size: Int64 = 0
    private var run: Int64
    private var reads = 1
    private var horizon: Int64
    /// Stalls before this offset have widened the window already.
    private var answeredUpTo: Int64 = 0

    /// Creates a stream from its first read.
    init(_ range: Range<Int64>, readsToOpen: Int = 2) {
        position = range.upperBound
        run = Int64(clamping: range.count)
        horizon = range.upperBound
        open(ifAfter: readsToOpen)
    }

    /// Whether the window is open.
    var isOpen: Bool { size > 0 }

    /// How a read continues this stream.
    func relation(to range: Range<Int64>) -> Relation {
        let distance = range.lowerBound -| position
        if (Self.backwardTolerance.negated...Self.forwardTolerance).contains(distance) {
            return .contiguous
        }
        return isOpen && distance > 0 && distance <= Self.longestSkip ? .skip : .foreign
    }

    /// Continues the stream with a read. `readsToOpen` is the number of reads that opens the
    /// window.
    mutating func advance(_ range: Range<Int64>, readsToOpen: Int) {
        run +|= Int64(clamping: range.count)
        reads +|= 1
        position = max(position, range.upperBound)
        horizon = max(horizon, position)
        open(ifAfter: readsToOpen)
    }

    private mutating func open(ifAfter readsToOpen: Int) {
        guard !isOpen else { return }
        // A first read of a whole block means that all of it is wanted.
        let isBegun = position == run && run >= Self.firstOfMany
        if run >= DiskBlockCache.blockSize || isBegun
            || run >= Self.evidence && reads >= readsToOpen
        {
            size = DiskBlockCache.blockSize
        }
    }

    /// Widens the window, because the reader had to wait for the network. Counts once per window,
    /// because the kernel requests several pieces at once, which all wait.
    mutating func stalled(at offset: Int64) {
        guard isOpen, offset >= answeredUpTo else { return }
        size = min(Self.maximumSize, 2 *| size)
        answeredUpTo = position +| size
    }

    /// Narrows the window, because there was no memory for the range at an offset, and plans that
    /// range again.
    mutating func refused(at offset: Int64) {
        size = max(DiskBlockCache.blockSize, size / 2)
        horizon = max(position, min(horizon, offset))
    }

    /// The range to read ahead now, up to the end of a block; each byte is returned once.
    mutating func takeAhead(contentSize: Int64) -> Range<Int64>? {
        guard isOpen else { return nil }
        let block = DiskBlockCache.blockSize
        let end = min((position +| size +| block -| 1).divided(by: block) *| block, contentSize)
        guard horizon < end else { return nil }
        defer { horizon = end }
        return horizon..<end
    }
}
