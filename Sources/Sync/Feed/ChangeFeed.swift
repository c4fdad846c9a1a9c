// Keeps the tree equal to the server's: one full listing, then its deltas as they happen.

import Core
import Logging
import MetadataStore
import RemoteStore
import Saturating
import Tree

/// Follows the account's feed of changes from the stored cursor.
actor ChangeFeed {
    /// The progress of the feed, stored by its raw value.
    enum Phase: String {
        /// Until the first listing is complete.
        case listing
        /// While listing again after a cursor reset.
        case comparing
        /// While listing another root, whose nodes replace the known ones.
        case adopting
        /// While the mounted folder is missing.
        case missing
        case complete

        /// Whether no tree was known before this listing: then each entry that it tells is new, and
        /// queued changes concern no node that others could have moved.
        var lacksTree: Bool { self == .listing }
    }

    /// Timeout of one longpoll in seconds. The server adds up to 90 of its own.
    private static let pollTimeout = 120

    /// Seconds below which a longpoll counts as not having waited.
    private static let shortPoll = 5.0

    /// Seconds between two requests of the account's space.
    private static let spaceInterval = 600.0

    /// Seconds between two checks whether the uploader still sends, and the number of checks: the
    /// maximum delay of other clients' changes.
    private static let sendingPause = 0.1
    private static let sendingChecks = 10

    /// Approximate number of deltas to apply as one batch: some 60 MB.
    private static let largestBatch = 100_000

    let account: SyncedAccount
    let writer: FeedWriter
    let folderWalk: FolderWalk
    private let uploader: Uploader
    let untoldNodes: UntoldNodes
    let ages = IntentAges()
    let pauses: FeedPauses
    private var spaceDue = WallTime(nanoseconds: 0)
    /// Consecutive rounds that the server ended at once and without changes.
    private var idleRounds = ServerPace()
    /// Whether the last batch of deltas was empty.
    private var isRoundIdle = false
    /// Full listings that the server, or a contradiction, has made necessary.
    private var relistings = ServerPace()
    /// Batches of deltas after which unconfirmed nodes are still to be requested.
    private var unansweredBatches = UnansweredBatches()
    /// The progress of the full listing.
    var listing = ListingProgress()

    init(account: SyncedAccount, uploader: Uploader, watchesNetwork: Bool = false) {
        self.account = account
        self.uploader = uploader
        writer = FeedWriter(account: account, uploader: uploader)
        untoldNodes = UntoldNodes(account: account, writer: writer)
        folderWalk = FolderWalk(account: account, writer: writer, untoldNodes: untoldNodes)
        pauses = FeedPauses(clock: account.clock, watchesNetwork: watchesNetwork)
    }

    /// Restores the state of an earlier run, so that a known tree is served before the network
    /// answers.
    func restore() throws {
        let (phase, root) = try account.store.read {
            (try $0.setting(StoredSetting.feedPhase), try $0.setting(StoredSetting.feedRoot))
        }
        let known = phase.flatMap { Phase(rawValue: $0) }
        // A new account has no phase yet, and one whose listing has ended need not be counted.
        let isInterrupted = known != nil && known != .complete && known != .missing
        let seen = try account.store.read { snapshot in
            isInterrupted ? try snapshot.totals(seenBy: snapshot.listingNumber()) : (0, 0)
        }
        let isRootNew =
            known == .adopting || known == .missing || root.map { !isRemoteRoot($0) } ?? false
        let now = account.clock.now()
        account.state.update { status in
            // While listing again after a reset, the tree is as complete as it was.
            status.isTreeComplete =
                known == .complete || known == .comparing || known == .adopting || known == .missing
            status.isRootNew = isRootNew
            status.isListing = known != .complete && known != .missing
            status.listingBegan = now
            status.noteListed(entries: seen.0, bytes: seen.1)
        }
    }

    /// Follows changes until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do throws(SyncError) {
                try await follow()
            } catch {
                await handle(error)
            }
        }
    }

    private func follow() async throws(SyncError) {
        try await refreshSpace()
        if account.local.contradiction.take() { throw .relist(.contradiction) }
        guard let cursor = try await writer.setting(StoredSetting.feedCursor) else {
            return try await walkingIfRefused(.listing) { () async throws(SyncError) in
                try await startListing()
            }
        }
        let known = try await writer.setting(StoredSetting.feedPhase)
        let phase = known.flatMap { Phase(rawValue: $0) } ?? .listing
        if phase == .missing { try await fromServer(await account.remote.refreshRoot()) }
        guard phase != .missing,
            isRemoteRoot(try await writer.setting(StoredSetting.feedRoot) ?? "")
        else {
            return try await startComparing(with: .adopting)
        }
        if try await writer.setting(StoredSetting.feedWalk) != nil {
            return try await walk(phase)
        }
        guard phase == .complete else {
            return try await walkingIfRefused(phase) { () async throws(SyncError) in
                try await continueListing(after: Cursor(cursor), phase)
            }
        }
        try await account.gate.read { () async throws(SyncError) in
            try await catchUp(from: Cursor(cursor))
        }
        // The change that such a request is for must not wait for another one, which may never
        // come.
        if let pause = unansweredBatches.pause { return await pauses.rest(seconds: pause) }
        try await waitForChange()
    }

    /// Requests the account's space from time to time, because uploads and other clients change it
    /// without a notification.
    private func refreshSpace() async throws(SyncError) {
        let now = account.clock.now()
        guard now >= spaceDue else { return }
        let space = try await fromServer(await account.remote.space())
        account.state.update { $0.space = space }
        spaceDue = now.adding(seconds: Self.spaceInterval)
    }

    // MARK: Changes

    /// Applies all deltas after the cursor as one batch, from one state of the server to a later
    /// one, so that no moved file is missing in between. More than fits into memory is listed again
    /// and compared.
    private func catchUp(from cursor: Cursor) async throws(SyncError) {
        var page = try await fromServer(await account.remote.list(after: cursor))
        var entries = page.entries
        var textBytes = page.textBytes
        var emptyPages = ServerPace()
        while page.hasMore {
            guard entries.count <= Self.largestBatch, textBytes <= ListingLimits.mostDeltaBytes
            else {
                throw .relist(.tooManyDeltas)
            }
            // The gate is held, so this mount's commits wait. A server that returns empty pages for
            // ever is not waited for.
            guard emptyPages.count < ListingLimits.mostEmptyPages else {
                throw .remote(.malformed("the server keeps sending empty pages"))
            }
            page = try await fromServer(await account.remote.list(after: page.cursor))
            if page.entries.isEmpty { emptyPages.note() }
            entries.append(contentsOf: page.entries)
            textBytes +|= page.textBytes
        }
        if entries.isEmpty {
            try await keep(page.cursor)
        } else {
            try await apply(entries, page.cursor)
            relistings.recover()
        }
        isRoundIdle = entries.isEmpty
        let answers = try await untoldNodes.ask()
        unansweredBatches.note(answers)
        try await untoldNodes.apply(answers)
        noteResponse()
    }

    private func apply(_ entries: [RemoteEntry], _ cursor: Cursor) async throws(SyncError) {
        try await account.checkReserve(entries)
        let entries = try await UndoneEdits(account: account).tell(before: entries)
        // Users may write or rename a file between its hash and the transaction.
        for _ in 0..<2 {
            let isApplied = try await apply(entries, cursor, expectsHashes: true)
            guard !isApplied else { return }
        }
        _ = try await apply(entries, cursor, expectsHashes: false)
    }

    /// Returns false if unsent content has no hash that the batch needs.
    private func apply(
        _ entries: [RemoteEntry], _ cursor: Cursor, expectsHashes: Bool
    ) async throws(SyncError) -> Bool {
        let account = account
        await UnsentHashes(account: account).note(like: entries)
        var context = account.deltaContext()
        context.expectsHashes = expectsHashes
        let ages = ages
        return try await writer.write(isFeed: true) { [context] transaction in
            var applier = try DeltaApplier(transaction: transaction, context: context)
            try applier.apply(entries, isFeed: true)
            try ages.noteCaughtUp(at: context.now, in: transaction)
            try applier.feedCaughtUp()
            let doubted = applier.doubted
            try transaction.forgetUnconfirmed(
                entries.lazy.compactMap(\.id).filter { !doubted.contains($0) })
            try transaction.forgetUnconfirmedWithoutNode()
            try transaction.setSetting(StoredSetting.feedCursor, to: cursor.rawValue)
            return applier.outcome
        }
    }

    private func keep(_ cursor: Cursor) async throws(SyncError) {
        let context = account.deltaContext()
        let ages = ages
        try await writer.write { transaction in
            try ages.noteCaughtUp(at: context.now, in: transaction)
            var applier = try DeltaApplier(transaction: transaction, context: context)
            try applier.feedCaughtUp()
            try transaction.setSetting(StoredSetting.feedCursor, to: cursor.rawValue)
            return applier.outcome
        }
    }

    private func waitForChange() async throws(SyncError) {
        guard let cursor = try await writer.setting(StoredSetting.feedCursor) else { return }
        let asked = account.clock.now()
        let change = try await fromServer(
            await account.remote.waitForChange(
                after: Cursor(cursor), timeout: Self.pollTimeout))
        noteResponse()
        // The longpoll does the waiting, unless the server ends it at once.
        let isAtOnce = account.clock.now() < asked.adding(seconds: Self.shortPoll)
        if isRoundIdle && isAtOnce { idleRounds.note() } else { idleRounds.forget() }
        let pause = idleRounds.pause(atMost: FeedPauses.longest)
        await pauses.rest(seconds: max(Double(change.backoff ?? 0), pause))
        await waitWhileSending()
    }

    /// While this mount sends, most deltas are its own: they are fetched together, unless the
    /// sending lasts.
    private func waitWhileSending() async {
        for _ in 0..<Self.sendingChecks {
            guard await uploader.isSending, !Task.isCancelled else { return }
            await pauses.sleep(seconds: Self.sendingPause)
        }
    }

    // MARK: Outcomes

    /// Notes that the server has answered. `catchesUp` is false while a listing goes on whose tree
    /// was known before.
    func noteResponse(catchesUp: Bool = true) {
        pauses.noteResponse()
        let now = account.clock.now()
        let before = account.state.current
        account.state.update { status in
            status.isFeedFailing = false
            status.hasCaughtUp = status.hasCaughtUp || catchesUp
            status.lastHeard = now
            if before.connection != .online { status.lastProblem = nil }
        }
        if !noteReachable(), catchesUp, !before.hasCaughtUp { uploader.wake() }
    }

    /// Notes that the server can be reached. Returns whether the uploads go on because of that.
    @discardableResult
    private func noteReachable() -> Bool {
        guard account.state.current.connection != .online else { return false }
        account.state.update { $0.connection = .online }
        Task { await uploader.resume() }
        return true
    }

    private func handle(_ error: SyncError) async {
        if Task.isCancelled || error == .cancelled { return }
        do throws(SyncError) {
            switch error {
            case .relist, .remote(.cursorReset), .remote(.notFound), .remote(.notAFolder):
                account.log.info(
                    "the feed begins anew with a listing", metadata: ["reason": "\(error)"])
                await pauses.rest(seconds: relistings.pause(atMost: FeedPauses.longest))
                relistings.note()
                let isAdopting = account.state.current.isRootNew
                try await startComparing(with: isAdopting ? .adopting : .comparing)
            case .remote(.rootChanged): try await findRoot()
            case .remote(.rootMissing(let path)): try await noteMissing(path)
            default: await handleFailure(error)
            }
        } catch let next {
            if next.isRootFound(by: error) { return await handle(next) }
            await handleFailure(next)
        }
    }

    private func handleFailure(_ error: SyncError) async {
        account.log.notice(
            "changes of other clients are not arriving", metadata: ["error": "\(error)"])
        account.state.update { $0.isFeedFailing = true }
        if case .remote(.rateLimited(let wish)) = error {
            // A rate limit shows that the server is reachable: the connection's state is kept.
            return await pauses.sleep(seconds: max(1, min(wish, FeedPauses.longest)))
        }
        // The server has answered; the disk has no room for that.
        if error == .local(.reserveReached) || error == .local(.diskFull) { noteReachable() }
        account.state.update { status in
            switch error {
            case .remote(.unauthorized(let reason)):
                status.connection = .authenticationRequired
                status.lastProblem = reason
            case .remote, .relist:
                status.connection = .offline
                status.lastProblem = "\(error)"
            // The failure was recorded where it happened.
            case .local, .baseLost, .delayed: break
            }
        }
        if case .remote(.unauthorized) = error {
            await pauses.waitForLogin()
        } else {
            await pauses.waitForNetwork()
        }
    }

    /// Ends the pause after a failure, because the server may be reachable now.
    func noteNetworkChange() {
        pauses.noteNetworkChange()
    }

    /// Notes a new login, after which a refused token may be replaced.
    func noteLogin() {
        pauses.noteLogin()
    }
}

extension SyncError {
    /// Whether this error is about the root, and came up while `other` was handled; then it is
    /// handled next. Listing again after a reset finds a mounted folder that has moved or is gone,
    /// of which no delta will tell. A root that keeps changing is an ordinary failure, with a
    /// pause.
    fileprivate func isRootFound(by other: SyncError) -> Bool {
        switch self {
        case .remote(.rootMissing): true
        case .remote(.rootChanged): other != .remote(.rootChanged)
        default: false
        }
    }
}
