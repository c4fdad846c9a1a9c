// SHA-256 and its keyed form, of the system's libcrypto: libcurl has loaded it anyway, it uses the
// processor's own instructions, and it is as quick in a debug build. Not responsible for blocks of
// 4 MiB: ContentHasher.

import CCrypto
import Saturating

/// A SHA-256 computation; a copy goes its own way.
package struct SHA256: Sendable {
    /// The 32 bytes of a finished computation.
    package typealias Digest = [UInt8]

    private var state = SHA256_CTX()

    /// Starts with no bytes.
    package init() {
        SHA256_Init(&state)
    }

    /// Adds the next bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        SHA256_Update(&state, bytes.baseAddress, bytes.count)
    }

    /// Adds the next bytes.
    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The digest of all bytes so far; more may follow.
    package func finalized() -> Digest {
        var copy = state
        return Digest(unsafeUninitializedCapacity: ContentHash.byteCount) { buffer, count in
            SHA256_Final(buffer.baseAddress, &copy)
            count = ContentHash.byteCount
        }
    }

    /// The digest of bytes in memory.
    package static func hash(_ bytes: [UInt8]) -> Digest {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finalized()
    }

    /// HMAC-SHA-256 (RFC 2104): a digest that only who knows the key can make.
    package static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> Digest {
        let blockSize = 64
        var padded = key.count > blockSize ? hash(key) : key
        padded += [UInt8](repeating: 0, count: max(0, blockSize -| padded.count))
        let inner = hash([padded.map { $0 ^ 0x36 }, bytes].flatMap(\.self))
        return hash([padded.map { $0 ^ 0x5C }, inner].flatMap(\.self))
    }
}
