// FNV-1a of 64 bits, whose values are in names of files and in offsets that the kernel keeps. Not
// responsible for anything that others may choose the bytes of to make two values equal.

/// FNV-1a, a short hash that is equal in every process: http://www.isthe.com/chongo/tech/comp/fnv/.
package enum FNV1a {
    /// The value of no bytes.
    package static let basis: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The hash of bytes that follow those with the value `start`, or of another series of hashes.
    @inlinable
    package static func hash(
        _ bytes: some Sequence<UInt8>, from start: UInt64 = basis
    ) -> UInt64 {
        bytes.reduce(start) { ($0 ^ UInt64(clamping: $1)) &* 0x0000_0100_0000_01b3 }
    }
}
