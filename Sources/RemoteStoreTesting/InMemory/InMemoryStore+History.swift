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

    /// The newest revisions of a file at any paths.
    package func revisions(of id: FileID) async throws(RemoteError) -> [RemoteFile] {
        state.withLock { state in
            var found: [RemoteFile] = []
            for case .file(let file) in state.tree.log.reversed().lazy.map(\.kind)
            where file.id == id && found.last?.revision != file.revision {
                found.append(file)
            }
            return Array(found.prefix(100))
        }
    }

    /// Stores an old revision's content again.
    package func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(RemoteError) -> RemoteEntry {
        let time = now()
        return try change { (tree) throws(RemoteError) in
            try tree.checkRights(toPutAt: path)
            return try tree.restore(path, to: revision, now: time)
        }
    }
}

extension InMemoryStore: RemoteUndo {
    /// All entries of a folder and deleted ones there, on one page.
    package func listWithDeleted(
        _ folder: RemotePath, recursive: Bool
    ) async throws(RemoteError) -> RemotePage {
        let cursor = try await latestCursor()
        return try state.withLock { (state) throws(RemoteError) in
            let gone = state.tree.gone(below: folder, recursive: recursive)
            var entries: [RemoteEntry] = []
            do throws(RemoteError) {
                entries = state.tree.entries(
                    in: try state.tree.folder(at: folder), recursive: recursive)
            } catch {
                guard error == .notFound, !gone.isEmpty else { throw error }
            }
            return RemotePage(entries: entries + gone, cursor: cursor, hasMore: false)
        }
    }
}

extension InMemoryTree {
    /// The revisions at a path, newest first, and whether the file is deleted.
    fileprivate func versions(of path: RemotePath) throws(RemoteError) -> RemoteRevisions {
        if let item = item(at: path), item.file == nil { throw .notAFile }
        let folded = foldedPath(of: path)
        var versions: [RemoteRevisions.Version] = []
        for entry in log.reversed() where entry.foldedPath == folded {
            if case .file(let file) = entry.kind, versions.last?.file.revision != file.revision {
                versions.append(.init(file: file))
            }
        }
        if versions.isEmpty { throw .notFound }
        return RemoteRevisions(versions: versions, isDeleted: item(at: path) == nil)
    }

    /// Commits the content of an old revision, replacing the current file. Missing parent folders
    /// are created.
    fileprivate mutating func restore(
        _ path: RemotePath, to revision: Revision, now: WallTime
    ) throws(RemoteError) -> RemoteEntry {
        guard let bytes = contents[revision] else { throw .notFound }
        var folder = RemotePath.root
        for component in path.components.dropLast() {
            folder = RemotePath(rawValue: folder.rawValue + "/" + component)
            if item(at: folder) == nil { _ = try makeFolder(at: folder) }
        }
        let current = item(at: path)?.file?.revision
        let commit = RemoteCommit(
            path: path, expectation: current.map { .revision($0) } ?? .absent(strict: true),
            clientModified: now, hash: nil)
        return try store(bytes, commit: commit, now: now)
    }

    /// The entries deleted or moved away below a folder, whose paths are free now.
    fileprivate func gone(below folder: RemotePath, recursive: Bool) -> [RemoteEntry] {
        let above = foldedPath(of: folder).components
        var gone: [RemotePath: RemoteEntry] = [:]
        for entry in log + goneTogether.values.joined() where entry.kind == .deleted {
            let path = entry.foldedPath.components
            guard path.count > above.count, path.starts(with: above),
                recursive || path.count == above.count + 1, item(at: entry.foldedPath) == nil
            else { continue }
            gone[entry.foldedPath] = entry
        }
        return gone.values.sorted { $0.foldedPath.rawValue < $1.foldedPath.rawValue }
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
