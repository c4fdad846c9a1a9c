// PNGs for tests of thumbnails: whole ones, and ones with chunks of a test's own.

/// Makes PNGs chunk by chunk.
enum ThumbnailPictures {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    static let end = chunk("IEND", [])
    /// Not compressed pixels: no test decodes them.
    static let pixels = chunk("IDAT", [0x78, 0x01, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01])

    static func head(_ width: UInt32, _ height: UInt32, format: [UInt8] = [8, 2, 0, 0, 0])
        -> [UInt8]
    {
        chunk("IHDR", word(width) + word(height) + format)
    }

    /// A well-formed picture, with chunks between its head and its pixels.
    static func picture(_ width: UInt32 = 2, _ height: UInt32 = 3, more: [UInt8] = []) -> [UInt8] {
        signature + head(width, height) + more + pixels + end
    }

    static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return word(UInt32(data.count)) + body + word(checksum(body))
    }

    static func word(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// The CRC of ISO 3309, bit by bit.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { state, byte in
            (0..<8).reduce(state ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
            }
        }
    }
}
