// Links that lead others to a file or folder. A protocol of its own: only commands need it, never a
// filesystem's work.

/// A cloud that hands out links.
public protocol RemoteSharing: Sendable {
    /// The link to what is at a path: the one that there is, else a new one, which everybody can use unless
    /// the account's own rules say otherwise. Throws `notFound` when nothing is there.
    func link(to path: RemotePath) async throws(RemoteError) -> RemoteLink
}

/// A link.
public struct RemoteLink: Hashable, Sendable {
    /// Its address.
    public var url: String
    /// Whether it was made just now.
    public var isNew: Bool

    /// Names both.
    public init(url: String, isNew: Bool) {
        self.url = url
        self.isNew = isNew
    }
}
