// Listing everything folder by folder, for accounts that the server does not list in one go.

import Core
import Logging
import MetadataStore
import RemoteStore

extension RemoteWatcher {
    /// How often in a row the server may fail to list everything before its folders are listed.
    static let patience = 3
    /// Folders that are listed at once.
    static let foldersAtOnce = 8

    /// Runs a part of the listing of everything. A server that fails again and again is asked for one
    /// folder after the other instead.
    func walkingIfRefused(
        _ phase: Phase, _ body: () async throws(RemoteError) -> Void
    ) async throws(RemoteError) {
        do throws(RemoteError) {
            try await body()
        } catch {
            guard error.isRefusalToList else { throw error }
            listingFailures +|= 1
            guard listingFailures >= Self.patience else { throw error }
            listingFailures = 0
            try await startWalking(phase)
        }
    }

    /// From here on, changes are told by a cursor from before the first folder is listed: what moves from
    /// one side of the walk to the other is told after it.
    private func startWalking(_ phase: Phase) async throws(RemoteError) {
        let root = remoteRoot
        try await environment.gate.look { () async throws(RemoteError) in
            let cursor = try await environment.remote.latestCursor()
            try await write { transaction in
                try transaction.beginListing()
                try transaction.forgetListedFolders()
                try transaction.setSetting(Setting.root, to: root)
                try transaction.setSetting(Setting.cursor, to: cursor.rawValue)
                try transaction.setSetting(Setting.phase, to: phase.rawValue)
                try transaction.setSetting(Setting.walk, to: "folders")
                return DeltaOutcome()
            }
        }
        walkedTo = InodeID(0)
        environment.log.notice("the server does not list everything at once: listing each folder")
        heard()
    }

    /// Lists the next folders. After the last one, what has changed meanwhile completes the listing.
    func walk() async throws(RemoteError) {
        let start = walkedTo
        let folders = try await unlistedFolders(after: start)
        if let last = folders.last {
            try await list(folders)
            walkedTo = last.inode
        } else if start.rawValue > 0 {
            // Folders may have come to light behind the walk.
            walkedTo = InodeID(0)
        } else {
            try await write { transaction in
                try transaction.setSetting(Setting.walk, to: nil)
                return DeltaOutcome()
            }
        }
        heard()
    }

    private func unlistedFolders(
        after inode: InodeID
    ) async throws(RemoteError) -> [(inode: InodeID, path: RemotePath)] {
        do {
            return try await environment.store.read { snapshot in
                try snapshot.unlistedFolders(after: inode, limit: Self.foldersAtOnce).map {
                    ($0, RemotePath(rawValue: try snapshot.remotePath(of: $0) ?? ""))
                }
            }
        } catch {
            throw .local(cause: error)
        }
    }

    /// Lists folders at once. Those that were listed are done with even when others fail, so that a bad
    /// network asks for each folder's names only until it has had them once.
    private func list(
        _ folders: [(inode: InodeID, path: RemotePath)]
    ) async throws(RemoteError) {
        let environment = environment
        var context = environment.deltaContext()
        context.isListing = true
        let surroundings = context
        try await environment.gate.look { () async throws(RemoteError) in
            let answers = await environment.remote.contents(of: folders.map(\.path))
            var entries: [RemoteEntry] = []
            var listed: [(inode: InodeID, path: RemotePath)] = []
            var failure: RemoteError?
            for (folder, answer) in zip(folders, answers) {
                switch answer {
                case .success(let found):
                    entries.append(contentsOf: found.entries)
                    listed.append(folder)
                case .failure(let error):
                    failure = failure ?? error
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
    ) async throws(RemoteError) {
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
