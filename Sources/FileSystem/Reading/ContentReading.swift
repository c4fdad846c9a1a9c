// The interface of the read pipeline to the operations.

package import Core
package import RemoteStore

/// Reads bytes of revisions from the cache or the network. `ContentReader` implements it in a
/// mount.
package protocol ContentReading: Sendable {
    /// Bytes from memory or the block cache; nil if any must be fetched. May block on the local
    /// disk.
    func cachedBytes(of content: FileVersion, range: Range<Int64>) -> [UInt8]?
    /// Whether all bytes of a content are in the block cache. May block on the local disk.
    func isCached(_ content: FileVersion) -> Bool
    /// Bytes, fetched if they are not cached. All of the range, or an error.
    func bytes(
        of content: FileVersion, range: Range<Int64>, session: ReadSession
    ) async throws(RemoteError) -> [UInt8]
    /// Notes that a read was served by `cachedBytes`, so that read-ahead can continue. Returns at
    /// once.
    func noteRead(of content: FileVersion, range: Range<Int64>, session: ReadSession)
}

extension ContentReading {
    /// Starts no read-ahead by default.
    package func noteRead(of content: FileVersion, range: Range<Int64>, session: ReadSession) {}
}
