// The calls of the control socket, each passed on to the part of a mount that answers it. Not
// responsible for the start and end of the parts: that is `Mount`'s.

import BlockCache
import Blocking
import DropboxAPI
import FileSystem
import Logging
import MetadataStore
import Mounting
import RemoteStore
import Saturating
import Sync

/// A running mount, for the control socket and the desktop.
final class MountControl: MountService {
    let plan: MountPlan
    let mountpoint: String
    let paths: MountPaths
    let store: MetadataStore
    let cache: DiskBlockCache
    let settings: RunningSettings
    let pause: MountPause
    let log: Logger
    private let engine: SyncEngine
    /// The exports of cloud documents; nil if they are not read.
    private let documents: DocumentExports?
    private let pinner: Pinner
    private let history: MountHistory
    private let reports: MountReports
    private let mountListing: MountListing
    private let mountPins: MountPins
    private let mountConflicts: MountConflicts
    private let mountRevisions: MountRevisions
    private let mountUndo: MountUndo
    private let links: MountLinks
    private let contentImport: ContentImport

    /// Takes the parts of a mount. `isLoggedIn` says whether it uses a stored login, and not an
    /// access token.
    init(
        plan: MountPlan, mountpoint: String, isLoggedIn: Bool, store: MetadataStore,
        lost: CachedLostSummary, engine: SyncEngine, cache: DiskBlockCache,
        documents: DocumentExports?, pinner: Pinner, remote: DropboxStore,
        client: DropboxClient, traffic: TrafficCounter, rates: TransferRates,
        history: MountHistory, session: MountSession, sink: LogSink,
        log: Logger, live: LiveSettings
    ) {
        self.plan = plan
        self.mountpoint = mountpoint
        self.store = store
        self.cache = cache
        self.log = log
        self.engine = engine
        self.documents = documents
        self.pinner = pinner
        self.history = history
        settings = RunningSettings(
            live, client: client, engine: engine, cache: cache, pinner: pinner, sink: sink, log: log
        )
        pause = MountPause(engine: engine, pinner: pinner, log: log)
        paths = MountPaths(
            mountpoint: mountpoint, foldsCase: plan.settings.names == .fold, store: store)
        mountListing = MountListing(plan: plan, store: store, engine: engine)
        mountPins = MountPins(
            paths: paths, pinner: pinner, engine: engine, session: session, cache: cache,
            rates: rates, listing: mountListing)
        reports = MountReports(
            plan: plan, mountpoint: mountpoint, isLoggedIn: isLoggedIn, store: store, lost: lost,
            engine: engine, cache: cache, pins: mountPins, listing: mountListing, remote: remote,
            client: client, traffic: traffic, rates: rates, session: session, settings: settings,
            pause: pause)
        mountConflicts = MountConflicts(paths: paths)
        mountRevisions = MountRevisions(
            plan: plan, paths: paths, engine: engine, remote: remote, session: session,
            history: history, log: log)
        mountUndo = MountUndo(
            plan: plan, paths: paths, engine: engine, remote: remote, session: session,
            history: history, log: log, revisions: mountRevisions, reports: reports)
        links = MountLinks(plan: plan, paths: paths, remote: remote, log: log)
        contentImport = ContentImport(
            paths: paths, cache: cache, engine: engine, listing: mountListing, log: log)
    }

    // MARK: Reports

    /// The path of the mounted folder in the account, where others may have moved it.
    var remotePath: String { reports.remotePath }

    func status() -> MountStatus { reports.status() }

    func backlog() -> Backlog { reports.backlog() }

    var isTreeKnown: Bool { engine.isTreeComplete }

    var listing: ListingStatus? { mountListing.current }

    // MARK: Files

    func setPins(_ isPinned: Bool, at paths: [String]) throws(CommandError) {
        try mountPins.set(isPinned, at: paths)
    }

    func pinProgress(of paths: [String]) throws(CommandError) -> PinProgress {
        try mountPins.progress(of: paths)
    }

    func pins() throws(CommandError) -> [PinReport] {
        try mountPins.reports()
    }

    func conflicts(below path: String) throws(CommandError) -> [ConflictReport] {
        try mountConflicts.reports(below: path)
    }

    func revisions(of path: String, limit: Int) throws(CommandError) -> RevisionList {
        try mountRevisions.revisions(of: path, limit: limit)
    }

    func restore(_ path: String, to revision: String?) throws(CommandError) -> RevisionReport {
        try mountRevisions.restore(path, to: revision)
    }

    func undo(
        below path: String, before time: Int64?, report: (UndoReport) -> Bool
    ) throws(CommandError) -> UndoReport {
        try mountUndo.run(below: path, before: time, report: report)
    }

    func importContent(
        of folder: String, report: (ImportReport) -> Bool
    ) throws(CommandError) -> ImportReport {
        try contentImport.run(of: folder, report: report)
    }

    func link(to path: String) throws(CommandError) -> LinkReport {
        try links.link(to: path)
    }

    // MARK: The mount

    func writeHistory() {
        history.write()
    }

    func change(_ settings: [MountOptionSetting]) throws(CommandError) -> LiveSettings {
        try self.settings.change(settings)
    }

    func setPaused(_ isPaused: Bool, seconds: Double?) {
        pause.set(isPaused, seconds: seconds)
    }

    func sendingEverything<Result>(_ body: () -> Result) -> Result {
        let isOver = Latch()
        let (engine, log) = (engine, self.log)
        Task.detached {
            while !isOver.hasHappened {
                do {
                    _ = try await engine.drain { isOver.hasHappened }
                    // The queue was empty, which `body` may have missed: it waits for changes from
                    // since then, too.
                    try? await Task.sleep(for: .milliseconds(20))
                } catch {
                    // The mount, and with it the database, may have been closed after the wait.
                    if isOver.hasHappened { return }
                    log.error("cannot send everything yet", metadata: ["error": "\(error)"])
                    try? await Task.sleep(for: .seconds(1))
                }
            }
        }
        defer { isOver.set() }
        return body()
    }

    func loginChanged() {
        let engine = engine
        Task.detached { await engine.noteLogin() }
    }

    func clearCache(includingPinned: Bool) -> Int64 {
        defer { if includingPinned { pinner.checkAgain() } }
        let exports = documents?.clear() ?? 0
        return cache.clear(includingPinned: includingPinned) +| exports
    }

    func verifyCache() -> CacheReport {
        let report = cache.verify()
        if report.damaged > 0 { pinner.checkAgain() }
        return CacheReport(
            checkedChunks: report.checked, damagedChunks: report.damaged, bytes: report.bytes)
    }
}
