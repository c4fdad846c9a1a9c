// Old revisions, kept forever.

package import Core
package import RemoteStore
import Synchronization

extension InMemoryStore: RemoteHistory {
    /// The revisions of all files at a path.
    package func revisions(
        of path: RemotePath, limit: Int
    ) async throws(RemoteError) -> RemoteRevisions {
        var found = try state.withLock { (state) throws(RemoteError) in
            try state.tree.versions(of: path)
        }
        found.versions = Array(found.versions.prefix(limit))
        return found
    }

    /// Stores an old revision's content again.
    package func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(RemoteError) -> RemoteEntry {
        let time = now()
        return try change { (tree) throws(RemoteError) in
            try tree.restore(path, to: revision, now: time)
        }
    }
}

extension InMemoryStore {
    /// A cursor after the current state, with deletions.
    package func deletionCursor() async throws(RemoteError) -> Cursor? {
        state.withLock { state in
            var listing = InMemoryListing(
                epoch: state.epoch, folder: .root, isRecursive: true, change: state.tree.log.count,
                tellsEachDeletion: true)
            listing.last = nil
            return listing.cursor
        }
    }

    /// The last revision of a deleted file.
    package func deletedFile(
        at path: RemotePath
    ) async throws(RemoteError) -> RemoteRevisions? {
        guard let found = try? await revisions(of: path, limit: 1), found.isDeleted else {
            return nil
        }
        return found
    }
}
