// The composition root: the parts of a mount, their connections, and the order of their start and
// end. `Mount+Parts.swift` makes single parts, `MountProcess.swift` has the process around it,
// `Control/` what commands get.

import BlockCache
import Blocking
import Core
import DropboxAPI
import FileSystem
import Fuse
import LocalIO
import Logging
import MetadataStore
import Mounting
import RemoteStore
import Staging
import Sync
import Synchronization

/// The mount of one account.
final class Mount: Sendable {
    /// Timeout in seconds for the server at the start of a known account, which then mounts
    /// offline.
    private static let knownAccountTimeout = 3.0

    private let plan: MountPlan
    private let store: MetadataStore
    /// The account whose files the state folder has; nil before its first mount.
    private let owner: AccountRecord?
    private let staging: StagingArea
    private let engine: SyncEngine
    private let client: DropboxClient
    /// The connections of the client and of the login.
    private let transport: any HTTPTransport
    private let tokens: VerifiedTokens
    private let credentials: Credentials
    private let remote: DropboxStore
    private let fileSystem: DropboxFileSystem
    private let thumbnails: FolderThumbnails?
    private let pinner: Pinner
    private let history: MountHistory
    private let signals: InotifySignals?
    private let network = Mutex<NetworkWatch?>(nil)
    private let pinning = Mutex<Task<Void, Never>?>(nil)
    private let log: Logger
    /// The session with the kernel.
    let session: MountSession
    /// The service for commands.
    let control: MountControl

    /// Opens the local parts and connects them; no task runs yet. `sink` learns every new secret,
    /// to hide it in log lines.
    init(
        _ plan: MountPlan, mountpoint: String, credentials: Credentials, sink: LogSink, log: Logger
    ) throws(CommandError) {
        self.plan = plan
        self.credentials = credentials
        self.log = log
        let settings = plan.settings
        let folders = plan.folders
        let sharing = PosixSharing(
            isWanted: settings.posix == .dropbox, scopes: credentials.scopes, command: "")
        let options = FileSystemOptions(plan, sharesPosix: sharing.isTried)

        store = try Self.store(folders)
        let store = store
        owner = try AccountIdentity.owner(of: store, plan)

        let (traffic, rates) = (TrafficCounter(), TransferRates())
        (client, tokens, transport) = try Self.client(
            plan, credentials, owner, observers: [traffic, rates]
        ) { sink.hide($0) }
        remote = DropboxStore(
            client: client, prefix: RemotePath(rawValue: plan.source.remotePath),
            sharesFacts: options.sharesPosix)

        staging = try Self.open(folders.staging) {
            try StagingArea(directory: folders.staging, store: store)
        }
        Self.report(staging.found, in: staging.lostAndFound, log)
        let cache = try Self.cache(plan)
        store.reserve?.share(folders, with: cache)
        let invalidator = KernelInvalidator()
        session = MountSession(mountpoint: mountpoint, invalidator: invalidator, log: log)
        let openFiles = OpenFiles()
        signals = InotifySignals(
            settings, mountpoint: mountpoint, session: session, invalidator: invalidator,
            store: store, log: log)
        let history = MountHistory(
            folder: folders.state, store: store,
            program: EventProgram(plan, mountpoint: mountpoint, log: log), log: log)
        self.history = history
        engine = SyncEngine(
            configuration: Self.configuration(settings, options), store: store, staging: staging,
            remote: remote, cache: cache, openFiles: openFiles, observer: invalidator,
            activities: SyncActivityObservers(history, signals),
            log: Logger(label: "sync"))
        let reader = Self.reader(remote, cache, store, invalidator)
        pinner = Self.pinner(store, cache, reader, remote, engine)
        let documents = Self.documents(plan, remote)
        let thumbnails = Self.thumbnails(plan, mountpoint, store, reader, remote, engine)
        self.thumbnails = thumbnails
        do throws(FileSystemError) {
            fileSystem = try DropboxFileSystem(
                store: store, staging: staging, sync: engine, reader: reader,
                folderReader: FolderReader(
                    store: store, cache: cache, remote: remote, log: Logger(label: "folders"),
                    noteFetched: { history.noteFetched($0) }),
                documents: documents, thumbnails: thumbnails, openFiles: openFiles,
                invalidator: invalidator, options: options,
                ended: EndedInodes(delay: 0.1), programName: { $0.programName },
                noteFetched: { history.noteFetched($0) }, log: Logger(label: "filesystem"))
        } catch {
            throw .databaseDamaged(path: folders.database, detail: "\(error)")
        }
        control = MountControl(
            plan: plan, mountpoint: mountpoint, isLoggedIn: Self.login(of: credentials) != nil,
            store: store, lost: CachedLostSummary(staging.lostAndFound), engine: engine,
            cache: cache, documents: documents, pinner: pinner, remote: remote, client: client,
            traffic: traffic, rates: rates, history: history, session: session, sink: sink,
            log: log, live: Self.liveSettings(plan, cacheSize: cache.limit))
    }

    // MARK: Parts

    private static func report(_ found: [LostContent], in folder: LostAndFound, _ log: Logger) {
        for lost in found {
            log.error(
                "content was put aside",
                metadata: [
                    "path": "\(lost.path ?? "unknown")", "reason": "\(lost.explanation)",
                    "folder": "\(folder.folder)",
                ])
        }
    }

    /// Opens the database, with space of its own on a full disk.
    private static func store(_ folders: AccountFolders) throws(CommandError) -> MetadataStore {
        try Self.open(folders.database) {
            let reserve = SpaceReserve(beside: folders.database)
            return try reserve.retrying {
                try MetadataStore(path: folders.database, reserve: reserve)
            }
        }
    }

    /// Opens a file on the local disk, and translates its errors.
    private static func open<Part>(
        _ path: String, _ body: () throws -> Part
    ) throws(CommandError) -> Part {
        do {
            return try body()
        } catch {
            throw CommandError(opening: path, error)
        }
    }

    /// The login that the mount began with; nil with an access token.
    private static func login(of credentials: Credentials) -> StoredLogin? {
        if case .login(let login, _, _) = credentials { login } else { nil }
    }

    // MARK: Start

    /// Checks the account, and starts following the server. Returns a notice for the user.
    func prepare() throws(CommandError) -> String? {
        let engine = engine
        let identity = AccountIdentity(
            folders: plan.folders, source: plan.source, root: plan.settings.root,
            environment: plan.environment, login: Self.login(of: credentials), tokens: tokens,
            known: owner, store: store)
        try Self.open(plan.folders.database) { try engine.recallRoot() }
        let notice = try identity.check(remote, knownTimeout: Self.knownAccountTimeout)
        let failure = WorkerThread.waiting { () async -> String? in
            do {
                try await engine.start()
                return nil
            } catch {
                return "\(error)"
            }
        }
        if let failure = failure.flatMap({ $0 }) {
            throw .databaseDamaged(path: plan.folders.database, detail: failure)
        }
        return notice
    }

    /// Mounts, and returns when requests are served.
    func attach() throws(CommandError) {
        // From here on, changes may be queued.
        plan.folders.noteEverythingSent(false)
        try session.serve(fileSystem, MountOptions(plan))
        let pinner = pinner
        pinning.withLock { $0 = Task { await pinner.run() } }
        control.settings.followTime()
        let (engine, client) = (engine, client)
        let watch = NetworkWatch(log: Logger(label: "network")) { _, state in
            client.networkChanged(addresses: state.addresses)
            Task.detached { await engine.noteNetworkChange() }
        }
        network.withLock { $0 = watch }
    }

    // MARK: End

    /// Whether local-only files or symbolic links exist. Unknown is not none.
    var keepsFiles: Bool {
        let totals = try? store.read { try $0.localTotals() }
        return totals.map { $0.files > 0 || $0.links > 0 } ?? true
    }

    /// Has no process of this program use the mount any longer.
    func stopSignals() { signals?.stop() }

    /// The same while the mount is about to be unmounted, which may be withdrawn.
    func holdSignals(_ areHeld: Bool) { signals?.hold(areHeld) }

    /// Unmounts although programs may have files open. Returns at once.
    func detach() {
        stopSignals()
        session.detach { [fileSystem] in fileSystem.writtenPaths }
    }

    /// Closes all parts; unsent changes stay queued.
    func close() {
        stopSignals()
        session.close()
        network.withLock { $0?.stop() }
        control.settings.stopTimer()
        control.pause.stopTimer()
        let (engine, client, transport) = (engine, client, transport)
        let thumbnails = thumbnails
        let pinning = pinning.withLock { $0 }
        pinning?.cancel()
        _ = WorkerThread.waiting {
            await pinning?.value
            await thumbnails?.stop()
            await engine.stop()
            await client.shutDown()
            await transport.shutDown()
        }
        history.write()
        store.reserve?.observeShortage(nil)
        fileSystem.saveOpenFiles()
        staging.end()
        do {
            try store.close()
        } catch {
            log.error("the database did not close", metadata: ["error": "\(error)"])
        }
    }
}
