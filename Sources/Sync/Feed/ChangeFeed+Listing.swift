// The full listing: at first, again after a reset, and when the root changes.
// `FolderWalk` lists folder by folder.

import Core
import Logging
import MetadataStore
import RemoteStore
import Tree

extension ChangeFeed {
    func startListing() async throws(SyncError) {
        try await account.gate.read { () async throws(SyncError) in
            let page = try await fromServer(await account.remote.list(.root, recursive: true))
            try await applyListing(page, .listing, isFirst: true)
        }
    }

    /// Applies pages until a commit waits. The next page is fetched while one is applied.
    func continueListing(after cursor: Cursor, _ phase: Phase) async throws(SyncError) {
        let remote = account.remote
        try await account.gate.read { () async throws(SyncError) in
            var page = try await fromServer(await remote.list(after: cursor))
            while page.hasMore, listing.isMovingOn, !Task.isCancelled,
                await !account.gate.isWanted
            {
                let next = page.cursor
                let request = Task { () async -> SyncOutcome<RemotePage> in
                    do throws(SyncError) {
                        return .success(try await fromServer(await remote.list(after: next)))
                    } catch {
                        return .failure(error)
                    }
                }
                do throws(SyncError) {
                    try await applyListing(page, phase)
                } catch {
                    request.cancel()
                    _ = await request.value
                    throw error
                }
                page = try await withTaskCancellationHandler {
                    await request.value
                } onCancel: {
                    request.cancel()
                }.get()
            }
            try await applyListing(page, phase)
        }
        await pauses.rest(seconds: listing.pause(atMost: FeedPauses.longest))
    }

    /// Applies one page of the full listing. The page and its cursor are one transaction, so that
    /// an interrupted listing continues where it was.
    ///
    /// Nodes are marked as seen from the first page on, also by metadata reads and commits in
    /// between. Their changes after the first page are among the cursor's deltas.
    private func applyListing(
        _ page: RemotePage, _ phase: Phase, isFirst: Bool = false
    ) async throws(SyncError) {
        try await account.checkReserve(page.entries)
        let account = account
        var context = account.deltaContext()
        context.isListing = true
        let ages = ages
        let root = remoteRoot
        if isFirst {
            let now = account.clock.now()
            account.state.update { $0.beginListing(at: now) }
        }
        let part = ListingPart(account: account, writer: writer, untoldNodes: untoldNodes)
        let told = try await UndoneEdits(account: account).tell(before: page.entries)
        let outcome = try await part.apply(told, context) { transaction, context, entries in
            if isFirst { try transaction.beginListing(of: root) }
            try transaction.keepPages(page.hasMore ? .listing : .usual)
            var applier = try DeltaApplier(transaction: transaction, context: context)
            try applier.apply(entries)
            if !page.hasMore {
                try applier.removeUnseen()
                try ages.noteCaughtUp(at: context.now, in: transaction)
                try applier.feedCaughtUp()
            }
            try applier.requireLocations()
            try transaction.setSetting(StoredSetting.feedCursor, to: page.cursor.rawValue)
            let next = page.hasMore ? phase : .complete
            try transaction.setSetting(StoredSetting.feedPhase, to: next.rawValue)
            return applier.outcome
        }
        if !phase.lacksTree { account.noteReceived(outcome.changes) }
        noteResponse(catchesUp: phase.lacksTree || !page.hasMore)
        listing.notePage(
            entries: page.entries.count, newlySeen: outcome.newlySeen, isLast: !page.hasMore)
        if !page.hasMore { noteTreeComplete() }
    }

    private func noteTreeComplete() {
        account.state.update { status in
            status.isTreeComplete = true
            status.isListing = false
            status.isRootNew = false
            status.missingFolder = nil
        }
        account.log.info("the tree is complete")
    }

    /// Begins a listing after the cursor has expired: the tree stays visible, and nodes that the
    /// listing has not seen are removed at its end.
    func startComparing(with phase: Phase) async throws(SyncError) {
        let now = account.clock.now()
        account.state.update { status in
            status.beginListing(at: now)
            status.isRootNew = phase == .adopting
        }
        let isTreeComplete = account.state.current.isTreeComplete
        let begun: Phase = phase == .comparing && !isTreeComplete ? .listing : phase
        try await walkingIfRefused(begun) { () async throws(SyncError) in
            try await account.gate.read { () async throws(SyncError) in
                let page = try await fromServer(
                    await account.remote.list(.root, recursive: true))
                try await applyListing(page, begun, isFirst: true)
            }
        }
    }

    /// The root of the server's paths.
    var remoteRoot: String { account.remote.root }

    /// Whether a stored name is that of the root. An older one, from before folders were followed
    /// by their ID, is a prefix of it.
    func isRemoteRoot(_ name: String) -> Bool {
        let current = remoteRoot
        return current == name || !name.isEmpty && current.hasPrefix("\(name) ")
    }

    /// Finds the new root after the person has changed teams, or another client has moved the
    /// mounted folder. Nothing is sent until the new root is compared with the tree; the queue then
    /// applies to the new one.
    func findRoot() async throws(SyncError) {
        let remote = account.remote
        let old = remote.root
        // With no commit in flight: each has used the old root, or sees that nothing is to be sent.
        try await account.gate.read { () async throws(SyncError) in
            try await fromServer(await remote.refreshRoot())
            let new = remote.root
            account.state.update { $0.isRootNew = $0.isRootNew || new != old }
        }
        guard remote.root != old else {
            throw .remote(.forbidden("the account may no longer use what is mounted"))
        }
        account.log.warning("the account's root has changed: comparing with the new one")
    }
}

extension Transaction {
    fileprivate func beginListing(of root: String) throws {
        try beginListing()
        // Their number is that of everything sent since the last delta.
        try forgetAllUnconfirmed()
        try setSetting(StoredSetting.feedRoot, to: root)
        try setSetting(StoredSetting.feedWalk, to: nil)
    }
}
