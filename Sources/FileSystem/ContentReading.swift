// What operations need of the read pipeline.

public import Core
public import RemoteStore

/// Bytes of revisions, from the cache or the network. `ContentReader` does it in a mount.
public protocol ContentReading: Sendable {
    /// Bytes that are here; nil if any must be fetched. May block on the local disk.
    func cachedBytes(of content: FileContent, range: Range<Int64>) -> [UInt8]?
    /// Bytes, fetched where they are not here. All of the range, or an error.
    func bytes(
        of content: FileContent, range: Range<Int64>, session: ReadSession
    ) async throws(RemoteError) -> [UInt8]
    /// A read was answered by `cachedBytes`: what follows may be wanted soon. Returns at once.
    func noteRead(of content: FileContent, range: Range<Int64>, session: ReadSession)
}

extension ContentReading {
    /// Expects nothing.
    public func noteRead(of content: FileContent, range: Range<Int64>, session: ReadSession) {}
}
