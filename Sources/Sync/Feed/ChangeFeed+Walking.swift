// Listing folder by folder, for accounts whose full listing the server refuses.

import Core
import Logging
import MetadataStore
import RemoteStore
import Saturating
import Tree

extension ChangeFeed {
    /// Consecutive failures of the full listing before folders are listed one by one.
    static let patience = 3
    /// Folders that are listed at once.
    static let foldersAtOnce = 8

    /// Runs a part of the full listing. After repeated failures of the server, switches to listing
    /// folder by folder.
    func walkingIfRefused(
        _ phase: Phase, _ body: () async throws(SyncError) -> Void
    ) async throws(SyncError) {
        do throws(SyncError) {
            try await body()
        } catch {
            guard case .remote(let refusal) = error, refusal.isRefusalToList else { throw error }
            listingFailures +|= 1
            guard listingFailures >= Self.patience else { throw error }
            listingFailures = 0
            try await startWalking(phase)
        }
    }

    /// Begins with a cursor from before the first folder is listed: its deltas contain moves
    /// between listed and unlisted parts.
    private func startWalking(_ phase: Phase) async throws(SyncError) {
        let root = remoteRoot
        try await environment.gate.read { () async throws(SyncError) in
            let cursor = try await fromServer(await environment.remote.latestCursor())
            try await write { transaction in
                try transaction.beginListing()
                try transaction.forgetListedFolders()
                try transaction.setSetting(StoredSetting.feedRoot, to: root)
                try transaction.setSetting(StoredSetting.feedCursor, to: cursor.rawValue)
                try transaction.setSetting(StoredSetting.feedPhase, to: phase.rawValue)
                try transaction.setSetting(StoredSetting.feedWalk, to: "folders")
                return DeltaOutcome()
            }
        }
        walkedTo = InodeID(0)
        environment.log.notice("the server does not list everything at once: listing each folder")
        heard(catchesUp: phase.lacksTree)
    }

    /// Lists the next folders. After the last one, the deltas since the cursor complete the
    /// listing.
    func walk(_ phase: Phase) async throws(SyncError) {
        let start = walkedTo
        let folders = try await unlistedFolders(after: start)
        if let last = folders.last {
            try await list(folders)
            walkedTo = last.inode
        } else if start.rawValue > 0 {
            // Folders behind the present one may have been added.
            walkedTo = InodeID(0)
        } else {
            try await write { transaction in
                try transaction.setSetting(StoredSetting.feedWalk, to: nil)
                return DeltaOutcome()
            }
        }
        heard(catchesUp: phase.lacksTree)
    }

    private func unlistedFolders(
        after inode: InodeID
    ) async throws(SyncError) -> [(inode: InodeID, path: RemotePath)] {
        try await fromStore {
            try await environment.store.read { snapshot in
                try snapshot.unlistedFolders(after: inode, limit: Self.foldersAtOnce).map {
                    ($0, RemotePath(rawValue: try snapshot.remotePath(of: $0) ?? ""))
                }
            }
        }
    }

    /// Lists several folders at once. Successful ones are marked as listed even if others fail, so
    /// that a bad network does not repeat them.
    private func list(
        _ folders: [(inode: InodeID, path: RemotePath)]
    ) async throws(SyncError) {
        let environment = environment
        var context = environment.deltaContext()
        context.isListing = true
        let surroundings = context
        try await environment.gate.read { () async throws(SyncError) in
            let answers = await environment.remote.contents(of: folders.map(\.path))
            var entries: [RemoteEntry] = []
            var listed: [(inode: InodeID, path: RemotePath)] = []
            var failure: SyncError?
            for (folder, answer) in zip(folders, answers) {
                switch answer {
                case .success(let found):
                    entries.append(contentsOf: found.entries)
                    listed.append(folder)
                case .failure(let error):
                    failure = failure ?? .remote(error)
                }
            }
            if !listed.isEmpty {
                try await apply(entries, of: listed, surroundings)
            }
            if let failure { throw failure }
        }
    }

    private func apply(
        _ entries: [RemoteEntry], of folders: [(inode: InodeID, path: RemotePath)],
        _ context: DeltaContext
    ) async throws(SyncError) {
        await environment.hashUnsent(like: entries)
        try await bringIn(context) { transaction, context in
            var applier = try DeltaApplier(transaction: transaction, context: context)
            try applier.apply(entries)
            for folder in folders {
                try transaction.markListed(folder.inode, at: folder.path)
            }
            return applier.outcome
        }
    }
}
