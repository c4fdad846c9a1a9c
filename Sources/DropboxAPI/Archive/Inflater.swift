// Deflate streams (RFC 1951) by zlib, raw or in the container of gzip (RFC 1952). Not responsible
// for zip archives (`ZipReader`).

import CZlib

/// Decompresses one stream, given in pieces.
package final class Inflater {
    /// The container of a stream.
    package enum Container: Sendable {
        case none
        case gzip
    }

    /// Output of one piece of input.
    package struct Output {
        package var bytes: [UInt8]
        /// Number of the piece's bytes that belong to the stream.
        package var consumed: Int
        /// Whether more output may follow without further input.
        package var isFull: Bool
        /// Whether the stream has ended.
        package var isEnd: Bool
    }

    private static let pieceSize = 1 << 16
    /// zlib's internal state points back to it: it must not move, so it is allocated separately.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Throws `malformed` when zlib has no memory.
    package init(_ container: Container = .none) throws(ZipError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(clamping: MemoryLayout<z_stream>.size)
        // Negative for no container, and 16 more for gzip's: zlib.h.
        let window = container == .gzip ? MAX_WBITS &+ 16 : -MAX_WBITS
        guard inflateInit2_(stream, window, ZLIB_VERSION, size) == Z_OK else {
            stream.deallocate()
            throw .malformed("zlib does not start")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses until the stream ends or the output of one call is full: a piece may expand a
    /// thousandfold. Throws `malformed` when the input is no deflate stream.
    package func inflate(_ piece: ArraySlice<UInt8>) throws(ZipError) -> Output {
        var output = Output(bytes: [], consumed: 0, isFull: false, isEnd: false)
        var status = Z_OK
        piece.withUnsafeBufferPointer { input in
            // zlib only reads from this buffer, only during this call, and writes into a buffer of
            // this call.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.pointee.avail_in = UInt32(clamping: input.count)
            output.bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, filled in
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(clamping: Self.pieceSize)
                status = CZlib.inflate(stream, Z_NO_FLUSH)
                // avail_out is at most the buffer's size.
                filled = Self.pieceSize &- Int(clamping: stream.pointee.avail_out)
            }
            let given = Int(clamping: UInt32(clamping: input.count))
            output.consumed = given &- Int(clamping: stream.pointee.avail_in)
            stream.pointee.next_in = nil
        }
        // Z_BUF_ERROR: zlib needs more input.
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw .malformed("deflate error \(status)")
        }
        output.isFull = output.bytes.count == Self.pieceSize
        output.isEnd = status == Z_STREAM_END
        return output
    }
}

/// The CRC-32 of zip archives, continued from `known`.
func checksum(_ known: UInt, _ bytes: some Collection<UInt8>) -> UInt {
    bytes.withContiguousStorageIfAvailable { buffer in
        UInt(truncatingIfNeeded: crc32_z(known, buffer.baseAddress, buffer.count))
    } ?? checksum(known, Array(bytes))
}
