// How a big content is cut into pieces, which of them are written, and which were sent while the
// file may still be written.

package import ContentHashing
import Core
import Saturating

/// The pieces of a content: all but the last are multiples of 4 MiB, as concurrent sessions
/// require.
package struct PieceLayout: Hashable, Sendable {
    /// Size of a piece in bytes: by rclone's measurements, 16 MiB has nearly three quarters of the
    /// throughput of the largest piece, at an eighth of the memory.
    package static var pieceSize: Int64 { 4 *| blockSize }
    /// Size in bytes from which a file is uploaded while it is still being written.
    static var smallestAhead: Int64 { 2 *| pieceSize }
    /// The largest size that is laid out: more than Dropbox stores. A damaged row may claim any
    /// size, and memory is proportional to it.
    private static let largestSize: Int64 = 1 << 42
    private static var blockSize: Int64 { Int64(clamping: ContentHasher.blockSize) }

    /// The pieces that may be sent concurrently.
    package private(set) var parallel: [Range<Int64>] = []
    /// The piece that closes the session after all others: a block at most, because it is sent
    /// alone.
    package let last: Range<Int64>

    /// Lays out a content of `size` bytes; nil for 0, and for more than Dropbox stores.
    package init?(size: Int64) {
        guard (1...Self.largestSize).contains(size) else { return nil }
        let end = (size -| 1) / Self.blockSize *| Self.blockSize
        parallel = stride(from: 0, to: end, by: Int(clamping: Self.pieceSize)).map {
            $0..<min($0 +| Self.pieceSize, end)
        }
        last = end..<size
    }

    /// All pieces, in order.
    package var all: [Range<Int64>] {
        var all = parallel
        all.append(last)
        return all
    }

    /// Whether a session's pieces, given by their blocks' digests, belong to this layout.
    package func holds(_ digests: [Int64: [ContentHash]]) -> Bool {
        let counts = Dictionary(
            all.map { piece in
                (piece.lowerBound, (piece.count -| 1) / ContentHasher.blockSize +| 1)
            }, uniquingKeysWith: { max($0, $1) })
        return digests.allSatisfy { counts[$0.key] == $0.value.count }
    }
}

/// The prefix of a content that was written sequentially. A kernel that gathers writes sends some
/// concurrently, so ranges slightly ahead are kept.
struct WrittenPrefix: Sendable {
    /// Number of ranges to keep: more are no sign of a sequential writer.
    private static let limit = 64

    /// End of the prefix.
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

    /// Forgets ranges behind the content's end.
    mutating func cut(to size: Int64) {
        end = min(end, size)
        beyond = [:]
    }
}

/// The pieces of staged content that a session was given, as far as this process has seen.
struct SentPieces: Sendable {
    /// ID of the session.
    let session: String
    /// End of the last piece.
    private(set) var end: Int64 = 0
    /// Whether bytes were changed after they were, or may have been, read for sending.
    private(set) var isOutdated = false
    private var ranges: [Range<Int64>] = []

    init(session: String) {
        self.session = session
    }

    mutating func add(_ piece: Range<Int64>) {
        if !ranges.contains(piece) { ranges.append(piece) }
        end = max(end, piece.upperBound)
    }

    /// Notes a change of the bytes in a range.
    mutating func noteChange(in range: Range<Int64>) {
        // Fast path: most files are written sequentially.
        guard range.lowerBound < end, !isOutdated else { return }
        isOutdated = ranges.contains { $0.overlaps(range) }
    }
}
