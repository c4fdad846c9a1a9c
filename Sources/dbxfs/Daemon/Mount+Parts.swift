// The parts of a mount, made from its plan. Not responsible for their connections, nor for their
// start and end (`Mount.swift`).

import BlockCache
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
import Sync
import SystemPackage

extension Mount {
    // MARK: The server

    static func client(
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

    // MARK: Content

    /// How often a cache that another process has is tried, twenty times a second.
    private static let cacheAttempts = 300

    static func cache(_ plan: MountPlan) throws(CommandError) -> DiskBlockCache {
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

    /// The reader of content. It has the kernel forget contents whose bytes turned out to be wrong.
    static func reader(
        _ remote: DropboxStore, _ cache: DiskBlockCache, _ store: MetadataStore,
        _ invalidator: KernelInvalidator
    ) -> ContentReader {
        ContentReader(remote: remote, cache: cache, log: Logger(label: "reader")) { content in
            // Not on the thread that has found it, which may serve the kernel.
            Task {
                let inodes = try? await store.read { try $0.inodes(withHash: content.hash) }
                for inode in inodes ?? [] { invalidator.forgetContent(of: inode) }
            }
        }
    }

    static func pinner(
        _ store: MetadataStore, _ cache: DiskBlockCache, _ reader: ContentReader,
        _ remote: DropboxStore, _ engine: SyncEngine
    ) -> Pinner {
        Pinner(
            store: store, cache: cache, reader: reader,
            folders: FolderReader(
                store: store, cache: cache, remote: remote, log: Logger(label: "pins"),
                isWanted: { cache.isPinned($0) }),
            sync: { engine.status }, log: Logger(label: "pins"))
    }

    /// The exports of cloud documents; nil if they are not read, and then none are kept.
    static func documents(_ plan: MountPlan, _ remote: DropboxStore) -> DocumentExports? {
        guard plan.settings.cloudDocuments == .exported else {
            DocumentExports.remove(from: plan.folders.cache)
            return nil
        }
        return DocumentExports(remote: remote, folder: plan.folders.cache)
    }

    /// The thumbnails for file managers; nil if none are made.
    static func thumbnails(
        _ plan: MountPlan, _ mountpoint: String, _ store: MetadataStore, _ reader: ContentReader,
        _ remote: DropboxStore, _ engine: SyncEngine
    ) -> FolderThumbnails? {
        guard let pictures = thumbnailCache(plan, mountpoint) else { return nil }
        return FolderThumbnails(
            store: store, sync: engine, reader: reader, remote: remote, cache: pictures,
            mountpoint: mountpoint, userID: geteuid(),
            isOnline: {
                let status = engine.status
                return status.connection == .online && !status.isPaused
            }, log: Logger(label: "thumbnails"))
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

    // MARK: Settings

    /// The configuration of the engine.
    static func configuration(
        _ settings: MountSettings, _ options: FileSystemOptions
    ) -> SyncEngine.Configuration {
        SyncEngine.Configuration(
            host: hostName, writeDelay: writeDelay(of: settings),
            longestDelay: longestDelay(of: settings), posix: options.posix,
            refusesNames: options.refusesNames, isReadOnly: options.isReadOnly,
            watchesNetwork: true)
    }

    static func liveSettings(_ plan: MountPlan, cacheSize: Int64) -> LiveSettings {
        let settings = plan.settings
        var live = LiveSettings(
            uploadRate: settings.uploadRate, downloadRate: settings.downloadRate,
            cacheSize: cacheSize, writeDelay: writeDelay(of: settings).seconds,
            logLevel: plan.environment.logLevel)
        live.uploadSchedule = settings.uploadSchedule
        live.downloadSchedule = settings.downloadSchedule
        return live
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
