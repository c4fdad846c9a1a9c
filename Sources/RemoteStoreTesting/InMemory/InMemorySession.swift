// An upload session as a plain value: the pieces that fit, and its completeness.

import ContentHashing
import RemoteStore

/// The bytes of an upload session.
struct InMemorySession {
    /// Concurrent pieces begin, and all but the last end, at multiples of this.
    private static var unit: Int64 { Int64(ContentHasher.blockSize) }

    let isConcurrent: Bool
    private var isClosed = false
    /// Pieces by their offsets; those of a sequential session are contiguous.
    private var pieces: [Int64: [UInt8]] = [:]

    init(isConcurrent: Bool) {
        self.isConcurrent = isConcurrent
    }

    /// End of the contiguous bytes from the start.
    private var size: Int64 {
        var end: Int64 = 0
        while let piece = pieces[end], !piece.isEmpty { end += Int64(piece.count) }
        return end
    }

    /// Appends a piece. A piece that was appended before counts as success. Throws `sessionLost` if
    /// it does not fit.
    mutating func append(
        _ bytes: [UInt8], at offset: Int64, closes: Bool
    ) throws(RemoteError) {
        let end = offset + Int64(bytes.count)
        if isConcurrent {
            guard offset % Self.unit == 0, closes || end % Self.unit == 0 else {
                throw .sessionLost
            }
            // Other pieces may still be in flight when the closing one has arrived.
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
