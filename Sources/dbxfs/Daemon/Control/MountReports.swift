// The status and the queue of a mount, for commands, metrics and the desktop.

import BlockCache
import Core
import DropboxAPI
import FileSystem
import Fuse
import Glibc
import LocalIO
import MetadataStore
import Logging
import Mounting
import RemoteStore
import Saturating
import Sync
import Tree

/// Reports of a mount's state.
struct MountReports: Sendable {
    /// The problem while the server's rate limit holds.
    private static let waiting = "Dropbox asked to wait: too many requests"

    let plan: MountPlan
    let mountpoint: String
    /// Whether the mount uses a stored login, and not an access token.
    let isLoggedIn: Bool
    let store: MetadataStore
    let lost: CachedLostSummary
    let engine: SyncEngine
    let cache: DiskBlockCache
    let pins: MountPins
    let listing: MountListing
    let remote: DropboxStore
    let client: DropboxClient
    let traffic: TrafficCounter
    let rates: TransferRates
    let session: MountSession
    let settings: RunningSettings
    let pause: MountPause

    /// The path of the mounted folder in the account, where others may have moved it.
    var remotePath: String { remote.folder.rawValue }

    func status() -> MountStatus {
        let sync = engine.status
        let now = SystemClock().now()
        var status = MountStatus(
            mountpoint: mountpoint, account: plan.source.account, state: state(sync))
        status.remotePath = remotePath
        status.device = session.device.map { MountTable.Entry.device(fuse: $0) }
        status.pid = getpid()
        status.version = ProductVersion.current
        status.advice = advice(sync)
        status.limits = settings.present
        status.conflicts = sync.conflicts
        let lost = lost.summary()
        (status.lost, status.lostPaths) = (lost.count, lost.paths)
        noteQueue(sync, in: &status)
        noteProgress(sync, in: &status)
        noteTree(sync, at: now, in: &status)
        noteCache(in: &status)
        noteRequests(in: &status)
        status.rssBytes = ProcessSettings.residentBytes
        status.metricsAddress = plan.settings.metrics?.text
        status.posix = plan.settings.posix.rawValue
        return status
    }

    /// The changes that wait, those that are refused, and those that are on their way.
    private func noteQueue(_ sync: SyncStatus, in status: inout MountStatus) {
        if let pending = try? store.read({ try $0.pending() }) {
            status.pendingOperations = pending.operations
            status.pendingBytes = pending.bytes
        }
        status.problems = (try? store.read { try $0.refusedChanges() }) ?? []
        if let folder = sync.missingFolder {
            status.problems.insert(.init(path: "/", reason: SyncStatus.missing(folder)), at: 0)
        }
        status.problems.append(
            contentsOf: sync.unsearchedFolders.sorted().map { path in
                .init(path: path, reason: SyncStatus.unsearched)
            })
        status.uploads = sync.uploads.values
            .map {
                .init(
                    path: $0.path, bytes: $0.size, sent: sent(of: $0), isGrowing: $0.isGrowing)
            }
            .sorted { $0.path < $1.path }
    }

    /// The known entries, the local-only ones, and how far behind the server they are.
    private func noteTree(_ sync: SyncStatus, at now: WallTime, in status: inout MountStatus) {
        if let local = try? store.read({ try $0.localTotals() }) {
            status.localEntries = local.entries
            status.localBytes = local.bytes
        }
        status.entries = (try? store.nodeCount(at: now)) ?? 0
        status.isTreeComplete = sync.isTreeComplete
        status.listing = listing.status(sync, known: status.entries, at: now)
        status.listingSeconds = status.listing?.seconds
        // Each page of the first listing sets `lastHeard`, although the tree is not up to date
        // then.
        status.cursorAgeSeconds =
            sync.isTreeComplete ? sync.lastHeard.map { now.seconds(since: $0) } : nil
    }

    /// Cached and pinned content. The time that is left depends on the rate of `noteProgress`.
    private func noteCache(in status: inout MountStatus) {
        status.cachedBytes = cache.usedBytes
        status.pinnedBytes = cache.pinnedBytes
        status.pins = pins.status()
        let fetched = status.pins.fetches.reduce(Int64(0)) { $0 +| $1.fetched }
        status.pins.secondsLeft = TimeLeft.seconds(
            for: status.pins.missingBytes -| fetched, at: status.receivingRate)
    }

    /// The requests to the server, and those of the kernel.
    private func noteRequests(in status: inout MountStatus) {
        status.waitingSeconds = client.rateLimitDelay.map { $0 / .seconds(1) }
        let totals = traffic.totals
        status.requests = totals.requests
        status.calls = session.calls
        status.bytesDown = Int64(clamping: totals.bytesDown)
        status.bytesUp = Int64(clamping: totals.bytesUp)
    }

    /// Rates, times left, and why nothing moves.
    private func noteProgress(_ sync: SyncStatus, in status: inout MountStatus) {
        (status.sendingRate, status.receivingRate) = (rates.sending, rates.receiving)
        let backlog = progress(
            Backlog(
                operations: status.pendingOperations, bytes: status.pendingBytes,
                state: status.state,
                isStuck: status.problems.count >= status.pendingOperations),
            sync, status.sendingRate)
        status.secondsLeft = backlog.secondsLeft
        status.isPaused = sync.isPaused
        status.pauseSecondsLeft = pause.secondsLeft
        if status.state == .offline { status.connectionProblem = sync.lastProblem }
    }

    /// The bytes of an upload that are on their way. While Dropbox asks to wait, it has refused
    /// those in flight.
    private func sent(of upload: SyncStatus.Upload) -> Int64 {
        client.rateLimitDelay == nil ? upload.sent : min(upload.acknowledged, upload.size)
    }

    /// A backlog with its progress. Content that is still written is not part of it yet, and a
    /// queue that stands still has no rate, also if bytes were sent in the seconds before.
    private func progress(
        _ backlog: Backlog, _ sync: SyncStatus, _ rate: Int64?
    ) -> Backlog {
        var backlog = backlog
        backlog.sentBytes = sync.uploads.values
            .reduce(Int64(0)) { $0 +| ($1.isGrowing ? 0 : sent(of: $1)) }
        let standsStill =
            backlog.operations == 0 || backlog.isStuck || backlog.state != .online
            || sync.isPaused || sync.isQuotaExceeded || client.rateLimitDelay != nil
        backlog.rate = standsStill ? nil : rate
        backlog.isPaused = sync.isPaused
        return backlog
    }

    private func state(_ sync: SyncStatus) -> MountStatus.State {
        MountStatus.State(sync, hasEnded: session.hasEnded)
    }

    /// The advice about a full disk or a refused token.
    private func advice(_ sync: SyncStatus) -> String? {
        if let failure = sync.localFailure { return failure.problem }
        if let reserve = store.reserve, !reserve.isHeld { return LocalFailure.diskFull.problem }
        guard sync.connection == .authenticationRequired else { return nil }
        let reason = sync.lastProblem ?? "the access token is refused"
        guard isLoggedIn else {
            return reason + "; unmount, and mount with another access token"
        }
        let command = "run: " + CommandError.login(plan.source.account, plan.environment.scope)
        return reason.contains(command) ? reason : reason + "; " + command
    }

    func backlog() -> Backlog {
        let sync = engine.status
        let waiting = client.rateLimitDelay.map { _ in Self.waiting }
        do {
            return try store.read { snapshot in
                let pending = try snapshot.pending()
                let missing = sync.missingFolder.map { SyncStatus.missing($0) }
                let refusal = try missing ?? snapshot.firstRefusal()
                let isRefused =
                    try sync.connection != .offline && sync.uploads.isEmpty
                    && snapshot.isQueueRefused()
                let backlog = Backlog(
                    operations: pending.operations, bytes: pending.bytes, state: state(sync),
                    isStuck: missing != nil || isRefused,
                    problem: pending.operations > 0 ? waiting ?? refusal ?? sync.lastProblem : nil)
                return progress(backlog, sync, rates.sending)
            }
        } catch {
            // Unknown is not empty: it must not be reported as "everything is on Dropbox".
            return Backlog(
                operations: 1, bytes: 0, state: state(sync),
                problem: "the local database cannot be read: \(error)")
        }
    }
}

extension MountStatus.State {
    /// The state of a mount, which is about to end or in touch with the server.
    init(_ sync: SyncStatus, hasEnded: Bool) {
        if hasEnded {
            self = .finishing
            return
        }
        self =
            switch sync.connection {
            case .connecting: .connecting
            case .online: .online
            case .offline: .offline
            case .authenticationRequired: .authRequired
            }
    }
}
