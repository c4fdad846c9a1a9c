// Computes a content hash incrementally, from pieces of any size.

import Saturating
import Synchronization

/// Computes Dropbox's content hash incrementally.
public struct ContentHasher: Sendable {
    /// The unit of the hash in bytes: 4 MiB, also the unit of concurrent upload sessions.
    public static var blockSize: Int { unit.load(ordering: .relaxed) }
    private static let unit = Atomic<Int>(4 * 1024 * 1024)

    /// Sets the unit, in bytes. For a simulation only, whose server has the same unit: its contents
    /// have many blocks and few bytes. No hash of another unit may be compared with later ones.
    package static func simulate(blockSize: Int) {
        unit.store(max(1, blockSize), ordering: .relaxed)
    }

    private var outer = SHA256()
    private var block = SHA256()
    private var bytesInBlock = 0

    /// Starts with empty content.
    public init() {}

    /// Hashes the next bytes of the content.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(clamping: Self.blockSize -| bytesInBlock)
            block.update(UnsafeRawBufferPointer(rebasing: part))
            bytesInBlock +|= part.count
            rest = rest.dropFirst(part.count)
            if bytesInBlock == Self.blockSize {
                closeBlock()
            }
        }
    }

    /// Hashes the next bytes of the content.
    public mutating func update(_ bytes: some Collection<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable {
            update(UnsafeRawBufferPointer($0))
        }
        if done == nil {
            Array(bytes).withUnsafeBytes { update($0) }
        }
    }

    /// The hash of all bytes so far; more may follow.
    public func finalized() -> ContentHash {
        var copy = self
        if copy.bytesInBlock > 0 {
            copy.closeBlock()
        }
        return ContentHash(copy.outer)
    }

    /// The hash of a whole content in memory.
    public static func hash(_ bytes: some Collection<UInt8>) -> ContentHash {
        var hasher = ContentHasher()
        hasher.update(bytes)
        return hasher.finalized()
    }

    /// The digest of one block, an input of the content's hash.
    public static func blockDigest(_ block: UnsafeRawBufferPointer) -> ContentHash {
        var hasher = SHA256()
        hasher.update(block)
        return ContentHash(hasher)
    }

    /// The digest of one block of `size` bytes, read in parts of at most 256 KiB, so that it need
    /// not be in memory as a whole. `read` fills a part from an offset in the block.
    public static func blockDigest(
        size: Int,
        reading read: (_ offset: Int, _ part: UnsafeMutableRawBufferPointer) throws -> Void
    ) rethrows -> ContentHash {
        let partSize = 256 << 10
        var hasher = SHA256()
        try withUnsafeTemporaryAllocation(byteCount: min(size, partSize), alignment: 16) { buffer in
            for offset in stride(from: 0, to: size, by: max(1, partSize)) {
                let part = UnsafeMutableRawBufferPointer(
                    rebasing: buffer.prefix(clamping: size -| offset))
                try read(offset, part)
                hasher.update(UnsafeRawBufferPointer(part))
            }
        }
        return ContentHash(hasher)
    }

    private mutating func closeBlock() {
        outer.update(block.finalized())
        block = SHA256()
        bytesInBlock = 0
    }
}
