// One account on both sides: its server, its tree here, and the parts that the feed and the uploads
// share. Not responsible for any step of either.

import Blocking
import Core
import Logging
import MetadataStore
import RemoteStore
import Saturating
import Staging
import Tree

/// The account that is synchronized.
final class SyncedAccount: Sendable {
    let store: MetadataStore
    let staging: StagingArea
    let remote: any RemoteStoring
    let cache: any ContentCaching
    let openFiles: any OpenFileTracking
    let observer: any TreeChangeObserving
    let clock: any SyncClock
    let state: SyncState
    let host: String
    let log: Logger
    /// How modes, times and attributes are shared.
    let posix: PosixRules
    let activities: (any SyncActivityObserving)?
    let disk: DiskQueue
    let local: LocalAccess
    let gate = CommitGate()
    let factsOnTheirWay = FactsOnTheirWay()
    private let superseded = SupersededRevisions()
    /// Whether no node gets an alias for its name.
    private let refusesNames: Bool
    /// Whether the mount is read-only.
    private let isReadOnly: Bool

    init(
        store: MetadataStore, staging: StagingArea, remote: any RemoteStoring,
        cache: any ContentCaching, openFiles: any OpenFileTracking,
        observer: any TreeChangeObserving, clock: any SyncClock, state: SyncState, host: String,
        log: Logger, posix: PosixRules, refusesNames: Bool, isReadOnly: Bool,
        activities: (any SyncActivityObserving)?, disk: DiskQueue
    ) {
        self.store = store
        self.staging = staging
        self.remote = remote
        self.cache = cache
        self.openFiles = openFiles
        self.observer = observer
        self.clock = clock
        self.state = state
        self.host = host
        self.log = log
        self.posix = posix
        self.refusesNames = refusesNames
        self.isReadOnly = isReadOnly
        self.activities = activities
        self.disk = disk
        local = LocalAccess(disk: disk, state: state, log: log)
    }

    /// The present context for `DeltaApplier`.
    func deltaContext() -> DeltaContext {
        var context = DeltaContext(
            openFiles: openFiles, staging: staging, now: clock.now(), date: clock.date(),
            host: host,
            isListing: state.current.isListing, isTreeComplete: state.current.isTreeComplete)
        context.posix = posix
        context.refusesNames = refusesNames
        context.superseded = superseded
        context.isReadOnly = isReadOnly
        return context
    }

    /// Announces a committed transaction: its changes for users, and its conflicted copies.
    func tell(_ changes: [TreeChange], conflicts: [String]) async {
        state.noteStore(nil)
        if !conflicts.isEmpty {
            log.warning("conflicted copies made", metadata: ["names": "\(conflicts)"])
            state.update { $0.conflicts +|= conflicts.count }
            activities?.note(.conflicts(conflicts, changes))
        }
        await tell(changes)
    }

    /// Announces changes. The observer may read the store, for which no task's thread is to wait.
    func tell(_ changes: [TreeChange]) async {
        guard !changes.isEmpty else { return }
        let observer = observer
        await disk.run { observer.treeDidChange(changes) }
    }

    /// Counts the nodes that the running full listing had not seen before.
    func noteListed(_ outcome: DeltaOutcome) {
        guard outcome.newlySeen > 0 else { return }
        state.update {
            $0.noteListed(entries: outcome.newlySeen, bytes: outcome.newlySeenBytes)
        }
    }

    /// Notes changes of other clients for the history. The first listing of an account is none.
    func noteReceived(_ changes: [TreeChange]) {
        if !changes.isEmpty { activities?.note(.received(changes)) }
    }
}
