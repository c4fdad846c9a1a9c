// Shared links to a file or folder. A separate protocol: only commands need it, not the filesystem.

/// A cloud with shared links.
public protocol RemoteSharing: Sendable {
    /// The shared link of the entry at a path: the existing one, else a new one, which is public
    /// unless the account's rules say otherwise. Throws `notFound` when nothing is there.
    func link(to path: RemotePath) async throws(RemoteError) -> RemoteLink
}

/// A shared link to an entry.
public struct RemoteLink: Hashable, Sendable {
    /// The URL of the link.
    public var url: String
    /// Whether this call has created the link.
    public var isNew: Bool

    /// Takes over both fields.
    public init(url: String, isNew: Bool) {
        self.url = url
        self.isNew = isNew
    }
}
