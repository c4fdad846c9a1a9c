// Raw deflate streams (RFC 1951) by zlib. Not responsible for what contains them (`ZipReader`).

import CZlib

/// Decompresses one stream, given in pieces.
final class Inflater {
    /// What a piece gave.
    struct Output {
        var bytes: [UInt8]
        /// How many bytes of the piece belong to the stream.
        var consumed: Int
        /// Whether there may be more without another byte.
        var isFull: Bool
        /// Whether the stream has ended.
        var isEnd: Bool
    }

    private static let pieceSize = 1 << 16
    /// Where zlib's own state points back to: it must not move, so it has an allocation of its own.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Throws `malformed` when zlib has no memory.
    init() throws(ZipError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(clamping: MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, size) == Z_OK else {
            stream.deallocate()
            throw .malformed("zlib does not start")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Takes bytes until the stream ends, or until there is as much output as one call may give: what a piece
    /// becomes may be a thousand times as long. Throws `malformed` when they are no deflate stream.
    func inflate(_ piece: ArraySlice<UInt8>) throws(ZipError) -> Output {
        var output = Output(bytes: [], consumed: 0, isFull: false, isEnd: false)
        var status = Z_OK
        piece.withUnsafeBufferPointer { input in
            // zlib reads from here during this call only, never writes there, and writes into a buffer of this
            // call.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(clamping: input.count)
            output.bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, filled in
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(clamping: Self.pieceSize)
                status = CZlib.inflate(stream, Z_NO_FLUSH)
                // What zlib leaves is a part of what it was given.
                filled = Self.pieceSize &- Int(clamping: stream.pointee.avail_out)
            }
            let given = Int(clamping: UInt32(clamping: input.count))
            output.consumed = given &- Int(clamping: stream.pointee.avail_in)
            stream.pointee.next_in = nil
        }
        // Z_BUF_ERROR: it wants more.
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw .malformed("deflate error \(status)")
        }
        output.isFull = output.bytes.count == Self.pieceSize
        output.isEnd = status == Z_STREAM_END
        return output
    }
}

/// The checksum of zip archives, continued.
func checksum(_ known: UInt, _ bytes: some Collection<UInt8>) -> UInt {
    bytes.withContiguousStorageIfAvailable { buffer in
        UInt(truncatingIfNeeded: crc32_z(known, buffer.baseAddress, buffer.count))
    } ?? checksum(known, Array(bytes))
}
