// What a deleted folder took with it: found among the deleted entries, and restored. For stores that keep no
// deleted files there is nothing to find.

import Core
import DropboxAPI

extension RemoteStoring {
    /// For stores that do not tell.
    public func deletedFiles(
        below folder: RemotePath
    ) async throws(RemoteError) -> Set<RemotePath>? {
        nil
    }

    /// For stores that cannot.
    public func restoreDeleted(
        _ path: RemotePath
    ) async throws(RemoteError) -> RemoteEntry? {
        nil
    }
}

extension DropboxStore {
    /// The folded paths of everything that was deleted below a folder, and is not there again. A service that
    /// does not list a folder that is deleted itself tells nothing, which is nil.
    public func deletedFiles(
        below folder: RemotePath
    ) async throws(RemoteError) -> Set<RemotePath>? {
        do throws(RemoteError) {
            let first = try await listDeleted(below: folder)
            var paths = Set(first.entries.compactMap { $0.metadata.flatMap { deletedPath($0) } })
            var (cursor, hasMore) = (Cursor(first.cursor), first.hasMore)
            while hasMore {
                let page = try await list(after: cursor)
                paths.formUnion(page.deletedPaths)
                (cursor, hasMore) = (page.cursor, page.hasMore)
            }
            return paths
        } catch {
            if error == .notFound { return nil }
            throw error
        }
    }

    private func listDeleted(
        below folder: RemotePath
    ) async throws(RemoteError) -> TolerantListing {
        let argument = Files.ListFolderArg(
            path: serverPath(folder), recursive: true, includeDeleted: true)
        do {
            return try await client.call(
                TolerantListing.listFolder, argument, options: .interactive)
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
    }

    private func deletedPath(_ metadata: Files.Metadata) -> RemotePath? {
        guard case .entry(let entry) = reader.read(metadata), case .deleted = entry.kind else {
            return nil
        }
        return entry.foldedPath
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

extension RemotePage {
    fileprivate var deletedPaths: [RemotePath] {
        entries.compactMap { if case .deleted = $0.kind { $0.foldedPath } else { nil } }
    }
}
