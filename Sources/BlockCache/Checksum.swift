// The checksum of chunks and of the index's records: XXH64 (https://xxhash.com, public specification
// `xxhash_spec.md`, "XXH64 algorithm description"). 64 bits, and several times faster than a table-driven
// CRC, which matters because every read from the cache pays for it. It guards against rot and torn
// writes; what a server sends is checked with SHA-256 instead.

/// XXH64 of bytes.
enum Checksum {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The checksum of the bytes under a seed.
    static func xxh64(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var offset = 0
        var hash: UInt64
        if bytes.count >= 32 {
            hash = stripes(bytes, seed: seed, offset: &offset)
        } else {
            hash = seed &+ prime5
        }
        hash = hash &+ UInt64(bytes.count)
        return avalanche(tail(bytes, from: offset, hash: hash))
    }

    private static func stripes(
        _ bytes: UnsafeRawBufferPointer, seed: UInt64, offset: inout Int
    ) -> UInt64 {
        var lane1 = seed &+ prime1 &+ prime2
        var lane2 = seed &+ prime2
        var lane3 = seed
        var lane4 = seed &- prime1
        let end = bytes.count - 32
        while offset <= end {
            lane1 = round(lane1, word(bytes, offset))
            lane2 = round(lane2, word(bytes, offset + 8))
            lane3 = round(lane3, word(bytes, offset + 16))
            lane4 = round(lane4, word(bytes, offset + 24))
            offset += 32
        }
        var hash =
            rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
        hash = merge(hash, lane1)
        hash = merge(hash, lane2)
        hash = merge(hash, lane3)
        return merge(hash, lane4)
    }

    private static func tail(
        _ bytes: UnsafeRawBufferPointer, from start: Int, hash: UInt64
    ) -> UInt64 {
        var hash = hash
        var offset = start
        while offset + 8 <= bytes.count {
            hash ^= round(0, word(bytes, offset))
            hash = rotate(hash, 27) &* prime1 &+ prime4
            offset += 8
        }
        if offset + 4 <= bytes.count {
            let half = UInt32(
                littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            hash ^= UInt64(half) &* prime1
            hash = rotate(hash, 23) &* prime2 &+ prime3
            offset += 4
        }
        while offset < bytes.count {
            hash ^= UInt64(bytes[offset]) &* prime5
            hash = rotate(hash, 11) &* prime1
            offset += 1
        }
        return hash
    }

    private static func avalanche(_ input: UInt64) -> UInt64 {
        var hash = input
        hash ^= hash >> 33
        hash = hash &* prime2
        hash ^= hash >> 29
        hash = hash &* prime3
        return hash ^ hash >> 32
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        value << count | value >> (64 - count)
    }
}
