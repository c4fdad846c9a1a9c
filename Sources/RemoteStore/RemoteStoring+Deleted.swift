// Finds and restores the files deleted together with a folder. Stores without deleted files find
// nothing.

public import Core
import DropboxAPI

extension RemoteStoring {
    /// For stores that do not list deletions.
    public func deletionCursor() async throws(RemoteError) -> Core.Cursor? { nil }

    /// For stores that cannot restore files.
    public func restoreDeleted(
        _ path: RemotePath
    ) async throws(RemoteError) -> RemoteEntry? {
        nil
    }
}

extension DropboxStore {
    /// A cursor after the current state, for a listing with deleted entries. It covers the whole
    /// mount: the cursor of a folder's listing ends with the folder.
    public func deletionCursor() async throws(RemoteError) -> Core.Cursor? {
        try await latestCursor(includesDeleted: true)
    }

    /// Restores the last revision of a deleted file; nil if a file exists there, or never did.
    public func restoreDeleted(
        _ path: RemotePath
    ) async throws(RemoteError) -> RemoteEntry? {
        let found: RemoteRevisions
        do throws(RemoteError) {
            found = try await revisions(of: path, limit: 1)
        } catch {
            // A folder's path has no revisions.
            if error == .notFound || error == .notAFile { return nil }
            throw error
        }
        guard found.isDeleted, let last = found.versions.first else { return nil }
        return try await restore(path, to: last.file.revision)
    }
}
