// One version of a file's content, as every layer that reads or keeps bytes names it.

public import ContentHashing

/// One version of a file's content.
public struct FileContent: Hashable, Sendable {
    /// The version's name on the server.
    public var revision: Revision
    /// The content's hash.
    public var hash: ContentHash
    /// Size in bytes.
    public var size: Int64

    /// Names all three.
    public init(revision: Revision, hash: ContentHash, size: Int64) {
        self.revision = revision
        self.hash = hash
        self.size = size
    }
}
