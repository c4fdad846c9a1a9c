// The interface of Sync to its neighbours: starts and stops the parts, and returns their state.

package import Blocking
package import Core
package import Logging
package import MetadataStore
package import RemoteStore
import Saturating
package import Staging
import Synchronization
package import Tree

/// Synchronizes one account's tree with its server, in both directions.
package final class SyncEngine: Syncing {
    /// The settings of a sync engine.
    package struct Configuration: Sendable {
        /// This machine's name, for conflicted copies; cut to 64 bytes, without slashes.
        package var host: String
        /// How long a change may wait for others.
        package var writeDelay: WriteDelay
        /// How long a file that is still open may be written to before its present content is
        /// uploaded, in seconds.
        package var openFileInterval: Double
        /// The longest intentional delay of an entry, in seconds.
        package var longestDelay: Double
        /// How modes, times and attributes are shared.
        package var posix: PosixRules
        /// Whether no node gets an alias for its name.
        package var refusesNames: Bool
        /// Whether users can change nothing: then only the queue of earlier mounts is sent.
        package var isReadOnly: Bool
        /// Whether `noteNetworkChange` will be called, so that pauses have to end by it.
        package var watchesNetwork: Bool

        /// Memberwise; by default 5 seconds, 30 seconds and a week.
        package init(
            host: String, writeDelay: WriteDelay = WriteDelay(), openFileInterval: Double = 30,
            longestDelay: Double = 7 * 86_400, posix: PosixRules = .local,
            refusesNames: Bool = false, isReadOnly: Bool = false, watchesNetwork: Bool = false
        ) {
            let cleaned = host.filter { $0 != "/" && $0 != "\0" }
            self.host = String(decoding: cleaned.utf8.prefix(64), as: UTF8.self)
            self.writeDelay = writeDelay
            self.openFileInterval = openFileInterval
            self.longestDelay = longestDelay
            self.posix = posix
            self.refusesNames = refusesNames
            self.isReadOnly = isReadOnly
            self.watchesNetwork = watchesNetwork
        }
    }

    /// The rest of the queue at the end of a drain.
    package struct Remainder: Hashable, Sendable {
        /// Nodes still to be sent.
        package var operations: Int
        /// Bytes of content among them.
        package var bytes: Int64
    }

    let account: SyncedAccount
    private let changes: UserChanges
    let uploader: Uploader
    private let longestDelay: Double
    private let writeDelay: WriteDelay
    private let feed: ChangeFeed
    private let lister: FolderLister
    private let tasks = Mutex<[Task<Void, Never>]>([])

    /// Connects the parts. No task runs before `start`.
    package init(
        configuration: Configuration, store: MetadataStore, staging: StagingArea,
        remote: any RemoteStoring, cache: any ContentCaching, openFiles: any OpenFileTracking,
        observer: any TreeChangeObserving, activities: (any SyncActivityObserving)? = nil,
        clock: any SyncClock = SystemClock(),
        disk: DiskQueue = DiskQueue(label: "dbxfs.upload"), log: Logger
    ) {
        account = SyncedAccount(
            store: store, staging: staging, remote: remote, cache: cache, openFiles: openFiles,
            observer: observer, clock: clock, state: SyncState(activities: activities),
            host: configuration.host, log: log, posix: configuration.posix,
            refusesNames: configuration.refusesNames, isReadOnly: configuration.isReadOnly,
            activities: activities, disk: disk)
        changes = UserChanges(delay: configuration.writeDelay)
        uploader = Uploader(
            account: account, changes: changes,
            openFileInterval: configuration.openFileInterval)
        longestDelay = configuration.longestDelay
        writeDelay = configuration.writeDelay
        feed = ChangeFeed(
            account: account, uploader: uploader,
            watchesNetwork: configuration.watchesNetwork)
        lister = FolderLister(account: account)
    }

    /// Starts following the server and sending the queue, including that of earlier mounts. Before
    /// that, the cache gets uploaded content that a killed process has left, and in the background
    /// what would take long.
    ///
    /// Throws when the local database cannot be read.
    package func start() async throws {
        try recallRoot()
        try await feed.restore()
        // Due times of an earlier process are from another clock: if the clock was set back since,
        // they would come late.
        let now = account.clock.now()
        let limit = now.adding(seconds: longestDelay)
        let untried = max(
            now.adding(nanoseconds: writeDelay.maximumNanoseconds),
            now.adding(seconds: TemporaryName.secondMoveDelay))
        try await account.store.write { transaction in
            try transaction.makeDue(ifAfter: limit, untriedAfter: untried, at: now)
        }
        let leftovers = LeftoverContent(account: account)
        let rest = await leftovers.adoptFirst()
        let (uploader, feed) = (uploader, feed)
        tasks.withLock { tasks in
            tasks = [Task { await uploader.run() }, Task { await feed.run() }]
            if !rest.isEmpty { tasks.append(Task { await leftovers.adopt(rest) }) }
        }
    }

    /// Passes the root that an earlier process knew to the remote store. Call it before the first
    /// request for the mounted folder; throws when the local database cannot be read.
    package func recallRoot() throws {
        let root = try account.store.read { try $0.setting(StoredSetting.feedRoot) }
        if let root { account.remote.resume(root: root) }
    }

    /// Stops at once. Unsent changes stay queued.
    package func stop() async {
        let running = tasks.withLock { tasks in
            defer { tasks = [] }
            return tasks
        }
        for task in running {
            task.cancel()
        }
        for task in running {
            await task.value
        }
        await lister.stop()
    }

    /// Retries at once after a new login, if the token was refused.
    package func noteLogin() async {
        await feed.noteLogin()
        await uploader.resume()
    }

    /// Connects anew at once, after the machine has moved to another network, or has slept.
    package func noteNetworkChange() async {
        account.remote.endWaiting()
        await feed.noteNetworkChange()
        await uploader.resume()
    }

    /// Suspends uploads and the fetching of pinned content until the pause is ended.
    package func setPaused(_ isPaused: Bool) {
        account.state.update { $0.isPaused = isPaused }
        if !isPaused { uploader.wake() }
    }

    // MARK: Syncing

    /// Whether the whole account's tree is known.
    package var isTreeComplete: Bool { account.state.current { $0.isTreeComplete } }
    /// Whether deltas are being received.
    package var isFeedHealthy: Bool {
        account.state.current { $0.connection == .online && $0.isTreeComplete }
    }
    /// Bytes used and allowed, from the last response.
    package var space: RemoteSpace? { account.state.current.space }
    /// Whether the account was full at the last upload.
    package var isQuotaExceeded: Bool { account.state.current { $0.isQuotaExceeded } }
    /// The state of Sync for `status`.
    package var status: SyncStatus { account.state.current }

    /// Waits until a folder's children are all in the store.
    package func ensureListed(_ folder: InodeID) async throws(SyncError) {
        try await lister.ensureListed(folder)
    }

    /// When a user's change of a place is due: at the end of its burst.
    package func due(for place: ChangedPlace) -> WallTime {
        changes.due(for: place, at: account.clock.now())
    }

    /// Sets the delay of later changes. Changes that are in the journal keep their due time.
    package func setWriteDelay(_ delay: WriteDelay) {
        changes.setDelay(delay)
    }

    /// Has the uploader read the journal after a change of it: at once, or after 50 ms in a burst.
    package func noteChange() {
        uploader.noteChange()
    }

    /// This machine's name, for conflicted copies.
    package var host: String { account.host }

    /// Counts and logs a detached file that a write has put back.
    package func noteReturn(of file: ReturnedFile) {
        account.log.warning(
            "a file was written to after others had changed or deleted it",
            metadata: ["kept as": "\(file.place.name.text)"])
        if file.isConflict {
            account.state.update { $0.conflicts +|= 1 }
            account.activities?.note(
                .conflicts([file.place.name.string], file.changes))
        }
    }

    /// Notes that a file has grown by a piece.
    package func noteGrowth(of inode: InodeID) {
        uploader.noteGrowth(of: inode)
    }

    /// Waits until the server has a node in its local state, but for a move that is left to others.
    package func drain(_ inode: InodeID) async throws(SyncError) {
        let store = account.store
        let isLeft = try await fromStore { try await store.read { try $0.isLeftToOthers(inode) } }
        if isLeft { return }
        try await drain(inode, onlyPlace: false)
    }

    private func drain(_ inode: InodeID, onlyPlace: Bool) async throws(SyncError) {
        await uploader.beginDraining(inode)
        do throws(SyncError) {
            try await waitUntilSent(inode, onlyPlace: onlyPlace)
            await uploader.endDraining(inode)
        } catch {
            await uploader.endDraining(inode)
            throw error
        }
    }

    /// Waits until the server has these nodes at their local places, with or without their content:
    /// others may go on writing. Only what replaces another file's content is there with its own.
    /// All are due at once: one may wait for another, and those of one kind travel together.
    package func drainPlaces(of inodes: [InodeID]) async throws(SyncError) {
        let (store, now) = (account.store, account.clock.now())
        try await fromStore {
            try await store.write { transaction in
                for inode in inodes where try !transaction.isLeftToOthers(inode) {
                    try transaction.makeDue(inode, at: now)
                }
            }
        }
        for inode in inodes {
            let isAwaited = try await fromStore {
                try await store.read {
                    try $0.journalEntry(of: inode) != nil && !$0.isLeftToOthers(inode)
                }
            }
            if isAwaited { try await drain(inode, onlyPlace: true) }
        }
    }

    private func waitUntilSent(_ inode: InodeID, onlyPlace: Bool) async throws(SyncError) {
        let store = account.store
        while true {
            let awaited = try await fromStore {
                try await store.read { snapshot -> (entry: JournalEntry, problem: String?)? in
                    if try onlyPlace && snapshot.node(inode)?.isThere == true { return nil }
                    guard let entry = try snapshot.journalEntry(of: inode),
                        try !snapshot.isLeftToOthers(inode)
                    else { return nil }
                    let problem = try snapshot.problem(delaying: inode)
                    return (entry, problem)
                }
            }
            guard let (entry, problem) = awaited else { return }
            if let problem { throw SyncError(problem: problem) }
            let status = account.state.current
            if let path = status.missingFolder { throw .remote(.rootMissing(path)) }
            if status.isPaused { throw .remote(.offline("uploads are paused")) }
            switch status.connection {
            case .offline: throw .remote(.offline("the server cannot be reached"))
            case .authenticationRequired: throw .remote(.unauthorized("the token is refused"))
            case .connecting, .online: break
            }
            // Another change has postponed it.
            if entry.attempts == 0, entry.due > account.clock.now() {
                await uploader.makeDue(inode)
            }
            guard await pause() else { throw .cancelled }
        }
    }

    /// Sends all queued changes, now, until the queue is empty or `isOver` returns true.
    ///
    /// Returns the rest of the queue. Throws when the local database fails, also while it waits.
    package func drain(until isOver: @Sendable () -> Bool) async throws(SyncError) -> Remainder {
        try await uploader.beginDraining()
        do throws(SyncError) {
            var remainder = try await pending()
            while remainder.operations > 0 && !isOver() {
                guard await pause() else { break }
                remainder = try await pending()
            }
            await uploader.endDraining()
            return remainder
        } catch {
            await uploader.endDraining()
            throw error
        }
    }

    /// Suspends the write delay until `endDraining`. Throws when the local database fails.
    package func beginDraining() async throws(SyncError) {
        try await uploader.beginDraining()
    }

    /// Resumes the write delay.
    package func endDraining() async {
        await uploader.endDraining()
    }

    /// The size of the queue. Throws when the local database cannot be read.
    package func pending() async throws(SyncError) -> Remainder {
        let pending = try await fromStore { [store = account.store] in
            try await store.read { try $0.pending() }
        }
        return Remainder(operations: pending.operations, bytes: pending.bytes)
    }

    /// A short wait between two reads of the journal; false when the task is cancelled.
    private func pause() async -> Bool {
        let next = account.clock.now().adding(seconds: 0.02)
        return (try? await account.clock.sleep(until: next)) != nil
    }
}

extension Node {
    /// Whether the server has it in its local place, with content of its own.
    fileprivate var isThere: Bool {
        remote == .inPlace && (staged == nil || !flags.contains(.replacing))
    }
}
