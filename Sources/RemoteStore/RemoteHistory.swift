// The versions of files that a cloud keeps. A protocol of its own: only commands need it, never a
// filesystem's work.

public import Core

/// A cloud that keeps old versions.
public protocol RemoteHistory: Sendable {
    /// The newest versions of whatever file was at a path, newest first; of a deleted file, too. Throws
    /// `notFound` when there never was one, and `notAFile` for a folder.
    func revisions(of path: RemotePath, limit: Int) async throws(RemoteError) -> RemoteRevisions
    /// Makes an old version the current one at a path, whatever is there now: that becomes an old version
    /// itself. Throws `notFound` when there is no such version.
    func restore(_ path: RemotePath, to revision: Revision) async throws(RemoteError)
        -> RemoteEntry
}

/// Versions of a file.
public struct RemoteRevisions: Hashable, Sendable {
    /// One of them.
    public struct Version: Hashable, Sendable {
        /// What the server says of it.
        public var file: RemoteFile
        /// The account that made it, in a shared folder; nil elsewhere.
        public var author: String?

        /// Names both.
        public init(file: RemoteFile, author: String? = nil) {
            self.file = file
            self.author = author
        }
    }

    /// Newest first.
    public var versions: [Version]
    /// Whether no file is there any more.
    public var isDeleted: Bool
    /// When it was deleted, if the server says so.
    public var deleted: Timestamp?

    /// Names all three.
    public init(versions: [Version], isDeleted: Bool, deleted: Timestamp? = nil) {
        self.versions = versions
        self.isDeleted = isDeleted
        self.deleted = deleted
    }
}
