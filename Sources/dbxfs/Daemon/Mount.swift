// The composition root: the parts of a mount, their connections, and the order of their start and
// end. `MountProcess.swift` has the process around it, `Control/` what commands get.

import BlockCache
import Blocking
import Core
import DropboxAPI
import FileSystem
import Fuse
import Glibc
import LocalIO
import Logging
import MetadataStore
import Mounting
import RemoteStore
import Saturating
import Staging
import Sync
import Synchronization
import SystemPackage

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

    /// Opens the local parts and connects them; no task runs yet. `sink` gets every new secret.
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

        store = try Self.open(folders.database) {
            let reserve = SpaceReserve(beside: folders.database)
            return try reserve.retrying {
                try MetadataStore(path: folders.database, reserve: reserve)
            }
        }
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
        let relay = KernelInvalidator()
        session = MountSession(mountpoint: mountpoint, relay: relay, log: log)
        let openFiles = OpenFiles()
        signals = InotifySignals(
            settings, mountpoint: mountpoint, session: session, relay: relay, store: store, log: log
        )
        let history = MountHistory(
            folder: folders.state, store: store,
            program: EventProgram(plan, mountpoint: mountpoint, log: log), log: log)
        self.history = history
        engine = SyncEngine(
            configuration: .init(
                host: Self.hostName, writeDelay: Self.writeDelay(of: settings),
                longestDelay: Self.longestDelay(of: settings), posix: options.posix,
                refusesNames: options.refusesNames, isReadOnly: options.isReadOnly,
                watchesNetwork: true),
            store: store, staging: staging, remote: remote, cache: cache, openFiles: openFiles,
            observer: relay, activities: SyncActivityObservers(history, signals),
            log: Logger(label: "sync"))
        let reader = ContentReader(
            remote: remote, cache: cache, log: Logger(label: "reader")
        ) { [store, relay] content in
            // Not on the thread that has found it, which may serve the kernel.
            Task {
                let inodes = try? await store.read { try $0.inodes(withHash: content.hash) }
                for inode in inodes ?? [] { relay.forgetContent(of: inode) }
            }
        }
        let engine = engine
        pinner = Pinner(
            store: store, cache: cache, reader: reader,
            folders: FolderReader(
                store: store, cache: cache, remote: remote, log: Logger(label: "pins"),
                isWanted: { cache.isPinned($0) }),
            sync: { engine.status }, log: Logger(label: "pins"))
        let documents = Self.documents(plan, remote)
        let thumbnails = Self.thumbnailCache(plan, mountpoint).map { [remote] pictures in
            FolderThumbnails(
                store: store, sync: engine, reader: reader, remote: remote, cache: pictures,
                mountpoint: mountpoint, userID: geteuid(),
                isOnline: {
                    let status = engine.status
                    return status.connection == .online && !status.isPaused
                }, log: Logger(label: "thumbnails"))
        }
        self.thumbnails = thumbnails
        do throws(FileSystemError) {
            fileSystem = try DropboxFileSystem(
                store: store, staging: staging, sync: engine, reader: reader,
                folderReader: FolderReader(
                    store: store, cache: cache, remote: remote, log: Logger(label: "folders"),
                    noteFetched: { history.noteFetched($0) }),
                documents: documents, thumbnails: thumbnails,
                openFiles: openFiles, relay: relay, options: options,
                ended: EndedInodes(delay: 0.1), programName: { $0.programName },
                noteFetched: { history.noteFetched($0) }, log: Logger(label: "filesystem"))
        } catch {
            throw .databaseDamaged(path: folders.database, detail: "\(error)")
        }
        control = MountControl(
            plan: plan, mountpoint: mountpoint, isLoggedIn: Self.login(of: credentials) != nil,
            store: store, lost: LostLook(staging.lostAndFound), engine: engine, cache: cache,
            documents: documents, pinner: pinner, remote: remote, client: client, traffic: traffic,
            rates: rates,
            history: history, session: session, sink: sink, log: log,
            live: Self.liveSettings(plan, cacheSize: cache.limit))
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

    /// The exports of cloud documents; nil if they are not read, and then none are kept.
    private static func documents(_ plan: MountPlan, _ remote: DropboxStore) -> DocumentExports? {
        guard plan.settings.cloudDocuments == .exported else {
            DocumentExports.remove(from: plan.folders.cache)
            return nil
        }
        return DocumentExports(remote: remote, folder: plan.folders.cache)
    }

    /// Where thumbnails for file managers are kept; nil if none are made. This process must not use
    /// its own mount.
    private static func thumbnailCache(
        _ plan: MountPlan, _ mountpoint: String
    ) -> ThumbnailCache? {
        guard plan.settings.makesThumbnails,
            let folder = plan.environment.thumbnailFolder.map({ resolvedPath($0) }),
            !isPath(folder, within: mountpoint)
        else { return nil }
        return ThumbnailCache(folder)
    }

    private static func liveSettings(_ plan: MountPlan, cacheSize: Int64) -> LiveSettings {
        let settings = plan.settings
        var live = LiveSettings(
            uploadRate: settings.uploadRate, downloadRate: settings.downloadRate,
            cacheSize: cacheSize, writeDelay: writeDelay(of: settings).seconds,
            logLevel: plan.environment.logLevel)
        live.uploadSchedule = settings.uploadSchedule
        live.downloadSchedule = settings.downloadSchedule
        return live
    }

    private static func client(
        _ plan: MountPlan, _ credentials: Credentials, _ owner: AccountRecord?,
        observers: [any DropboxObserver],
        hide: @escaping @Sendable (String) -> Void
    ) throws(CommandError) -> (DropboxClient, VerifiedTokens, any HTTPTransport) {
        let access = try DropboxAccess(plan.environment) { configuration in
            configuration.observers = observers
            let settings = plan.settings
            configuration.transport.uploadRate = settings.uploadRate.map { UInt64(clamping: $0) }
            configuration.transport.downloadRate = settings.downloadRate.map {
                UInt64(clamping: $0)
            }
        }
        let (source, folders, member) = (plan.source, plan.folders, plan.settings.member)
        let tokens = VerifiedTokens(
            access.tokens(
                credentials, command: CommandError.login(source.account, plan.environment.scope),
                hide: hide),
            expected: owner?.accountID
        ) { token in
            access.client(FixedAccessToken(token), member: member)
        } explanation: { found in
            CommandError.otherAccount(
                account: source.account, folder: folders.state,
                expected: owner?.person ?? "another account", found: found.person
            ).message
        }
        return (access.client(tokens, member: member), tokens, access.transport)
    }

    /// How often a cache that another process has is tried, twenty times a second.
    private static let cacheAttempts = 300

    private static func cache(_ plan: MountPlan) throws(CommandError) -> DiskBlockCache {
        let folder = plan.folders.blocks
        let limit = plan.settings.cacheSize ?? CacheSize.standard(free: freeBytes(at: folder))
        var attempts = 1
        while true {
            do throws(BlockCacheError) {
                return try DiskBlockCache(directory: folder, limit: limit)
            } catch .inUse where attempts < cacheAttempts {
                // This process has the account's lock, so the other one is about to end.
                attempts +|= 1
                usleep(50_000)
            } catch {
                throw reason(error, folder)
            }
        }
    }

    private static func reason(_ error: BlockCacheError, _ folder: String) -> CommandError {
        switch error {
        case .inUse: .folderInUse(folder: folder, by: "another process")
        case .notAFolder(let path): .folderUnusable(path: path, reason: "not a directory")
        case .system(let path, ENOSPC): .diskFull(path)
        case .system(let path, let code):
            .folderUnusable(path: path, reason: Errno(rawValue: code).description)
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

    private static func writeDelay(of settings: MountSettings) -> WriteDelay {
        settings.writeDelay.map { WriteDelay(seconds: $0) } ?? WriteDelay()
    }

    /// The longest write delay, and at least the longest pause after a refusal: an hour.
    private static func longestDelay(of settings: MountSettings) -> Double {
        max(3600, Double(writeDelay(of: settings).maximumNanoseconds) / 1e9)
    }

    /// The machine's name in conflicted copies.
    static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count -| 1) == 0 else { return "this computer" }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
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

extension FileSystemOptions {
    /// The user's choices over the defaults.
    init(_ plan: MountPlan, sharesPosix: Bool) {
        let settings = plan.settings
        self.init(userID: settings.user ?? getuid(), groupID: settings.group ?? getgid())
        self.sharesPosix = sharesPosix
        fileMask = settings.fileMask ?? fileMask
        folderMask = settings.folderMask ?? folderMask
        isReadOnly = settings.isReadOnly
        synchronizesRemotely = settings.synchronization == .remote
        gathersWrites = settings.gathersWrites
        foldsCase = settings.names == .fold
        refusesNames = settings.allowedNames == .strict
        cachedOnly = ProgramNames(settings.cachedOnly.names)
        refusesTrash = settings.trash == .refused
        ignored = plan.ignored
        rootPath = plan.source.remotePath.utf8.split(separator: UInt8(ascii: "/"))
            .compactMap { try? FileName(utf8: $0) }
    }
}

extension MountOptions {
    /// The options for the kernel and libfuse.
    init(_ plan: MountPlan) {
        self.init(source: plan.shownSource)
        let settings = plan.settings
        access = settings.allowsOthers ? .everybody : settings.allowsRoot ? .ownerAndRoot : .owner
        // With access for other users, only permission bits protect the files.
        checksPermissions =
            settings.checksPermissions || settings.allowsOthers || settings.allowsRoot
        isReadOnly = settings.isReadOnly
        gathersWrites = settings.gathersWrites
        kernelFlags = settings.kernelFlags
        // Left out as mount(8) does it, so that one fstab is for machines with and without SELinux.
        securityContext = FuseRequirements.hasSELinux ? settings.securityContext : nil
    }
}
