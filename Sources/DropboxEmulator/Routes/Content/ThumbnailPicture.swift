// A picture of one colour as PNG, without compression. https://www.w3.org/TR/png-3/

import NIOCore

/// A picture of one colour.
struct ThumbnailPicture {
    let width: Int
    let height: Int
    /// Red, green and blue are the first three bytes.
    let colour: [UInt8]

    /// Most bytes of a block that is not compressed (RFC 1951).
    private static let blockSize = 65535

    /// The bytes of a PNG: a palette of one colour, and one bit for each pixel.
    var png: [UInt8] {
        var result = ByteBuffer(bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        var head = ByteBuffer()
        head.writeInteger(UInt32(width))
        head.writeInteger(UInt32(height))
        // Bits of a pixel, palette, deflate, filters, no interlacing.
        head.writeBytes([1, 3, 0, 0, 0])
        Self.write("IHDR", head, to: &result)
        Self.write("PLTE", ByteBuffer(bytes: colour.prefix(3)), to: &result)
        Self.write("IDAT", Self.stored(zeros: height * (1 + (width + 7) / 8)), to: &result)
        Self.write("IEND", ByteBuffer(), to: &result)
        return Array(result.readableBytesView)
    }

    private static func write(_ type: String, _ data: ByteBuffer, to result: inout ByteBuffer) {
        var body = ByteBuffer(string: type)
        body.writeImmutableBuffer(data)
        var checksum = CRC32()
        checksum.update(body)
        result.writeInteger(UInt32(data.readableBytes))
        result.writeImmutableBuffer(body)
        result.writeInteger(checksum.value)
    }

    /// So many zero bytes in the format of zlib (RFC 1950), in blocks as they are.
    private static func stored(zeros count: Int) -> ByteBuffer {
        var data = ByteBuffer(bytes: [0x78, 0x01])
        var rest = count
        repeat {
            let length = UInt16(min(rest, blockSize))
            rest -= Int(length)
            data.writeInteger(UInt8(rest == 0 ? 1 : 0))
            data.writeInteger(length, endianness: .little)
            data.writeInteger(~length, endianness: .little)
            data.writeRepeatingByte(0, count: Int(length))
        } while rest > 0
        // Adler-32 of zeros: their sum stays 1, and the sum of sums grows by it.
        data.writeInteger(UInt32(count % 65521) << 16 | 1)
        return data
    }
}
