// What a deleted folder took with it: found among the deleted entries, and restored. For stores that keep no
// deleted files there is nothing to find.

public import Core
import DropboxAPI

extension RemoteStoring {
    /// For stores that do not tell.
    public func deletionCursor() async throws(RemoteError) -> Core.Cursor? { nil }

    /// For stores that cannot.
    public func restoreDeleted(
        _ path: RemotePath
    ) async throws(RemoteError) -> RemoteEntry? {
        nil
    }
}

extension DropboxStore {
    /// The position after everything that is there now, of a listing that has deleted entries. Of the whole
    /// mount: the cursor of a folder's listing ends with the folder.
    public func deletionCursor() async throws(RemoteError) -> Core.Cursor? {
        try await latestCursor(includesDeleted: true)
    }

    /// Brings back the last version of a deleted file; nil if there is a file, or never was one.
    public func restoreDeleted(
        _ path: RemotePath
    ) async throws(RemoteError) -> RemoteEntry? {
        let found: RemoteRevisions
        do throws(RemoteError) {
            found = try await revisions(of: path, limit: 1)
        } catch {
            // A folder's path has no versions.
            if error == .notFound || error == .notAFile { return nil }
            throw error
        }
        guard found.isDeleted, let last = found.versions.first else { return nil }
        return try await restore(path, to: last.file.revision)
    }
}
