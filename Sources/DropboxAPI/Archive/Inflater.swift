// Raw deflate streams (RFC 1951) by zlib. Not responsible for what contains them (`ZipReader`).

import CZlib

/// Decompresses one stream, given in pieces.
final class Inflater {
    /// What a piece gave.
    struct Output {
        var bytes: [UInt8]
        /// How many bytes of the piece belong to the stream.
        var consumed: Int
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
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, size) == Z_OK else {
            stream.deallocate()
            throw .malformed("zlib does not start")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Takes bytes until the stream ends. Throws `malformed` when they are no deflate stream.
    func inflate(_ piece: ArraySlice<UInt8>) throws(ZipError) -> Output {
        var output = Output(bytes: [], consumed: 0, isEnd: false)
        var status = Z_OK
        var input = Array(piece)
        let count = input.count
        input.withUnsafeMutableBufferPointer { input in
            // zlib reads from here during this call only, and writes into a buffer of this call.
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(count)
            repeat {
                let part = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, filled in
                    stream.pointee.next_out = buffer.baseAddress
                    stream.pointee.avail_out = UInt32(Self.pieceSize)
                    status = CZlib.inflate(stream, Z_NO_FLUSH)
                    filled = Self.pieceSize - Int(stream.pointee.avail_out)
                }
                output.bytes += part
            } while status == Z_OK && (stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0)
            stream.pointee.next_in = nil
        }
        // Z_BUF_ERROR: it wants more.
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw .malformed("deflate error \(status)")
        }
        output.consumed = count - Int(stream.pointee.avail_in)
        output.isEnd = status == Z_STREAM_END
        return output
    }
}

/// The checksum of zip archives, continued.
func checksum(_ known: UInt, _ bytes: some Collection<UInt8>) -> UInt {
    bytes.withContiguousStorageIfAvailable { buffer in
        UInt(crc32_z(known, buffer.baseAddress, buffer.count))
    } ?? checksum(known, Array(bytes))
}
