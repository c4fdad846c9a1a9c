// The interface of the disk cache to Sync.

package import Core
package import BlockCache
package import ContentHashing

extension DiskBlockCache: ContentCaching {
    /// Bytes of a content, verified; nil unless all of them are cached.
    package func cachedBytes(of hash: ContentHash, size: Int64, range: Range<Int64>) -> [UInt8]? {
        bytes(of: hash, size: size, range: range)
    }

    /// Takes over a file with this content.
    package func adopt(path: String, content: FileVersion) {
        adopt(path: path, hash: content.hash, size: content.size)
    }
}
