// Deleting a folder with all its contents, of which none may be unknown to its user. Files that
// users deleted in it were deleted before, by revision (`UploadPlanner`). The search for what
// others stored in it at the last moment is in `FolderSearcher.swift`.

import Core
import Logging
import MetadataStore
import RemoteStore
import Staging
import Synchronization
import Tree

/// Deletes folders on the server.
struct FolderDeletion: Sendable {
    let account: SyncedAccount
    let searcher: FolderSearcher

    /// Deletes a folder whose contents users have deleted. The caller holds the commit gate.
    func delete(_ folder: RemoteReference, _ inode: InodeID) async throws(SyncError) {
        let remote = account.remote
        // From before the listing, so that its changes contain later nodes.
        let start = try await fromServer(await remote.deletionCursor())
        guard let permission = try await holdsNothingUnseen(folder, inode, since: start) else {
            return
        }
        let search = permission.search
        if let search { await searcher.replace(earlierThan: search) }
        // A power cut after the deletion must leave the search.
        let staging = account.staging
        if let search {
            do throws(SyncError) {
                try await account.local.run { try staging.flush() }
            } catch {
                await searcher.deletionRefused(search)
                throw error
            }
        }
        do throws(SyncError) {
            try await fromServer(await remote.delete(folder, revision: nil))
        } catch {
            if let search { await searcher.deletionFailed(error, before: search) }
            throw error
        }
        await account.recorder.record { recorder in
            try recorder.deleted(inode)
            if let search { try recorder.transaction.confirmDeletion(in: search) }
        }
        if var search {
            search.isConfirmed = true
            await searcher.begin(search)
        }
    }

    /// Lists a folder that is to be deleted, because another client may have stored files in it.
    /// These come into the tree, and the folder with them. The same transaction decides whether the
    /// folder may be deleted, and notes the search that follows the deletion. Returns nil if the
    /// folder stays. Throws `notFound` if another folder is at its path.
    private func holdsNothingUnseen(
        _ folder: RemoteReference, _ inode: InodeID, since start: Cursor?
    ) async throws(SyncError) -> DeletionPermission? {
        let path = folder.path
        let contents = try await contents(of: path, inode)
        let isListing = try await fromServer(
            await account.remote.isListing(contents, of: folder))
        guard isListing else { throw .remote(.notFound) }
        if contents.refusedCount > 0 {
            throw .remote(.forbidden("the folder holds names that cannot be shown here"))
        }
        let depth = path.components.count
        let inside = contents.entries.filter { $0.foldedPath.components.count > depth }
        let verdict = Verdict()
        let time = account.clock.date()
        try await account.recorder.record { recorder in
            try recorder.apply(inside)
            let transaction = recorder.transaction
            let decision = try transaction.verdict(on: inode, at: path, holding: inside)
            verdict.set(decision)
            guard case .mayGo(let place) = decision, let start else { return }
            let folders = inside.filter(\.isFolder).map(\.foldedPath.rawValue)
            verdict.set(
                try transaction.noteSearch(
                    of: folder.id, at: place.rawValue, holding: Set(folders), after: start,
                    sent: time))
        }.get()
        switch verdict.value {
        case .mayGo: return DeletionPermission(search: verdict.search)
        case .stays: return nil
        case .isFiledElsewhere:
            // Its contents were applied to another local folder, and would be deleted unseen. Its
            // own entry corrects that.
            await account.recorder.record { try $0.apply(contents.entries) }
            throw .remote(.server("the folder is not filed where it is believed to be"))
        }
    }

    /// All contents of a folder that is to be deleted. After repeated failures of the server it is
    /// listed folder by folder.
    private func contents(
        of path: RemotePath, _ inode: InodeID
    ) async throws(SyncError) -> RemoteContents {
        let account = account
        let entry = await account.local.attempt {
            try await account.store.read { try $0.journalEntry(of: inode) }
        }
        let failures = entry.flatMap { $0 }?.attempts ?? 0
        do throws(RemoteError) {
            if failures < ListingProgress.mostFailures {
                return try await account.remote.contents(of: path, recursive: true)
            }
            return try await account.remote.contentsFolderByFolder(
                of: path, atOnce: FolderWalk.foldersAtOnce)
        } catch {
            // Concerns this folder only: all other steps may be sent.
            throw error.isRefusalToList
                ? .remote(.server("the folder is not listed: \(error)")) : .remote(error)
        }
    }
}

/// The permission to delete a folder.
private struct DeletionPermission: Sendable {
    /// The search after the deletion; nil if the server does not report deletions.
    var search: FolderSearch?
}

/// Passes the verdict out of the transaction that decides it.
private final class Verdict: Sendable {
    private let state = Mutex<(verdict: FolderVerdict, search: FolderSearch?)>((.stays, nil))

    var value: FolderVerdict { state.withLock { $0.verdict } }
    var search: FolderSearch? { state.withLock { $0.search } }

    func set(_ verdict: FolderVerdict) {
        state.withLock { $0.verdict = verdict }
    }

    func set(_ search: FolderSearch) {
        state.withLock { $0.search = search }
    }
}
