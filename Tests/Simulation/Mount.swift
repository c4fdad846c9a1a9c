// A mount of the account: its process can be killed, with its machine or alone, and begun again.
// Not responsible for the parts of the process, nor for what its users do.

import Core
import FileSystem
import MetadataStore
import RemoteStore
import Staging
import Sync

/// A mount's machine, and its process while it runs.
///
/// `unchecked`: used on the scheduler's thread only.
final class Mount: @unchecked Sendable {
    /// Nanoseconds after which a closed file is flushed: the two seconds that are promised, and a
    /// little.
    static let flushTime: Int64 = 2_500_000_000
    /// The jobs that a dead process has for its end.
    private static let lastJobs = 20_000

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
    /// The changes of the server after which the network is cut.
    private var changesBeforeSilence: Int?
    var pins = Pins()
    /// The patterns of what stays local.
    var ignored = ""
    var faults = 0
    var isCut = false
    var lacksDeltas = false
    /// When the last call of a user was over, by the scheduler's clock; nil during one, and after
    /// an interrupt, which may leave one running.
    var endOfStep: Int64? = 0
    /// The deleted folders that `status` has named as not searched.
    private(set) var reported: Set<String> = []
    /// When the process died, by the scheduler's clock.
    private var timeOfDeath: Int64?
    /// Number of requests of earlier processes.
    private var earlierRequests = 0
    /// The folders that they may have made.
    private var earlierFolders: Set<RemotePath> = []

    init(name: String, machine: Machine, world: World) {
        self.name = name
        self.machine = machine
        self.world = world
    }

    var requests: Int { earlierRequests + (process?.link.requests ?? 0) }

    /// The folders that a process may have made, as far as it knows.
    var uncertainFolders: Set<RemotePath> {
        earlierFolders.union(process?.link.uncertainFolders ?? [])
    }

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
            process.link.onCopy = { [unowned self] in world.noteCopied($0) }
            process.link.onRefusal = { [unowned self] in world.noteRefusal(of: $0, to: self) }
            process.link.onRequest = { [unowned self] in world.check($0, of: self) }
            process.link.onPlace = { [unowned self] in world.check(place: $0, from: $1, of: self) }
            try checkFound(process)
            try checkLocal(process)
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

    /// Kills the process before it changes something on the disk once more than so many times. No
    /// later change of it reaches the database, the disk or the server.
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

    /// Cuts the network when the server has made the last of so many changes for this mount.
    func cutNetwork(afterChanges count: Int) { changesBeforeSilence = count }

    /// The server has changed something for this process.
    private func noteChange(_ isDead: Mark) {
        world.noteFolders()
        if let left = changesBeforeSilence {
            changesBeforeSilence = left > 1 ? left - 1 : nil
            if left <= 1 {
                world.count("networks cut within a request")
                isCut = true
                setNetwork()
            }
        }
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
        changesBeforeSilence = nil
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
    func checkFlushed(_ store: MetadataStore) throws {
        let contents = try store.read { snapshot in
            try snapshot.stagedNodes().flatMap { node in
                [node.staged, try snapshot.fallback(of: node.inode)].compactMap(\.self)
            }
        }
        for content in contents where content.isFlushed {
            let needed = content.bytesOnDisk
            guard needed > 0 || content.base == nil else { continue }
            let file = machine.disk.file("\(machine.folder)/staging/\(content.file)")
            if let file, file.bytes.count >= needed { continue }
            throw Violation(
                rule: "flushed content is missing",
                detail: "\(name) \(content), of which the disk has \(file?.bytes.count ?? -1)")
        }
    }

    /// No row names a file that was put aside: the next start would take it for lost.
    func checkPutAside(_ store: MetadataStore) throws {
        let numbers = Set(
            machine.disk.list("\(machine.folder)/lost+found").filter { !$0.hasSuffix(".json") }
                .compactMap { Int64($0.prefix { $0.isNumber }) })
        let rows = try store.read { try $0.stagingFiles() }
        guard let number = rows.intersection(numbers).min() else { return }
        throw Violation(rule: "a row names content that was put aside", detail: "\(name) \(number)")
    }

    /// What stays here has all its content here: the server may keep it no longer.
    func checkLocal(_ process: MountProcess) throws {
        let nodes = try process.store.read { try $0.stagedNodes() }
        for node in nodes where node.flags.contains(.localOnly) {
            guard let file = try process.staging.file(of: node), !file.missingRanges.isEmpty else {
                continue
            }
            throw Violation(
                rule: "a local-only file lacks content",
                detail: "\(name) \(node.inode) \(file.missingRanges)")
        }
    }

    func checkPins(_ store: MetadataStore) throws {
        guard let inode = try store.read({ try pins.lost(in: $0) }) else { return }
        throw Violation(rule: "a pin is lost", detail: "\(name) \(inode)")
    }

    /// Content is put aside after a power cut only.
    private func checkFound(_ process: MountProcess) throws {
        let found = process.staging.found
        for content in found { world.count("put aside: \(content.reason)") }
        if !found.isEmpty { world.hasPutAside = true }
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
            world.forgetView()
            pins.forgetOpened()
            earlierRequests += process.link.requests
            earlierFolders.formUnion(process.link.uncertainFolders)
            self.process = nil
            settleOld(since: process.start)
            if process.isDead.isSet {
                if !endsByCut {
                    world.count("kills")
                    world.ledger.noteDeath(of: name)
                }
                machine.disk.endProcess()
            }
            do {
                // A call of a dead process may never return: while it is waited for, time passes
                // for the other mounts.
                let limit = process.isDead.isSet ? Self.lastJobs : Scheduler.mostJobs
                try world.scheduler.value(within: limit) { await process.engine.stop() }
            } catch is Scheduler.Stuck where process.isDead.isSet {
            }
            if !process.isDead.isSet {
                process.fileSystem.saveOpenFiles()
                process.staging.end()
            }
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
                let place = node.place.map { place in
                    let own = place.name.own.map { String(decoding: $0.bytes, as: UTF8.self) }
                    return "\(place.parent)/\(place.name.string)" + (own.map { "«\($0)»" } ?? "")
                }
                let remote = try snapshot.remotePlace(of: node).map {
                    "\($0.parent)/\($0.name.folded)"
                }
                let mark = node.flags.contains(.listed) ? "*" : ""
                let text = node.staged.flatMap { staged in
                    process.map {
                        "'\(world.text(of: node, $0))'\(staged.generation)/\(staged.flushed)"
                    }
                }
                return
                    "\(node.inode)\(mark):\(place ?? "-")→\(remote ?? "-")=\(node.facts.id?.rawValue ?? "?")\(text ?? "")"
            }.joined(separator: " ")
        }
    }

    /// Lets the link of the process be as the mount's network is.
    func setNetwork() {
        process?.link.faults = faults
        process?.link.isCut = isCut
        process?.link.lacksDeltas = lacksDeltas
    }
}
