// The errors of commands about earlier contents of files.

package import RemoteStore

/// Why revisions cannot be listed or restored.
package enum HistoryError: Error, Hashable, Sendable {
    /// The file, or a folder above it, has unsent changes.
    case unsentChanges
    /// The path is a folder's.
    case isFolder
    /// The file is local-only.
    case localOnly
    /// The server never had a file at the path.
    case unknown
    /// The file is not deleted, so the revision must be named.
    case notDeleted
    /// The file has no such revision.
    case noSuchVersion
    /// The server refused the request.
    case remote(RemoteError)
    /// The local database failed.
    case store(String)
}
