// Shared links to a file or folder. A separate protocol: only commands need it, not the filesystem.

/// A cloud with shared links.
package protocol RemoteSharing: Sendable {
    /// The shared link of the entry at a path: the existing one, else a new one, which is public
    /// unless the account's rules say otherwise. Throws `notFound` when nothing is there.
    func link(to path: RemotePath) async throws(RemoteError) -> RemoteLink
}

/// A shared link to an entry.
package struct RemoteLink: Hashable, Sendable {
    /// The URL of the link.
    package var url: String
    /// Whether this call has created the link.
    package var isNew: Bool

    /// Takes over both fields.
    package init(url: String, isNew: Bool) {
        self.url = url
        self.isNew = isNew
    }
}
