// The cache on disk as Sync sees it.

public import Core
public import BlockCache
public import ContentHashing

extension DiskBlockCache: ContentCaching {
    /// Bytes of a content, checked; nil unless all of them are here.
    public func cachedBytes(of hash: ContentHash, size: Int64, range: Range<Int64>) -> [UInt8]? {
        bytes(of: hash, size: size, range: range)
    }

    /// Takes over a file with this content.
    public func adopt(path: String, content: FileContent) {
        adopt(path: path, hash: content.hash, size: content.size)
    }
}
