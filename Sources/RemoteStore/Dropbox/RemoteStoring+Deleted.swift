// Finds and restores the files deleted together with a folder. Stores without deleted files find
// nothing.

package import Core
import DropboxAPI

extension RemoteStoring {
    /// For stores that keep no old revisions.
    package func revisions(of id: FileID) async throws(RemoteError) -> [RemoteFile] { [] }

    /// For stores that do not list deletions.
    package func deletionCursor() async throws(RemoteError) -> Core.Cursor? { nil }

    /// For stores that do not keep deleted files.
    package func deletedFile(
        at path: RemotePath
    ) async throws(RemoteError) -> RemoteRevisions? {
        nil
    }

    /// For stores that do not keep deleted files.
    package func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(RemoteError) -> RemoteEntry {
        throw .notFound
    }
}

extension DropboxStore {
    /// A cursor after the current state, for a listing with deleted entries. It covers the whole
    /// mount: the cursor of a folder's listing ends with the folder.
    package func deletionCursor() async throws(RemoteError) -> Core.Cursor? {
        try await latestCursor(includesDeleted: true)
    }

    /// The last revision of a deleted file.
    package func deletedFile(
        at path: RemotePath
    ) async throws(RemoteError) -> RemoteRevisions? {
        do throws(RemoteError) {
            let found = try await revisions(of: path, limit: 1)
            return found.isDeleted ? found : nil
        } catch {
            // A folder's path has no revisions.
            if error == .notFound || error == .notAFile { return nil }
            throw error
        }
    }
}
