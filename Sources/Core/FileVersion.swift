// One revision of a file's content, the key for every layer that reads or stores bytes.

public import ContentHashing

/// One revision of a file's content.
public struct FileVersion: Hashable, Sendable {
    /// The revision on the server.
    public var revision: Revision
    /// The content's Dropbox hash.
    public var hash: ContentHash
    /// The content's size in bytes.
    public var size: Int64

    /// Takes over all fields.
    public init(revision: Revision, hash: ContentHash, size: Int64) {
        self.revision = revision
        self.hash = hash
        self.size = size
    }
}
