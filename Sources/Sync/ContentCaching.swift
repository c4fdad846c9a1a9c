// What Sync needs of the cache of content on disk.

public import Core
public import ContentHashing

/// A cache of content, keyed by content. It may have nothing at any time.
public protocol ContentCaching: Sendable {
    /// Bytes of a content, if they are all here. May block on the local disk.
    func cachedBytes(of hash: ContentHash, size: Int64, range: Range<Int64>) -> [UInt8]?
    /// Takes over a file with exactly this content; the file may be moved away. May block on the local
    /// disk.
    func adopt(path: String, content: FileContent)
}

/// A cache that never has anything.
public struct NoContentCache: ContentCaching {
    /// Makes one.
    public init() {}

    /// Nothing.
    public func cachedBytes(of hash: ContentHash, size: Int64, range: Range<Int64>) -> [UInt8]? {
        nil
    }

    /// Leaves the file.
    public func adopt(path: String, content: FileContent) {}
}
