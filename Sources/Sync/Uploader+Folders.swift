// Deleting a folder, which takes everything in it: nothing may go that its user has not seen in it. What
// users removed from it one by one has gone before, by its own revision (`UploadPlan`).

import Core
import Logging
import MetadataStore
import RemoteStore
import Synchronization

extension Uploader {
    /// Deletes a folder that holds nothing but what users deleted. In the commit's turn.
    func deleteFolder(_ folder: RemoteReference, _ inode: InodeID) async throws(RemoteError) {
        let remote = environment.remote
        // From before the listing, so that what the listing does not have is told.
        let start = try await remote.deletionCursor()
        guard let listed = try await holdsNothingUnseen(folder, inode) else { return }
        try await remote.delete(folder, revision: nil)
        await record { try $0.deleted(inode) }
        if let start { await restoreUnseen(in: listed, after: start) }
        await lookForRoom()
    }

    /// Lists a folder that is to be deleted. What this mount had not seen comes into the tree, and brings the
    /// folder back; whether it may go is asked in the same transaction. Returns nil if it is not to be deleted
    /// any more. Throws `notFound` if the folder is not there, but another one.
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
            // What it holds went into another folder here, and would be deleted unseen. Its own entry corrects it.
            await record { try $0.apply(contents.entries) }
            throw .server("the folder is not filed where it is believed to be")
        }
    }

    /// Restores what others have stored in a folder between its last listing and its deletion, under whichever
    /// name. Each file that went since the cursor is such a one: those that users deleted went before.
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
                // The same answer would come for ever.
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

    /// Everything in a folder that is to be deleted. A server that fails again and again to list it at once
    /// is asked for one folder after the other.
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
            // It concerns this folder only: everything else may be sent.
            throw error.isRefusalToList ? .server("the folder is not listed: \(error)") : error
        }
    }
}

/// Whether a folder may be deleted.
private enum FolderVerdict: Sendable {
    case mayGo(at: RemotePath)
    case stays, isFiledElsewhere
}

/// A folder as it was listed before its deletion, when it held no files.
private struct ListedFolder: Sendable {
    /// Its path of keys.
    var place: RemotePath
    /// Those in it, by their paths of keys.
    var folders: Set<RemotePath>

    /// The paths of the files in it that went, as changes tell in their order.
    func filesThatWent(by changes: [RemoteEntry]) -> [RemotePath] {
        var went: Set<RemotePath> = []
        // Told after their deletion, others have made them again.
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

    /// Whether changes tell of each folder in it, and so, it is to be believed, of each file.
    func isToldWhole(by changes: [RemoteEntry]) -> Bool {
        folders.isSubset(of: changes.map(\.foldedPath))
    }
}

/// Carries it out of the transaction that decides it.
private final class Verdict: Sendable {
    private let state = Mutex(FolderVerdict.stays)

    var value: FolderVerdict { state.withLock { $0 } }

    func set(_ verdict: FolderVerdict) {
        state.withLock { $0 = verdict }
    }
}

extension Transaction {
    /// After a folder's listing has been brought in: whether all that the server has in it was deleted here.
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
    /// A node that the server has below a deleted folder and that must not go with it: users have it elsewhere, or
    /// it is a file that is deleted by its own revision.
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
