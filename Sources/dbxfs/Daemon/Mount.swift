// The composition root: the parts of a mount, their connections, and the order of their start and
// end. `MountProcess.swift` has the process around it.

import BlockCache
import Core
import DropboxAPI
import FileSystem
import Fuse
import Glibc
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
    private static let knownAccountPatience = 3.0

    let plan: MountPlan
    let mountpoint: String
    let store: MetadataStore
    /// The account whose files the state folder has; nil before its first mount.
    private let owner: AccountRecord?
    private let staging: StagingArea
    let lost: LostLook
    let engine: SyncEngine
    let cache: DiskBlockCache
    let traffic: TrafficCounter
    let client: DropboxClient
    private let tokens: VerifiedTokens
    let credentials: Credentials
    let remote: DropboxStore
    let fileSystem: DropboxFileSystem
    private let relay: TreeChangeRelay
    let pinner: Pinner
    private let pinning = Mutex<Task<Void, Never>?>(nil)
    private let notifier = Notifier()
    private let session = Mutex<Session?>(nil)
    private let sessionEnd = Latch()
    let sink: LogSink
    let log: Logger
    /// Settings that commands have changed. Held while parts adopt them, which take their own
    /// locks.
    let live: Mutex<LiveSettings>

    /// Opens the local parts and connects them; no task runs yet. `sink` gets every new secret.
    init(
        _ plan: MountPlan, mountpoint: String, credentials: Credentials, sink: LogSink, log: Logger
    ) throws(CommandError) {
        self.plan = plan
        self.mountpoint = mountpoint
        self.credentials = credentials
        self.sink = sink
        self.log = log
        let settings = plan.settings
        let folders = plan.folders

        store = try Self.open(folders.database) { try MetadataStore(path: folders.database) }
        let store = store
        owner = try AccountIdentity.owner(of: store, plan)

        traffic = TrafficCounter()
        (client, tokens) = try Self.client(plan, credentials, owner, traffic: traffic) {
            sink.hide($0)
        }
        remote = DropboxStore(
            client: client, prefix: RemotePath(rawValue: plan.source.remotePath))

        staging = try Self.open(folders.staging) {
            try StagingArea(directory: folders.staging, store: store)
        }
        lost = LostLook(staging.lostAndFound)
        for lost in staging.found {
            log.error(
                "content was put aside",
                metadata: [
                    "path": "\(lost.path ?? "unknown")", "reason": "\(lost.explanation)",
                    "folder": "\(staging.lostAndFound.folder)",
                ])
        }
        cache = try Self.cache(plan)
        live = Mutex(
            LiveSettings(
                uploadRate: settings.uploadRate, downloadRate: settings.downloadRate,
                cacheSize: cache.limit,
                writeDelay: Self.writeDelay(of: settings).seconds,
                logLevel: plan.environment.logLevel))

        relay = TreeChangeRelay()
        let openFiles = OpenFiles()
        engine = SyncEngine(
            configuration: .init(
                host: Self.hostName, writeDelay: Self.writeDelay(of: settings),
                longestDelay: Self.longestDelay(of: settings)), store: store, staging: staging,
            remote: remote, cache: cache, openFiles: openFiles, observer: relay,
            log: Logger(label: "sync"))
        let reader = ContentReader(
            remote: remote, cache: cache, log: Logger(label: "reader"))
        let engine = engine
        let cache = cache
        pinner = Pinner(
            store: store, cache: cache, reader: reader,
            folders: FolderReader(
                store: store, cache: cache, remote: remote, log: Logger(label: "pins"),
                isWanted: { cache.isPinned($0) }),
            sync: { engine.status }, log: Logger(label: "pins"))
        do throws(FileSystemError) {
            fileSystem = try DropboxFileSystem(
                store: store, staging: staging, sync: engine, reader: reader,
                folderReader: FolderReader(
                    store: store, cache: cache, remote: remote, log: Logger(label: "folders")),
                openFiles: openFiles, relay: relay, options: FileSystemOptions(plan),
                log: Logger(label: "filesystem"))
        } catch {
            throw .databaseDamaged(path: folders.database, detail: "\(error)")
        }
    }

    // MARK: Parts

    private static func client(
        _ plan: MountPlan, _ credentials: Credentials, _ owner: AccountRecord?,
        traffic: TrafficCounter,
        hide: @escaping @Sendable (String) -> Void
    ) throws(CommandError) -> (DropboxClient, VerifiedTokens) {
        let access = try DropboxAccess(plan.environment) { configuration in
            configuration.observers = [traffic]
            let settings = plan.settings
            configuration.transport.uploadLimit = settings.uploadRate.map { UInt64(clamping: $0) }
            configuration.transport.downloadLimit = settings.downloadRate.map {
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
        return (access.client(tokens, member: member), tokens)
    }

    private static func cache(_ plan: MountPlan) throws(CommandError) -> DiskBlockCache {
        let folder = plan.folders.blocks
        let limit = plan.settings.cacheSize ?? CacheSize.standard(free: freeBytes(at: folder))
        do throws(BlockCacheError) {
            return try DiskBlockCache(directory: folder, limit: limit)
        } catch {
            switch error {
            case .inUse: throw .folderInUse(folder: folder, by: "another process")
            case .notAFolder(let path):
                throw .folderUnusable(path: path, reason: "not a directory")
            case .system(let path, ENOSPC): throw .diskFull(path)
            case .system(let path, let code):
                throw .folderUnusable(path: path, reason: Errno(rawValue: code).description)
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
    var login: StoredLogin? {
        if case .login(let login, _) = credentials { login } else { nil }
    }

    // MARK: Start

    /// Checks the account, and starts following the server. Returns a notice for the user.
    func prepare() throws(CommandError) -> String? {
        let engine = engine
        let identity = AccountIdentity(
            folders: plan.folders, source: plan.source, root: plan.settings.root,
            environment: plan.environment, login: login, tokens: tokens, known: owner, store: store)
        try Self.open(plan.folders.database) { try engine.recallRoot() }
        let notice = try identity.check(remote, knownPatience: Self.knownAccountPatience)
        let failure = Thread.waiting { () async -> String? in
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
        try serve()
        let pinner = pinner
        pinning.withLock { $0 = Task { await pinner.run() } }
    }

    private func serve() throws(CommandError) {
        let session: Session
        do throws(Fuse.MountError) {
            session = try Session.mount(
                fileSystem, at: FilePath(mountpoint), options: MountOptions(plan),
                notifier: notifier, log: Logger(label: "fuse"))
        } catch {
            throw .mountRefused(error.description)
        }
        self.session.withLock { $0 = session }
        relay.attach(notifier)
        let (sessionEnd, log) = (sessionEnd, log)
        Task.detached {
            do {
                try await session.run()
            } catch {
                log.error("\(error)")
            }
            sessionEnd.set()
        }
        let isReady = Thread.waiting {
            (try? await session.waitUntilReady()) != nil
        }
        guard isReady == true else {
            throw .mountRefused("the kernel ended the mount at \(mountpoint) before it was ready")
        }
    }

    // MARK: End

    /// Unmounts, if it is mounted, and lets running requests finish for a moment.
    func detach() {
        guard let session = session.withLock({ $0 }) else { return }
        Task.detached { await session.stop() }
    }

    /// Number of requests from the kernel, by kind.
    var calls: [String: Int] {
        session.withLock { $0 }?.calls.mapValues { Int(clamping: $0) } ?? [:]
    }

    /// Whether the session has ended.
    var hasEnded: Bool { sessionEnd.hasHappened }

    /// Blocks until the mount is detached by any process.
    func waitForEnd() {
        sessionEnd.wait()
        relay.attach(nil)
    }

    /// Whether local-only files exist. Unknown is not none.
    var keepsFiles: Bool { (try? store.read { try $0.localTotals().files > 0 }) ?? true }

    /// Closes all parts; unsent changes stay queued.
    func close() {
        if session.withLock({ $0 }) != nil, !hasEnded {
            detach()
            sessionEnd.wait()
        }
        let (engine, client) = (engine, client)
        let pinning = pinning.withLock { $0 }
        pinning?.cancel()
        _ = Thread.waiting {
            await pinning?.value
            await engine.stop()
            await client.shutDown()
        }
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
    init(_ plan: MountPlan) {
        let settings = plan.settings
        self.init(userID: settings.user ?? getuid(), groupID: settings.group ?? getgid())
        fileMask = settings.fileMask ?? fileMask
        folderMask = settings.folderMask ?? folderMask
        isReadOnly = settings.isReadOnly
        synchronizesRemotely = settings.synchronization == .remote
        gathersWrites = settings.gathersWrites
        foldsCase = settings.names == .fold
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
    }
}
