// One upload session as a plain value: which pieces fit, and when it is complete.

import ContentHashing
import RemoteStore

/// Bytes on their way to becoming a file.
struct InMemorySession {
    /// Concurrent pieces begin, and all but the last end, at multiples of this.
    private static let unit = Int64(ContentHasher.blockSize)

    let isConcurrent: Bool
    private var isClosed = false
    /// Pieces by their offsets; a sequential session's follow one another.
    private var pieces: [Int64: [UInt8]] = [:]

    init(isConcurrent: Bool) {
        self.isConcurrent = isConcurrent
    }

    /// End of the bytes that follow one another from the start.
    private var size: Int64 {
        var end: Int64 = 0
        while let piece = pieces[end], !piece.isEmpty { end += Int64(piece.count) }
        return end
    }

    /// Adds a piece. One that is here already counts as added. Throws `sessionLost` if it does not fit.
    mutating func append(
        _ bytes: [UInt8], at offset: Int64, closes: Bool
    ) throws(RemoteError) {
        let end = offset + Int64(bytes.count)
        if isConcurrent {
            guard offset % Self.unit == 0, closes || end % Self.unit == 0 else {
                throw .sessionLost
            }
            // Others may still be on their way when the piece that closes has arrived.
            let last = pieces.map { $0 + Int64($1.count) }.max() ?? 0
            guard !isClosed || end <= last else { throw .sessionLost }
            pieces[offset] = bytes
        } else if isClosed {
            guard end <= size else { throw .sessionLost }
        } else {
            guard offset <= size else { throw .sessionLost }
            let missing = Array(bytes.dropFirst(Int(size - offset)))
            if !missing.isEmpty { pieces[size] = missing }
        }
        isClosed = isClosed || closes
    }

    /// The bytes of a complete session. Throws `sessionLost` if it is not complete.
    func content(size expected: Int64) throws(RemoteError) -> [UInt8] {
        guard isClosed || !isConcurrent, size == expected,
            pieces.values.reduce(0, { $0 + Int64($1.count) }) == expected
        else { throw .sessionLost }
        return pieces.sorted { $0.key < $1.key }.flatMap(\.value)
    }
}
