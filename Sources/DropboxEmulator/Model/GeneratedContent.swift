// Content that is computed instead of stored: large sample trees need no disk space and no time to
// write.

/// Bytes computed from a seed.
enum GeneratedContent {
    /// Fills a buffer with the bytes from an offset.
    static func fill(_ buffer: UnsafeMutableRawBufferPointer, seed: UInt64, at offset: Int64) {
        var word = UInt64(offset / 8)
        var skipped = Int(offset % 8)
        var position = 0
        while position < buffer.count {
            let bits = mix(seed &+ (word &+ 1) &* 0x9E37_79B9_7F4A_7C15)
            for byte in skipped..<min(8, skipped + buffer.count - position) {
                buffer[position] = UInt8(truncatingIfNeeded: bits >> (8 * UInt64(byte)))
                position += 1
            }
            skipped = 0
            word &+= 1
        }
    }

    /// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
    /// generators).
    static func mix(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// The content of a seed and a size.
    static func content(seed: UInt64, size: Int) -> Content {
        var hasher = BlockHasher()
        let piece = min(size, BlockHasher.blockSize)
        withUnsafeTemporaryAllocation(byteCount: max(piece, 1), alignment: 8) { buffer in
            var done = 0
            while done < size {
                let part = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[..<min(piece, size - done)])
                fill(part, seed: seed, at: Int64(done))
                hasher.update(UnsafeRawBufferPointer(part))
                done += part.count
            }
        }
        return Content(
            hash: hasher.contentHash, size: Int64(size), source: .generated(seed: seed))
    }
}
