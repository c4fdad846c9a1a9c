// The pieces of a download: which is next, which have come, and what they add up to. Pure, but for
// the count that is shown.

import ContentHashing
import Saturating
import Synchronization

/// The pieces of one range of a file.
struct FetchedPieces {
    private let range: Range<UInt64>
    private let size: UInt64
    private let concurrency: UInt64
    private var position: UInt64
    /// The digests of the blocks that have come, by where their request started.
    private var come: [UInt64: (end: UInt64, digests: [ContentHash])] = [:]

    /// The most pieces that one request asks for: a request costs a round trip, and takes no memory
    /// for its size.
    private static let longestRun: UInt64 = 8

    /// `size` is that of a piece, whole blocks; `concurrency` is the number of requests at a time.
    init(of range: Range<UInt64>, size: UInt64, concurrency: Int) {
        self.range = range
        self.size = max(size, 1)
        self.concurrency = UInt64(clamping: max(1, concurrency))
        position = range.lowerBound
    }

    /// The next bytes to fetch; nil when all are on their way. One piece, or several of a long
    /// rest: so many that each of the requests at a time has as much to do.
    mutating func next() -> Range<UInt64>? {
        guard position < range.upperBound else { return nil }
        let share = (range.upperBound &- position).divided(by: size *| concurrency *| 2)
        // The first request of a file has been sent already, for one piece.
        let count = position == 0 ? 1 : min(max(1, share), Self.longestRun)
        let piece = position..<min(position +| size *| count, range.upperBound)
        position = piece.upperBound
        return piece
    }

    /// Takes bytes that are in their place, with the digests of their blocks.
    mutating func arrived(_ piece: Range<UInt64>, _ digests: [ContentHash]) {
        come[piece.lowerBound] = (piece.upperBound, digests)
    }

    /// The end of the bytes that have come without a gap from the start.
    var end: UInt64 {
        var end = range.lowerBound
        while let piece = come[end], piece.end > end { end = piece.end }
        return end
    }

    /// The digests of all blocks, in their order.
    var digests: [ContentHash] {
        come.sorted { $0.key < $1.key }.flatMap(\.value.digests)
    }
}

/// Cuts bytes into blocks of the content hash and keeps the digest of each.
struct BlockDigests {
    private var done: [ContentHash] = []
    private var block = SHA256()
    private var bytesInBlock = 0

    mutating func update(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(clamping: ContentHasher.blockSize -| bytesInBlock)
            part.withUnsafeBytes { block.update($0) }
            bytesInBlock +|= part.count
            rest = rest.dropFirst(part.count)
            if bytesInBlock == ContentHasher.blockSize { close() }
        }
    }

    /// The digests of the blocks that are whole.
    var whole: [ContentHash] { done }

    /// The digests of all blocks, the last one of which may be short.
    consuming func finalized() -> [ContentHash] {
        if bytesInBlock > 0 { close() }
        return done
    }

    private mutating func close() {
        if let digest = ContentHash(bytes: block.finalized()) { done.append(digest) }
        block = SHA256()
        bytesInBlock = 0
    }
}

/// The bytes of several requests together, as the caller sees them.
final class ByteCount: Sendable {
    /// Held while the caller is told, so that it sees rising numbers, one after another.
    private let done: Mutex<UInt64>
    private let total: UInt64
    private let report: (@Sendable (TransferProgress) -> Void)?

    init(
        _ done: UInt64, of total: UInt64, report: (@Sendable (TransferProgress) -> Void)?
    ) {
        self.done = Mutex(done)
        self.total = total
        self.report = report
    }

    func add(_ count: Int) {
        done.withLock { done in
            done +|= UInt64(clamping: count)
            report?(TransferProgress(bytesDone: done, bytesTotal: total))
        }
    }
}
