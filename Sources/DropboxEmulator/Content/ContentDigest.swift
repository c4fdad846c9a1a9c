// Dropbox's content hash, computed as a stream: SHA-256 over the SHA-256 of each 4 MiB block.
// https://www.dropbox.com/developers/reference/content-hash
// Implemented independently of the client's ContentHasher, so that one misreading does not hide the
// other; SHA-256 is the same.

import ContentHashing

/// A SHA-256 digest, compact enough to hold a million of them.
struct ContentDigest: Hashable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    init(_ digest: SHA256.Digest) {
        func word(_ start: Int) -> UInt64 {
            digest[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        words = (word(0), word(8), word(16), word(24))
    }

    /// Parses 64 hexadecimal digits; nil for any other text.
    init?(hex: String) {
        let text = Array(hex.utf8)
        guard text.count == 64 else { return nil }
        var parts: [UInt64] = []
        for start in stride(from: 0, to: 64, by: 16) {
            let part = String(decoding: text[start..<start + 16], as: UTF8.self)
            guard part.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
                let word = UInt64(part, radix: 16)
            else { return nil }
            parts.append(word)
        }
        words = (parts[0], parts[1], parts[2], parts[3])
    }

    /// 64 lower-case hexadecimal digits.
    var hex: String {
        [words.0, words.1, words.2, words.3].reduce(into: "") {
            let digits = String($1, radix: 16)
            $0 += String(repeating: "0", count: 16 - digits.count) + digits
        }
    }

    /// The digest's 32 bytes.
    var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
        }
    }

    static func == (left: ContentDigest, right: ContentDigest) -> Bool {
        left.words == right.words
    }

    func hash(into hasher: inout Hasher) {
        // The bits of a digest are effectively random: one word suffices for hash tables.
        hasher.combine(words.0)
    }
}

/// Hashes a stream of bytes block by block.
struct BlockHasher: Sendable {
    /// The unit of the content hash.
    static let blockSize = 4 * 1024 * 1024

    /// Digests of the complete blocks so far.
    private(set) var digests: [ContentDigest] = []
    private var block = SHA256()
    private var bytesInBlock = 0

    /// Hashes the next bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.blockSize - bytesInBlock)
            block.update(UnsafeRawBufferPointer(rebasing: part))
            bytesInBlock += part.count
            rest = rest.dropFirst(part.count)
            if bytesInBlock == Self.blockSize {
                digests.append(ContentDigest(block.finalized()))
                block = SHA256()
                bytesInBlock = 0
            }
        }
    }

    /// Digests of all blocks, the last of which may be short.
    var allDigests: [ContentDigest] {
        bytesInBlock == 0 ? digests : digests + [ContentDigest(block.finalized())]
    }

    /// The content hash of all bytes so far.
    var contentHash: ContentDigest { Self.contentHash(of: allDigests) }

    /// The content hash of content with these block digests.
    static func contentHash(of digests: [ContentDigest]) -> ContentDigest {
        var outer = SHA256()
        for digest in digests {
            outer.update(digest.bytes)
        }
        return ContentDigest(outer.finalized())
    }
}
