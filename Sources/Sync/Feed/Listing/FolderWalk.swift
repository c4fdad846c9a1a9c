// A listing folder by folder: requests several folders at once and applies their contents. Not
// responsible for when: `ChangeFeed` goes on with it step by step.

import Core
import Logging
import MetadataStore
import RemoteStore
import Tree

/// The folders of an account, and which of them were listed.
struct FolderWalk: Sendable {
    /// Folders that are listed at once.
    static let foldersAtOnce = 8

    let account: SyncedAccount
    let writer: FeedWriter
    let untoldNodes: UntoldNodes

    /// Begins with a cursor from before the first folder is listed: its deltas contain moves
    /// between listed and unlisted parts.
    func begin(_ phase: ChangeFeed.Phase) async throws(SyncError) {
        let root = account.remote.root
        try await account.gate.read { () async throws(SyncError) in
            let cursor = try await fromServer(await account.remote.latestCursor())
            let now = account.clock.now()
            account.state.update { $0.beginListing(at: now) }
            try await writer.write { transaction in
                try transaction.beginListing()
                try transaction.forgetListedFolders()
                try transaction.setSetting(StoredSetting.feedRoot, to: root)
                try transaction.setSetting(StoredSetting.feedCursor, to: cursor.rawValue)
                try transaction.setSetting(StoredSetting.feedPhase, to: phase.rawValue)
                try transaction.setSetting(StoredSetting.feedWalk, to: "folders")
                return DeltaOutcome()
            }
        }
    }

    /// Ends the listing: all folders are listed.
    func end() async throws(SyncError) {
        try await writer.write { transaction in
            try transaction.setSetting(StoredSetting.feedWalk, to: nil)
            return DeltaOutcome()
        }
    }

    /// The next folders that are not listed yet, in the order of their inodes.
    func unlistedFolders(
        after inode: InodeID
    ) async throws(SyncError) -> [(inode: InodeID, path: RemotePath)] {
        try await fromStore {
            try await account.store.read { snapshot in
                try snapshot.unlistedFolders(after: inode, limit: Self.foldersAtOnce).map {
                    ($0, RemotePath(rawValue: try snapshot.remotePath(of: $0) ?? ""))
                }
            }
        }
    }

    /// Lists several folders at once. Successful ones are marked as listed even if others fail, so
    /// that a bad network does not repeat them.
    func list(
        _ folders: [(inode: InodeID, path: RemotePath)]
    ) async throws(SyncError) {
        var context = account.deltaContext()
        context.isListing = true
        let listing = context
        try await account.gate.read { () async throws(SyncError) in
            let answers = await account.remote.contents(of: folders.map(\.path))
            let mayList = await mayListOthers(answers)
            var entries: [RemoteEntry] = []
            var listed: [(inode: InodeID, path: RemotePath)] = []
            var closed: [InodeID] = []
            var failure: SyncError?
            for (folder, answer) in zip(folders, answers) {
                switch answer {
                case .success(let found):
                    entries.append(contentsOf: found.entries)
                    listed.append(folder)
                case .failure(.forbidden(let reason)) where mayList && folder.inode != .root:
                    account.log.warning(
                        "a folder may not be listed: its known contents stay",
                        metadata: ["folder": "\(folder.path)", "reason": "\(reason)"])
                    listed.append(folder)
                    closed.append(folder.inode)
                case .failure(let error):
                    failure = failure ?? .remote(error)
                }
            }
            if !listed.isEmpty {
                try await apply(entries, of: listed, keeping: closed, listing)
            }
            if let failure { throw failure }
        }
    }

    /// Whether a refusal concerns its folder, and not the account: then the server lists another.
    private func mayListOthers(_ answers: [RemoteOutcome<RemoteContents>]) async -> Bool {
        var isRefused = false
        for answer in answers {
            switch answer {
            case .success: return true
            case .failure(.forbidden): isRefused = true
            case .failure: break
            }
        }
        guard isRefused else { return false }
        return (try? await account.remote.list(.root, recursive: false)) != nil
    }

    private func apply(
        _ entries: [RemoteEntry], of folders: [(inode: InodeID, path: RemotePath)],
        keeping closed: [InodeID], _ context: DeltaContext
    ) async throws(SyncError) {
        try await account.checkReserve(entries)
        let part = ListingPart(account: account, writer: writer, untoldNodes: untoldNodes)
        try await part.apply(entries, context) { transaction, context, entries in
            var applier = try DeltaApplier(transaction: transaction, context: context)
            try applier.apply(entries)
            try applier.requireLocations()
            for folder in closed { try transaction.keepContents(of: folder) }
            for folder in folders {
                try transaction.markListed(folder.inode, at: folder.path)
            }
            return applier.outcome
        }
    }
}

extension Transaction {
    /// Counts all known contents of a folder as seen by the running listing, and as listed.
    fileprivate func keepContents(of folder: InodeID) throws {
        let number = try listingNumber()
        var waiting = [folder]
        // A damaged row can name a folder that contains itself.
        var seen: Set<InodeID> = []
        while let folder = waiting.popLast() {
            guard seen.insert(folder).inserted else { continue }
            for child in try remoteChildren(of: folder) {
                try markSeen(child.inode, by: number)
                guard child.kind == .folder else { continue }
                try setFlags(.listed, true, of: child.inode)
                waiting.append(child.inode)
            }
        }
    }
}
