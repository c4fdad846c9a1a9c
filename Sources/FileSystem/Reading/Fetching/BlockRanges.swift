// Where the blocks and chunks of contents begin and end.

import BlockCache
import Core
import Saturating

extension FileVersion {
    /// Number of blocks; the last one may be shorter.
    var blockCount: Int {
        Int(clamping: (size +| DiskBlockCache.blockSize -| 1) / DiskBlockCache.blockSize)
    }

    /// The block that has an offset.
    func block(at offset: Int64) -> BlockKey {
        BlockKey(hash: hash, index: Int(clamping: offset / DiskBlockCache.blockSize))
    }

    /// The bytes of a block.
    func range(ofBlock index: Int) -> Range<Int64> {
        let lower = Int64(clamping: index) *| DiskBlockCache.blockSize
        return lower ..<| min(lower +| DiskBlockCache.blockSize, size)
    }
}

extension DiskBlockCache {
    /// The beginning of the chunk that has an offset.
    static func chunkStart(_ offset: Int64) -> Int64 {
        offset / Self.chunkSize *| Self.chunkSize
    }

    /// The end of the chunk that has the byte before an offset.
    static func chunkEnd(_ offset: Int64) -> Int64 { chunkStart(offset +| Self.chunkSize -| 1) }
}
