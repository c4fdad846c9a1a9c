// The interface of the content cache to Sync.

package import Core
package import ContentHashing

/// A cache of content, keyed by content hash. Any entry may be evicted at any time.
package protocol ContentCaching: Sendable {
    /// Bytes of a content, if they are all cached. May block on the local disk.
    func cachedBytes(of hash: ContentHash, size: Int64, range: Range<Int64>) -> [UInt8]?
    /// Takes over a file with exactly this content; the file may be moved away. May block on the
    /// local disk.
    func adopt(path: String, content: FileVersion)
    /// Takes over a file that has any of several contents of its size, in bytes; it may be moved
    /// away. Ends early, and leaves it, once it is cancelled. May block on the local disk.
    func adopt(path: String, size: Int64, anyOf: Set<ContentHash>, isCancelled: () -> Bool)
    /// Keeps a content from eviction, or no longer; also one that is not cached yet.
    func pin(_ hash: ContentHash, _ isPinned: Bool)
}

/// A cache that is always empty, for tests.
package struct NoContentCache: ContentCaching {
    /// Creates an empty cache.
    package init() {}

    /// Always misses the cache.
    package func cachedBytes(of hash: ContentHash, size: Int64, range: Range<Int64>) -> [UInt8]? {
        nil
    }

    /// Leaves the file in place.
    package func adopt(path: String, content: FileVersion) {}

    /// Leaves the file in place.
    package func adopt(
        path: String, size: Int64, anyOf: Set<ContentHash>, isCancelled: () -> Bool
    ) {}

    /// Has nothing to keep.
    package func pin(_ hash: ContentHash, _ isPinned: Bool) {}
}
