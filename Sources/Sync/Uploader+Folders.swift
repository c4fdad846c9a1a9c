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
        guard let listed = try await holdsNothingUnseen(folder, inode) else { return }
        let remote = environment.remote
        let before = try await remote.deletedFiles(below: folder.path)
        try await remote.delete(folder, revision: nil)
        await record { try $0.deleted(inode) }
        if let before { await restoreUnseen(below: folder.path, known: before.union(listed)) }
        await lookForRoom()
    }

    /// Lists a folder that is to be deleted. What this mount had not seen comes into the tree, and brings the
    /// folder back; whether it may go is asked in the same transaction. Returns the paths of what it holds, or
    /// nil if it is not to be deleted any more. Throws `notFound` if the folder is not there, but another one.
    private func holdsNothingUnseen(
        _ folder: RemoteReference, _ inode: InodeID
    ) async throws(RemoteError) -> Set<RemotePath>? {
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
        case .mayGo: return Set(inside.map(\.foldedPath))
        case .stays: return nil
        case .isFiledElsewhere:
            // What it holds went into another folder here, and would be deleted unseen. Its own entry corrects it.
            await record { try $0.apply(contents.entries) }
            throw .server("the folder is not filed where it is believed to be")
        }
    }

    /// Finds what others have stored in a folder between its last listing and its deletion, and restores it.
    private func restoreUnseen(below folder: RemotePath, known: Set<RemotePath>) async {
        let remote = environment.remote
        do throws(RemoteError) {
            guard let after = try await remote.deletedFiles(below: folder) else { return }
            for path in after.subtracting(known).sorted(by: { $0.rawValue < $1.rawValue }) {
                guard let entry = try await remote.restoreDeleted(path) else { continue }
                environment.log.warning(
                    "a file that others stored in a folder while it was deleted is restored",
                    metadata: ["path": "\(path)"])
                await record { try $0.apply([entry]) }
            }
        } catch {
            environment.log.error(
                "what others may have stored in a deleted folder could not be looked for",
                metadata: ["folder": "\(folder)", "error": "\(error)"])
            environment.state.update {
                $0.lastProblem =
                    "\(folder) was deleted, and what others stored in it meanwhile may have gone with it: "
                    + "Dropbox keeps it among its deleted files"
            }
        }
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
    case mayGo, stays, isFiledElsewhere
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
        let isRight = inside.allSatisfy { $0.foldedPath.isWithin(RemotePath(rawValue: keys)) }
        return isRight ? .mayGo : .isFiledElsewhere
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
