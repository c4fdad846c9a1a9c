// How a big content is cut into pieces, which of them are written, and which have been sent while users may
// still write.

public import ContentHashing
import Core

/// The pieces of a content: all but the last are multiples of 4 MiB, as concurrent sessions want them.
public struct PieceLayout: Hashable, Sendable {
    /// Size of a piece in bytes: rclone's measurements give 16 MiB nearly three quarters of the throughput of the
    /// largest piece, at an eighth of the memory.
    public static let pieceSize = 4 *| blockSize
    /// From how many bytes on a file is sent while it is still being written.
    static let smallestAhead = 2 *| pieceSize
    /// The most bytes that are laid out: more than Dropbox stores. A damaged row may claim any size, and memory follows it.
    private static let largestSize: Int64 = 1 << 42
    private static let blockSize = Int64(clamping: ContentHasher.blockSize)

    /// What may travel at once.
    public private(set) var parallel: [Range<Int64>] = []
    /// What closes the session, when all else has arrived: a block at most, because it travels alone.
    public let last: Range<Int64>

    /// Lays out a content of `size` bytes; nil for none, and for more than Dropbox stores.
    public init?(size: Int64) {
        guard (1...Self.largestSize).contains(size) else { return nil }
        let end = (size -| 1) / Self.blockSize *| Self.blockSize
        parallel = stride(from: 0, to: end, by: Int(clamping: Self.pieceSize)).map {
            $0..<min($0 +| Self.pieceSize, end)
        }
        last = end..<size
    }

    /// Every piece, in order.
    public var all: [Range<Int64>] {
        var all = parallel
        all.append(last)
        return all
    }

    /// Whether pieces of which a session has the blocks' digests are pieces of this layout.
    public func holds(_ digests: [Int64: [ContentHash]]) -> Bool {
        let counts = Dictionary(
            uniqueKeysWithValues: all.map { piece in
                (piece.lowerBound, (piece.count -| 1) / ContentHasher.blockSize +| 1)
            })
        return digests.allSatisfy { counts[$0.key] == $0.value.count }
    }
}

/// How much of a content was written one byte after the other, from the first on. A kernel that gathers
/// writes passes some on side by side, so what comes a little early is kept.
struct WrittenPrefix: Sendable {
    /// Ranges kept: more are no sign of a writer who goes from the beginning to the end.
    private static let limit = 64

    /// Where it ends.
    private(set) var end: Int64 = 0
    /// Ends of ranges by their beginnings.
    private var beyond: [Int64: Int64] = [:]

    mutating func add(_ range: Range<Int64>) {
        guard range.lowerBound <= end else {
            if beyond.count < Self.limit { beyond[range.lowerBound] = range.upperBound }
            return
        }
        end = max(end, range.upperBound)
        while let next = beyond.removeValue(forKey: end) {
            end = max(end, next)
        }
    }

    /// What is behind the content's end is written no more.
    mutating func cut(to size: Int64) {
        end = min(end, size)
        beyond = [:]
    }
}

/// Which pieces of a staged content a session has been given, as far as this process has seen.
struct SentPieces: Sendable {
    /// The session's id.
    let session: String
    /// Where the last one ends.
    private(set) var end: Int64 = 0
    /// Whether bytes have been changed after they were, or may have been, read for sending.
    private(set) var isOutdated = false
    private var ranges: [Range<Int64>] = []

    init(session: String) {
        self.session = session
    }

    mutating func add(_ piece: Range<Int64>) {
        if !ranges.contains(piece) { ranges.append(piece) }
        end = max(end, piece.upperBound)
    }

    /// Bytes in a range are others now.
    mutating func noteChange(in range: Range<Int64>) {
        // Most files are written from their beginning to their end.
        guard range.lowerBound < end, !isOutdated else { return }
        isOutdated = ranges.contains { $0.overlaps(range) }
    }
}
