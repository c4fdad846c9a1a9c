// A mount of the account: the store, the staging files, the filesystem and the sync of one process, which can be killed
// and begun again. Not responsible for what its users do.

import Blocking
import Core
import FileSystem
import Foundation
import Logging
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import Sync

/// A mount's state folder, and its process while it runs.
///
/// `unchecked`: used on the scheduler's thread only.
final class Mount: @unchecked Sendable {
    let name: String
    let folder: String
    let database: MemoryDatabase
    let world: World
    private(set) var process: MountProcess?
    var faults = 0
    var isCut = false
    /// The deleted folders that `status` has named as not searched.
    private(set) var reported: Set<String> = []
    /// Number of requests of earlier processes.
    private var earlierRequests = 0

    init(name: String, folder: String, database: MemoryDatabase, world: World) throws {
        self.name = name
        self.folder = folder
        self.database = database
        self.world = world
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    var requests: Int { earlierRequests + (process?.link.requests ?? 0) }

    /// Begins a process, unless one runs.
    func start() throws {
        guard process == nil else { return }
        world.note("\(name) starts")
        let process = try MountProcess(of: self)
        self.process = process
        setNetwork()
        try world.scheduler.value { try await process.engine.start() }
    }

    /// Kills the process: nothing of it reaches the database, the disk or the server any more.
    func kill() throws {
        guard let process else { return }
        world.note("\(name) is killed")
        process.isDead.isSet = true
        try end(process)
    }

    /// Ends the process in order. What is not sent stays queued.
    func stop() throws {
        guard let process else { return }
        world.note("\(name) ends")
        process.user.closeAll()
        try end(process)
    }

    /// Takes what `status` names.
    func noteReports() {
        guard let status = process?.engine.status else { return }
        reported.formUnion(status.unsearchedFolders)
    }

    private func end(_ process: MountProcess) throws {
        noteReports()
        earlierRequests += process.link.requests
        self.process = nil
        try world.scheduler.value { await process.engine.stop() }
        process.isDead.isSet = true
    }

    /// The rows of the tree, for people.
    func rows() -> String? {
        try? process?.store.read { snapshot in
            try (1...60).compactMap { try snapshot.node(InodeID($0)) }.map { node in
                let place = node.place.map { "\($0.parent)/\($0.name.string)" } ?? "-"
                let remote = try snapshot.remotePlace(of: node).map {
                    "\($0.parent)/\($0.name.folded)"
                }
                let mark = node.flags.contains(.listed) ? "*" : ""
                return
                    "\(node.inode)\(mark):\(place)→\(remote ?? "-")=\(node.facts.id?.rawValue ?? "?")"
            }.joined(separator: " ")
        }
    }

    /// Lets the link of the process be as the mount's network is.
    func setNetwork() {
        process?.link.faults = faults
        process?.link.isCut = isCut
    }
}

/// The parts of a mount's process.
final class MountProcess: @unchecked Sendable {
    /// The process was killed before.
    struct Dead: Error {}

    let isDead = Mark()
    let link: Link
    let store: MetadataStore
    let staging: StagingArea
    let engine: SyncEngine
    let fileSystem: DropboxFileSystem
    private(set) lazy var user = User(name: name, process: self, world: world)
    private let name: String
    private unowned let world: World

    init(of mount: Mount) throws {
        let (world, name, isDead) = (mount.world, mount.name, isDead)
        self.world = world
        self.name = name
        let scheduler = world.scheduler
        link = Link(
            world.server, scheduler: scheduler, isDead: isDead,
            note: { [unowned mount] in world.note("  \(name) \($0)", of: mount) })
        link.distance = world.plan.distance
        store = try MetadataStore(mount.database) {
            if isDead.isSet { throw Dead() }
        }
        staging = try StagingArea(
            directory: mount.folder + "/staging", store: store,
            queue: { _ in VirtualQueue(scheduler: scheduler, isDead: isDead) })
        let clock = VirtualClock(scheduler: scheduler)
        let openFiles = OpenFiles()
        let relay = TreeChangeRelay()
        let log = Logger(label: name) { _ -> any LogHandler in
            if world.verbose { return WorldLog(name: name, world: world) }
            return SwiftLogNoOpLogHandler()
        }
        engine = SyncEngine(
            configuration: .init(host: name), store: store, staging: staging, remote: link,
            cache: NoContentCache(), openFiles: openFiles, observer: relay, clock: clock,
            disk: .inPlace, log: log)
        fileSystem = try DropboxFileSystem(
            store: store, staging: staging, sync: engine, reader: DirectReader(remote: link),
            openFiles: openFiles, relay: relay,
            options: FileSystemOptions(userID: 1000, groupID: 1000), clock: clock, disk: .inPlace,
            log: log)
    }
}

/// Reads content from the server, each time anew.
private struct DirectReader: ContentReading {
    let remote: Link

    func cachedBytes(of content: FileContent, range: Range<Int64>) -> [UInt8]? {
        range.isEmpty ? [] : nil
    }

    func bytes(
        of content: FileContent, range: Range<Int64>, session: ReadSession
    ) async throws(RemoteError) -> [UInt8] {
        let stream = try await remote.download(content.revision, range: range)
        var bytes: [UInt8] = []
        while let piece = try await stream.next() { bytes += piece }
        return bytes
    }
}

/// Puts the log of a mount into the history.
private struct WorldLog: LogHandler {
    let name: String
    let world: World
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    init(name: String, world: World) {
        self.name = name
        self.world = world
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        world.note("  \(name) log: \(event.message) \(event.metadata ?? [:])")
    }
}
