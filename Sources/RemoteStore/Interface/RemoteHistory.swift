// The old revisions of files that a cloud keeps. A separate protocol: only commands need it, not
// the filesystem.

package import Core

/// A cloud that keeps old revisions.
package protocol RemoteHistory: Sendable {
    /// The newest revisions of any file at a path, newest first; also of a deleted file. Throws
    /// `notFound` when there never was one, and `notAFile` for a folder.
    func revisions(of path: RemotePath, limit: Int) async throws(RemoteError) -> RemoteRevisions
    /// Restores an old revision at a path; a file there becomes an old revision itself. Throws
    /// `notFound` when there is no such revision.
    func restore(_ path: RemotePath, to revision: Revision) async throws(RemoteError)
        -> RemoteEntry
}

/// The revisions of a file.
package struct RemoteRevisions: Hashable, Sendable {
    /// One revision with its author.
    package struct Version: Hashable, Sendable {
        /// The metadata of the revision.
        package var file: RemoteFile
        /// The account that made it, in a shared folder; nil elsewhere.
        package var author: String?

        /// Takes over both fields.
        package init(file: RemoteFile, author: String? = nil) {
            self.file = file
            self.author = author
        }
    }

    /// The revisions, newest first.
    package var versions: [Version]
    /// Whether the file is deleted.
    package var isDeleted: Bool
    /// When it was deleted, if the server reports it.
    package var deleted: WallTime?

    /// Takes over all fields.
    package init(versions: [Version], isDeleted: Bool, deleted: WallTime? = nil) {
        self.versions = versions
        self.isDeleted = isDeleted
        self.deleted = deleted
    }
}
