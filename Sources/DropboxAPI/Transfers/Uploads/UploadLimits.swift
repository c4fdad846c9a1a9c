// How many files share a request, and how many requests are in flight. Pure.

import ContentHashing
import Saturating

extension Files.CommitInfo {
    /// Whether the path has the form of files.stone: from the root, a namespace or an id on.
    /// Anything else would spoil the whole request that it is in.
    var hasSoundPath: Bool {
        // By bytes: a name may begin with an accent, which makes one character with the sign
        // before.
        let bytes = path.utf8
        if bytes.first == 0x2F || bytes.starts(with: "id:".utf8) { return true }
        guard bytes.starts(with: "ns:".utf8) else { return false }
        let rest = bytes.dropFirst(3).drop { (0x30...0x39).contains($0) }
        return rest.count < bytes.count &- 3 && (rest.first ?? 0x2F) == 0x2F
    }
}

/// The sizes of one batch upload.
package struct UploadLimits: Hashable, Sendable {
    /// The unit of a concurrent session, and of the hash.
    private static var block: Int { ContentHasher.blockSize }
    /// One request may have 150 MiB (files.stone); this is the most whole blocks below.
    private static let largestPiece = 144 << 20

    /// Parts of one request: its argument is a header, and each part takes about 130 bytes of it.
    static let partsPerRequest = 250
    /// Sessions per start, and files per commit (files.stone).
    static let filesPerBatch = 1_000

    /// Content bytes in one request, at most.
    let pieceSize: Int
    /// Requests with content in flight at once.
    let concurrency: Int

    init(_ options: BatchUploadOptions) {
        let budget = max(options.memoryBudget, Self.block &* 2)
        pieceSize = Self.wholePiece(min(options.pieceSize, budget / 2))
        // One more is being filled.
        concurrency = max(1, min(options.concurrency, budget.divided(by: pieceSize) -| 1))
    }

    /// The size of a piece of about so many bytes: whole blocks, as many as a request may have.
    package static func wholePiece(_ wanted: Int) -> Int {
        max(block, min(wanted, largestPiece).divided(by: block) *| block)
    }

    /// The pieces of a large file, in order. The last one closes its session.
    ///
    /// The sequence is lazy: a sparse file may claim more pieces than a list in memory could hold.
    func pieces(of length: UInt64) -> some Sequence<Range<UInt64>> {
        sequence(state: 0 as UInt64) { start in
            guard start < length else { return nil }
            let piece = start..<(start &+ min(UInt64(clamping: pieceSize), length &- start))
            start = piece.upperBound
            return piece
        }
    }
}
