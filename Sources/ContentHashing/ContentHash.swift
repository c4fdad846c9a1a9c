// Dropbox's content hash: the value and the incremental computation.
// https://www.dropbox.com/developers/reference/content-hash
// Not responsible for reading files: callers feed bytes.

import Saturating

/// The hash that Dropbox reports for a file's content.
///
/// SHA-256 over the concatenated SHA-256 digests of the content's 4 MiB blocks; the hash of empty
/// content is SHA-256 of nothing.
public struct ContentHash: Hashable, Sendable, CustomStringConvertible {
    /// Number of bytes in a hash.
    public static let byteCount = 32

    /// The 32 bytes of the digest.
    public let bytes: [UInt8]

    /// Takes 32 raw bytes; nil for any other count.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Takes a finished computation.
    init(_ digest: SHA256) {
        self.bytes = digest.finalized()
    }

    /// Parses the 64 hexadecimal digits of the API; nil for any other text.
    public init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count == 2 * Self.byteCount else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(ofHexDigit: digits[index]),
                let low = Self.value(ofHexDigit: digits[index +| 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    /// The hash of empty content.
    public static let empty = ContentHash(SHA256())

    /// Combines the digests of all blocks of a file, in order.
    public init(blockDigests: some Sequence<ContentHash>) {
        var outer = SHA256()
        for digest in blockDigests {
            outer.update(digest.bytes)
        }
        self.init(outer)
    }

    /// 64 lower-case hexadecimal digits, as in the API.
    public var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * Self.byteCount)
        for byte in bytes {
            text.append(digits[Int(clamping: byte >> 4)])
            text.append(digits[Int(clamping: byte & 0x0F)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The hexadecimal text, for logs.
    public var description: String { hex }

    private static func value(ofHexDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit -| UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit -| UInt8(ascii: "a") +| 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit -| UInt8(ascii: "A") +| 10
        default: nil
        }
    }
}
