// A mount of the account: the store, the staging files, the filesystem and the sync of one process, which can be killed,
// with its machine or alone, and begun again. Not responsible for what its users do.

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

/// A mount's machine, and its process while it runs.
///
/// `unchecked`: used on the scheduler's thread only.
final class Mount: @unchecked Sendable {
    /// Nanoseconds after which a closed file is flushed: the two seconds that are promised, and a little.
    static let flushTime: Int64 = 2_500_000_000

    let name: String
    let machine: Machine
    let world: World
    private(set) var process: MountProcess?
    /// The process ends by a power cut, when it ends by itself.
    private var endsByCut = false
    /// The power was cut since the last start.
    private var wasCut = false
    /// The calls to the disk after which the next process ends.
    private var callsOfNext: Int?
    /// The changes of the server after which the power is cut.
    private var changesLeft: Int?
    var pins = Pins()
    /// The patterns of what stays local.
    var ignored = ""
    var faults = 0
    var isCut = false
    /// The deleted folders that `status` has named as not searched.
    private(set) var reported: Set<String> = []
    /// When the process died, by the scheduler's clock.
    private var timeOfDeath: Int64?
    /// Number of requests of earlier processes.
    private var earlierRequests = 0

    init(name: String, machine: Machine, world: World) {
        self.name = name
        self.machine = machine
        self.world = world
    }

    var requests: Int { earlierRequests + (process?.link.requests ?? 0) }

    /// Begins a process, unless one runs.
    func start() throws {
        guard process == nil else { return }
        world.note("\(name) starts")
        let isDead = Mark()
        timeOfDeath = nil
        machine.disk.onEnd = { [unowned self] in die(isDead) }
        machine.disk.beginProcess()
        machine.disk.callsLeft = callsOfNext
        callsOfNext = nil
        do {
            let process = try MountProcess(of: self, isDead: isDead)
            self.process = process
            process.link.onChange = { [unowned self] in noteChange(isDead) }
            try checkFound(process)
            setNetwork()
            try world.scheduler.value { try await process.engine.start() }
        } catch {
            if machine.disk.isFull, !isDead.isSet {
                world.note("\(name) does not start: \(error)")
                if let process { return try end(process) }
                return machine.disk.endProcess()
            }
            guard isDead.isSet else { throw error }
            try reap()
            if process == nil { try end(nil) }
        }
    }

    /// Kills the process before it changes something on the disk once more than so many times. No later change of it reaches
    /// the database, the disk or the server.
    func kill(after calls: Int) throws {
        guard process != nil else { return }
        endsByCut = false
        try end(after: calls)
    }

    /// Cuts the power of the machine, in the same way. Without a process the next one meets it.
    func cutPower(after calls: Int) throws {
        endsByCut = true
        if process == nil {
            if calls == 0 { return try end(nil) }
            callsOfNext = calls
            return
        }
        try end(after: calls)
    }

    private func end(after calls: Int) throws {
        machine.disk.callsLeft = calls
        guard calls == 0 else { return world.count("ends set within a call") }
        process?.isDead.isSet = true
        try reap()
    }

    /// Cuts the power of the machine when the server has made the last of so many changes for it.
    func cutPower(afterChanges count: Int) { changesLeft = count }

    /// The server has changed something for this process.
    private func noteChange(_ isDead: Mark) {
        guard let left = changesLeft, !isDead.isSet else { return }
        changesLeft = left > 1 ? left - 1 : nil
        guard left <= 1 else { return }
        endsByCut = true
        machine.disk.endProcess()
        die(isDead)
    }

    /// From now on, the process flushes nothing, although its users may wait for it for a while.
    private func die(_ isDead: Mark) {
        if timeOfDeath == nil { timeOfDeath = world.scheduler.now }
        isDead.isSet = true
    }

    /// No process that runs from now on ends by itself.
    func spare() {
        machine.disk.callsLeft = nil
        callsOfNext = nil
        changesLeft = nil
    }

    /// Ends the process in order, and begins one with other options.
    func remount(ignoring patterns: String) throws {
        world.count("remounts")
        try stop()
        ignored = patterns
        try start()
    }

    /// Ends a process that has died.
    func reap() throws {
        guard let process, process.isDead.isSet else { return }
        world.note("\(name) is dead")
        try end(process)
    }

    /// Flushed content of a row is on the disk: no file is removed before its row.
    fileprivate func checkFlushed(_ store: MetadataStore) throws {
        let contents = try store.read { snapshot in
            try snapshot.stagedNodes().flatMap { node in
                [node.staged, try snapshot.fallback(of: node.inode)].compactMap(\.self)
            }
        }
        for content in contents where content.isFlushed {
            guard content.base == nil || content.blocks.contains(where: { $0 != 0 }) else {
                continue
            }
            let file = machine.disk.file("\(machine.folder)/staging/\(content.file)")
            if let file, file.bytes.count >= content.size { continue }
            throw Violation(
                rule: "flushed content is missing",
                detail: "\(name) \(content), of which the disk has \(file?.bytes.count ?? -1)")
        }
    }

    /// No row names a file that was put aside: the next start would take it for lost.
    fileprivate func checkPutAside(_ store: MetadataStore) throws {
        let numbers = Set(
            machine.disk.list("\(machine.folder)/lost+found").filter { !$0.hasSuffix(".json") }
                .compactMap { Int64($0.prefix { $0.isNumber }) })
        let rows = try store.read { try $0.stagingFiles() }
        guard let number = rows.intersection(numbers).min() else { return }
        throw Violation(rule: "a row names content that was put aside", detail: "\(name) \(number)")
    }

    func checkPins(_ store: MetadataStore) throws {
        guard let inode = try store.read({ try pins.lost(in: $0) }) else { return }
        throw Violation(rule: "a pin is lost", detail: "\(name) \(inode)")
    }

    /// Content is put aside after a power cut only.
    private func checkFound(_ process: MountProcess) throws {
        let found = process.staging.found
        for content in found { world.count("put aside: \(content.reason)") }
        if let first = found.first, !wasCut {
            throw Violation(rule: "put aside without a power cut", detail: "\(name) \(first)")
        }
        wasCut = false
    }

    /// Ends the process in order. Unsent changes stay queued.
    func stop() throws {
        guard let process else { return }
        world.note("\(name) ends")
        endsByCut = false
        process.user.closeAll()
        machine.disk.callsLeft = nil
        try end(process)
        if world.plan.flushes(machine.index) { world.ledger.settle(of: name, until: .max) }
    }

    /// Takes what `status` names.
    func noteReports() {
        guard let status = process?.engine.status else { return }
        reported.formUnion(status.unsearchedFolders)
    }

    private func end(_ process: MountProcess?) throws {
        if let process {
            noteReports()
            earlierRequests += process.link.requests
            self.process = nil
            settleOld(since: process.start)
            if process.isDead.isSet {
                if !endsByCut { world.count("kills") }
                machine.disk.endProcess()
            }
            do {
                try world.scheduler.value { await process.engine.stop() }
            } catch is Scheduler.Stuck where process.isDead.isSet {
                // A call of a dead process never returns.
            }
            if !process.isDead.isSet { process.staging.end() }
            process.isDead.isSet = true
        }
        machine.disk.endProcess()
        guard endsByCut else { return }
        world.count("power cuts")
        (endsByCut, wasCut) = (false, true)
        try machine.cutPower()
        world.cutPower(of: self)
    }

    /// Files closed a while ago have been flushed since.
    private func settleOld(since start: Int64) {
        let time = (timeOfDeath ?? world.scheduler.now) - Self.flushTime
        guard start <= time, world.plan.flushes(machine.index) else { return }
        world.ledger.settle(of: name, until: time)
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
    fileprivate unowned let world: World

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
        let relay = TreeChangeRelay()
        let log = Logger(label: name) { _ -> any LogHandler in
            if world.verbose { return WorldLog(name: name, world: world) }
            return SwiftLogNoOpLogHandler()
        }
        engine = SyncEngine(
            configuration: .init(
                host: name,
                writeDelay: world.plan.isHurried ? WriteDelay(seconds: 0) : WriteDelay()),
            store: store, staging: staging, remote: link,
            cache: NoContentCache(), openFiles: openFiles, observer: relay, clock: clock,
            disk: .inPlace, log: log)
        var options = FileSystemOptions(userID: 1000, groupID: 1000)
        try options.ignored.append(parsing: mount.ignored)
        fileSystem = try DropboxFileSystem(
            store: store, staging: staging, sync: engine, reader: DirectReader(remote: link),
            openFiles: openFiles, relay: relay,
            options: options, clock: clock, disk: .inPlace, log: log)
        kernel = Kernel(
            fs: fileSystem, scheduler: scheduler, isDead: isDead, keepsNames: world.plan.keepsNames)
        if kernel.keepsNames { relay.attach(kernel) }
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
