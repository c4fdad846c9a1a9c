// A content hash without a heap allocation, for tables that hold hundreds of thousands of them.

import ContentHashing

/// The 32 bytes of a `ContentHash` in place.
struct CompactHash: Hashable, Sendable {
    let words: (UInt64, UInt64, UInt64, UInt64)

    init(_ hash: ContentHash) {
        words = hash.bytes.withUnsafeBytes { Self.load($0) }
    }

    /// Takes the first 32 bytes of the buffer.
    init(bytes: UnsafeRawBufferPointer) {
        words = Self.load(bytes)
    }

    /// Parses a file's name; nil unless it is 64 lower-case hexadecimal digits.
    init?(name: String) {
        guard name.utf8.allSatisfy({ !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }),
            let hash = ContentHash(hex: name)
        else { return nil }
        self.init(hash)
    }

    private static func load(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64, UInt64, UInt64) {
        func word(_ number: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: number * 8, as: UInt64.self))
        }
        return (word(0), word(1), word(2), word(3))
    }

    /// The bytes, in order.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ContentHash.byteCount)
        for word in [words.0, words.1, words.2, words.3] {
            withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// The name of the content's file.
    var hex: String { contentHash?.hex ?? "" }

    /// The public form; never nil, because the count of bytes is right.
    var contentHash: ContentHash? { ContentHash(bytes: bytes) }

    static func == (left: CompactHash, right: CompactHash) -> Bool {
        left.words == right.words
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }
}
