// The process of a mount: the store, the staging files, the filesystem and the sync, as `dbxfs`
// puts them together. Not responsible for when it begins and ends.

import Blocking
import Core
import FileSystem
import Logging
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import Sync
import Tree

/// The parts of a mount's process.
final class MountProcess: @unchecked Sendable {
    /// The process was killed before.
    struct Dead: Error {}

    let isDead: Mark
    /// When it began, by the scheduler's clock.
    let start: Int64
    let link: Link
    let store: MetadataStore
    let staging: StagingArea
    let engine: SyncEngine
    let fileSystem: DropboxFileSystem
    let kernel: Kernel
    private(set) lazy var user = User(name: name, process: self, world: world)
    unowned let mount: Mount
    private let name: String
    private unowned let world: World

    init(of mount: Mount, isDead: Mark) throws {
        let (world, name, machine) = (mount.world, mount.name, mount.machine)
        self.mount = mount
        self.world = world
        self.name = name
        self.isDead = isDead
        let scheduler = world.scheduler
        start = scheduler.now
        link = Link(
            world.server, scheduler: scheduler, isDead: isDead,
            belated: world.plan.isLate ? world.belated : nil,
            note: { [unowned mount] in world.note("  \(name) \($0)", of: mount) },
            count: { [unowned world] in world.count($0) })
        link.distance = world.plan.distance
        store = try MetadataStore(machine.database) { access in
            if isDead.isSet { throw Dead() }
            try machine.access(access)
        }
        try mount.checkFlushed(store)
        try mount.checkPutAside(store)
        try mount.checkPins(store)
        staging = try StagingArea(
            directory: machine.folder + "/staging", store: store,
            queue: { _ in VirtualQueue(scheduler: scheduler, isDead: isDead) })
        let clock = MachineClock(machine: machine, clock: VirtualClock(scheduler: scheduler))
        let openFiles = OpenFiles()
        let invalidator = KernelInvalidator()
        let log = Logger(label: name) { _ in
            WorldLog(name: name, world: world, logLevel: world.verbose ? .debug : .warning)
        }
        var options = FileSystemOptions(userID: 1000, groupID: 1000)
        options.sharesPosix = world.plan.sharesModes
        engine = SyncEngine(
            configuration: .init(
                host: name,
                writeDelay: world.plan.isHurried ? WriteDelay(seconds: 0) : WriteDelay(),
                posix: options.posix),
            store: store, staging: staging, remote: link,
            cache: NoContentCache(), openFiles: openFiles, observer: invalidator, clock: clock,
            disk: .inPlace, log: log)
        try options.ignored.append(parsing: mount.ignored)
        fileSystem = try DropboxFileSystem(
            store: store, staging: staging, sync: engine, reader: DirectReader(remote: link),
            openFiles: openFiles, invalidator: invalidator,
            options: options, clock: clock, disk: .inPlace,
            queue: { _ in VirtualQueue(scheduler: scheduler, isDead: isDead) }, log: log)
        kernel = Kernel(
            fs: fileSystem, scheduler: scheduler, isDead: isDead, keepsNames: world.plan.keepsNames)
        if kernel.keepsNames { invalidator.attach(kernel) }
    }
}

extension MountProcess {
    /// Checks that the kernel's caches have what the filesystem would answer.
    func checkKernel() throws {
        guard kernel.keepsNames, !isDead.isSet else { return }
        try kernel.check(name) { [world, store] inode in
            guard let node = try? store.read({ try $0.node(inode) }) else { return nil }
            return world.text(of: node, self)
        }
    }

    /// Pins a node or ends its pin, as `Pinner` does.
    func setPin(_ isPinned: Bool, of inode: InodeID) throws {
        try store.write { try $0.setPin(isPinned, of: inode) }
        try store.synchronize()
    }
}

/// The time of the history, and the date that a machine takes it for.
private struct MachineClock: SyncClock {
    let machine: Machine
    let clock: VirtualClock

    func now() -> WallTime { clock.now() }

    func date() -> WallTime { WallTime(nanoseconds: machine.disk.date) }

    func sleep(until time: WallTime) async throws(CancellationError) {
        try await clock.sleep(until: time)
    }
}

/// Reads content from the server, each time anew.
private struct DirectReader: ContentReading {
    let remote: Link

    func isCached(_ content: FileVersion) -> Bool { false }

    func cachedBytes(of content: FileVersion, range: Range<Int64>) -> [UInt8]? {
        range.isEmpty ? [] : nil
    }

    func bytes(
        of content: FileVersion, range: Range<Int64>, session: ReadSession
    ) async throws(RemoteError) -> [UInt8] {
        let stream = try await remote.download(content.revision, range: range)
        var bytes: [UInt8] = []
        while let piece = try await stream.next() { bytes += piece }
        return bytes
    }
}

/// Has the log of a mount checked, and puts it into the history.
private struct WorldLog: LogHandler {
    let name: String
    let world: World
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    init(name: String, world: World, logLevel: Logger.Level) {
        self.name = name
        self.world = world
        self.logLevel = logLevel
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        world.check(event, of: name)
        if world.verbose { world.note("  \(name) log: \(event.message) \(event.metadata ?? [:])") }
    }
}
