// Deleting a folder with all its contents, of which none may be unknown to its user. Files that
// users deleted in it were deleted before, by revision (`UploadPlan`).

import Core
import Logging
import MetadataStore
import RemoteStore
import Synchronization

extension Uploader {
    /// Deletes a folder whose contents users have deleted. Holds the commit gate.
    func deleteFolder(_ folder: RemoteReference, _ inode: InodeID) async throws(RemoteError) {
        let remote = environment.remote
        // From before the listing, so that its changes contain later nodes.
        let start = try await remote.deletionCursor()
        guard let listed = try await holdsNothingUnseen(folder, inode) else { return }
        try await remote.delete(folder, revision: nil)
        await record { try $0.deleted(inode) }
        if let start { await restoreUnseen(in: listed, after: start) }
        await lookForRoom()
    }

    /// Lists a folder that is to be deleted. Unknown nodes come into the tree, and restore the
    /// folder; the same transaction decides whether it may be deleted. Returns nil if it is not to
    /// be deleted any more. Throws `notFound` if another folder is at its path.
    private func holdsNothingUnseen(
        _ folder: RemoteReference, _ inode: InodeID
    ) async throws(RemoteError) -> ListedFolder? {
        let path = folder.path
        let contents = try await contents(of: path, inode)
        guard try await environment.remote.isListing(contents, of: folder) else { throw .notFound }
        if contents.refusedCount > 0 {
            throw .forbidden("the folder holds names that cannot be shown here")
        }
        let depth = path.components.count
        let inside = contents.entries.filter { $0.foldedPath.components.count > depth }
        let verdict = Verdict()
        try await record { recorder in
            try recorder.apply(inside)
            verdict.set(try recorder.transaction.verdict(on: inode, at: path, holding: inside))
        }.get()
        switch verdict.value {
        case .mayGo(let place):
            let folders = inside.filter(\.isFolder).map(\.foldedPath)
            return ListedFolder(place: place, folders: Set(folders))
        case .stays: return nil
        case .isFiledElsewhere:
            // Its contents were applied to another local folder, and would be deleted unseen. Its
            // own entry corrects that.
            await record { try $0.apply(contents.entries) }
            throw .server("the folder is not filed where it is believed to be")
        }
    }

    /// Restores files that other clients have stored in a folder between its last listing and its
    /// deletion, under any name. Each file that was deleted since the cursor is one, because users'
    /// own deletions came before.
    ///
    /// A failed search is repeated beside the commits, and shown in `status` until it succeeds.
    private func restoreUnseen(in folder: ListedFolder, after start: Cursor) async {
        do throws(RemoteError) {
            try await search(folder, after: start)
        } catch {
            noteFailedSearch(of: folder, error)
            environment.state.update { _ = $0.unsearchedFolders.insert(folder.place.rawValue) }
            searches.append(Task { await searchAgain(folder, after: start) })
        }
    }

    private func searchAgain(_ folder: ListedFolder, after start: Cursor) async {
        let clock = environment.clock
        for attempt in 1... {
            let pause = UploadReaction.delay(after: attempt)
            guard (try? await clock.sleep(until: clock.now().adding(seconds: pause))) != nil,
                !Task.isCancelled
            else { return }
            do throws(RemoteError) {
                try await search(folder, after: start)
                environment.state.update { _ = $0.unsearchedFolders.remove(folder.place.rawValue) }
                return
            } catch {
                noteFailedSearch(of: folder, error)
                // A permanent error: a retry would fail alike.
                guard error.isTransient else { return }
            }
        }
    }

    private func noteFailedSearch(of folder: ListedFolder, _ error: RemoteError) {
        environment.log.error(
            "a deleted folder could not be searched for files of other clients",
            metadata: ["folder": "\(folder.place)", "error": "\(error)"])
    }

    private func search(
        _ folder: ListedFolder, after start: Cursor
    ) async throws(RemoteError) {
        let told = try await environment.remote.changes(after: start).entries
        var failure: RemoteError?
        for path in folder.filesThatWent(by: told) {
            do throws(RemoteError) {
                try await restore(path)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        guard folder.isToldWhole(by: told) else {
            throw .malformed("it tells the deletion of a folder, and not of what is in it")
        }
    }

    private func restore(_ path: RemotePath) async throws(RemoteError) {
        guard let entry = try await environment.remote.restoreDeleted(path) else { return }
        environment.log.warning(
            "a file that others stored in a folder while it was deleted is restored",
            metadata: ["path": "\(path)"])
        await record { try $0.apply([entry]) }
    }

    /// All contents of a folder that is to be deleted. After repeated failures of the server it is
    /// listed folder by folder.
    private func contents(
        of path: RemotePath, _ inode: InodeID
    ) async throws(RemoteError) -> RemoteContents {
        let environment = environment
        let entry = await attempt {
            try await environment.store.read { try $0.journalEntry(of: inode) }
        }
        let failures = entry.flatMap { $0 }?.attempts ?? 0
        do throws(RemoteError) {
            if failures < RemoteWatcher.patience {
                return try await environment.remote.contents(of: path, recursive: true)
            }
            return try await environment.remote.contentsFolderByFolder(
                of: path, atOnce: RemoteWatcher.foldersAtOnce)
        } catch {
            // Concerns this folder only: all other steps may be sent.
            throw error.isRefusalToList ? .server("the folder is not listed: \(error)") : error
        }
    }
}

/// Whether a folder may be deleted.
private enum FolderVerdict: Sendable {
    case mayGo(at: RemotePath)
    case stays, isFiledElsewhere
}

/// A folder as listed before its deletion, when it held no files.
private struct ListedFolder: Sendable {
    /// Its path of keys.
    var place: RemotePath
    /// The folders in it, by their paths of keys.
    var folders: Set<RemotePath>

    /// The paths of the deleted files in it, from changes in their order.
    func filesThatWent(by changes: [RemoteEntry]) -> [RemotePath] {
        var went: Set<RemotePath> = []
        // A file after its own deletion was created again by another client.
        var there: Set<RemotePath> = []
        for entry in changes {
            let path = entry.foldedPath
            switch entry.kind {
            case .folder: break
            case .file:
                if path.isWithin(place) { there.insert(path) }
            case .deleted:
                let taken = there.filter { $0.isWithin(path) }
                there.subtract(taken)
                went.formUnion(taken)
                if path.isWithin(place), path != place, !folders.contains(path) {
                    went.insert(path)
                }
            }
        }
        return went.subtracting(there).sorted { $0.rawValue < $1.rawValue }
    }

    /// Whether changes contain each folder in it, and so presumably each file.
    func isToldWhole(by changes: [RemoteEntry]) -> Bool {
        folders.isSubset(of: changes.map(\.foldedPath))
    }
}

/// Passes the verdict out of the transaction that decides it.
private final class Verdict: Sendable {
    private let state = Mutex(FolderVerdict.stays)

    var value: FolderVerdict { state.withLock { $0 } }

    func set(_ verdict: FolderVerdict) {
        state.withLock { $0 = verdict }
    }
}

extension Transaction {
    /// Decides, after a folder's listing was applied, whether users have deleted all its remote
    /// contents.
    fileprivate func verdict(
        on folder: InodeID, at path: RemotePath, holding inside: [RemoteEntry]
    ) throws -> FolderVerdict {
        guard try node(folder)?.isTombstone == true, try remotePath(of: folder) == path.rawValue,
            try obstacle(toDeleting: folder) == nil, let keys = try remoteKeyPath(of: folder)
        else { return .stays }
        let place = RemotePath(rawValue: keys)
        let isRight = inside.allSatisfy { $0.foldedPath.isWithin(place) }
        return isRight ? .mayGo(at: place) : .isFiledElsewhere
    }
}

extension TreeReading {
    /// A node that the server has below a deleted folder and that must not be deleted with it: it
    /// has another local place, or is a file to be deleted by its own revision.
    func obstacle(toDeleting folder: InodeID) throws -> InodeID? {
        for child in try remoteChildren(of: folder) {
            if child.place != nil { return child.inode }
            if child.kind == .folder {
                if let below = try obstacle(toDeleting: child.inode) { return below }
            } else if child.facts.revision != nil {
                return child.inode
            }
        }
        return nil
    }
}
