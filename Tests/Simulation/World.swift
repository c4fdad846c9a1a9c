// One history: the server, the mounts and the other client of a plan, the rules that must hold
// after each step, and those that must hold in the end.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import Sync

/// Something that must not be.
struct Violation: Error, Hashable, CustomStringConvertible {
    /// The rule that is broken; histories that break the same rule may have the same cause.
    var rule: String
    var detail: String

    var description: String { "\(rule): \(detail)" }
}

/// The surroundings of one history.
///
/// `unchecked`: used on the scheduler's thread only.
final class World: @unchecked Sendable {
    let plan: Plan
    let scheduler: Scheduler
    let server: InMemoryStore
    let ledger = Ledger()
    var removals = Removals()
    var moves = Moves()
    var unseen = Unseen()
    var names = Names()
    var rights = Rights()
    var histories = Histories()
    var view = View()
    var requests = Requests()
    var setModes = SetModes()
    var unsentModes = UnsentModes()
    var formerFolders = FormerFolders()
    var folders = Folders()
    /// The contents that the server has copied for mounts, by the keys of the copies' names.
    var copiesByServer: [String: String] = [:]
    /// The keys of names that other clients have given to files.
    var namesOfFiles: Set<String> = []
    /// A power cut has taken content of which the server may have an earlier state.
    var hasPutAside = false
    /// Users have moved something before the first listing was complete.
    private(set) var hasMovedWhileListing = false
    let belated: Belated
    let verbose: Bool
    private(set) var mounts: [Mount] = []
    private(set) var lines: [String] = []
    private var shownRows: [String: String] = [:]
    /// The rule that a user has seen broken.
    var violation: Violation?
    /// Counts of what happened, by name.
    private(set) var counts: [String: Int] = [:]

    init(
        _ plan: Plan, databases: [MemoryDatabase], scheduler: Scheduler, verbose: Bool
    ) throws {
        self.plan = plan
        self.scheduler = scheduler
        self.verbose = verbose
        scheduler.begin(seed: plan.seed)
        ContentHasher.simulate(blockSize: plan.blockSize)
        belated = Belated(scheduler)
        server = InMemoryStore(
            pageSize: plan.pageSize, refusesIDs: plan.refusesIDs, folding: plan.folding,
            compaction: plan.compaction,
            moveLimit: plan.moveLimit, keepsFacts: plan.sharesModes,
            now: { WallTime(nanoseconds: scheduler.now) })
        server.setTellsFacts(plan.tellsModes)
        for index in 0..<plan.mounts {
            let machine = try Machine(index, database: databases[index], scheduler: scheduler)
            machine.disk.remembers = plan.cutsPower(of: index)
            machine.disk.count = { [unowned self] in count($0) }
            mounts.append(Mount(name: "m\(index)", machine: machine, world: self))
        }
        Disks.current.begin(mounts.map(\.machine.disk))
    }

    /// Adds a line to the history.
    func note(_ line: @autoclosure () -> String) {
        let line = line()
        scheduler.note(line)
        show(line)
    }

    /// Adds a line about a mount to the history, and the mount's rows if they have changed.
    func note(_ line: String, of mount: Mount) {
        note(line)
        guard verbose, let rows = mount.rows(), rows != shownRows[mount.name] else { return }
        shownRows[mount.name] = rows
        show("    " + rows)
    }

    private func show(_ line: @autoclosure () -> String) {
        if verbose { lines.append("\(scheduler.now / 1_000_000 % 100_000_000) \(line())") }
    }

    func count(_ name: String) { counts[name, default: 0] += 1 }

    // MARK: Playing

    /// Plays the whole history. Throws a `Violation` if a rule is broken.
    func play() throws {
        for mount in mounts {
            mount.faults = plan.faults
            try mount.start()
        }
        for step in plan.steps {
            show("\(step)")
            folders.note(step)
            setModes.note(step, isAtRest: plan.sharesModes && isAtRest)
            try perform(step)
            try reap()
            if plan.pause > 0 {
                let time = Int64(scheduler.draw(plan.pause + 1))
                try scheduler.run(nanoseconds: time * 1_000_000, check: reap)
            }
            if let violation { throw violation }
            try checkMoves()
            try checkUnsentModes()
            try checkView()
            try checkInvariants()
        }
        try settle()
        try checkEnd()
        try checkLeftovers()
        for mount in mounts { try mount.stop() }
    }

    /// Ends the processes that have died.
    func reap() throws {
        for mount in mounts { try mount.reap() }
    }

    private func perform(_ step: Step) throws {
        switch step {
        case .user(let index, let step):
            guard let process = mounts[index].process else { return }
            names.note(step.targets, by: process.user.name)
            if step.isMove { names.noteMove(to: step.targets) }
            histories.note(step)
            if step.isMove, !process.engine.isTreeComplete { hasMovedWhileListing = true }
            let isCertain = mounts[index].endOfStep != nil
            mounts[index].endOfStep = nil
            let isOver = perform(step, process.user)
            mounts[index].endOfStep = isCertain && isOver ? scheduler.now : nil
            withdrawChanged()
            try noteMoves()
            try noteView()
            try unsentModes.forgetRemoved(among: [process])
        case .other(let step):
            noteNames(of: step)
            try perform(step)
        case .jobs(let count): try scheduler.run(jobs: count, check: reap)
        case .wait(let milliseconds):
            try scheduler.run(nanoseconds: Int64(milliseconds) * 1_000_000, check: reap)
        case .kill(let index, let calls): try mounts[index].kill(after: calls)
        case .powerCut(let index, let calls): try mounts[index].cutPower(after: calls)
        case .powerCutInRequest(let index, let changes):
            mounts[index].cutPower(afterChanges: changes)
        case .networkCutInRequest(let index, let changes):
            mounts[index].cutNetwork(afterChanges: changes)
        case .unmount(let index): try mounts[index].stop()
        case .mount(let index): try mounts[index].start()
        case .faults(let index, let percent):
            mounts[index].faults = percent
            mounts[index].setNetwork()
        case .network(let index, let isCut):
            if isCut { count("cut networks") }
            mounts[index].isCut = isCut
            mounts[index].setNetwork()
        case .deltas(let index, let areCut):
            mounts[index].lacksDeltas = areCut
            mounts[index].setNetwork()
        case .resetCursors:
            count("cursor resets")
            server.resetCursors()
        case .readOnly(let path): setReadOnly(path)
        case .writable: server.liftReadOnly()
        case .disk(let index, let isFull):
            if isFull { count("full disks") }
            mounts[index].machine.disk.isFull = isFull
        case .date(let index, let seconds):
            count("set clocks")
            mounts[index].machine.disk.dateOffset = Int64(seconds) * 1_000_000_000
        case .remount(let index, let patterns): try mounts[index].remount(ignoring: patterns)
        }
    }

    /// Does what a user does, and gives up what takes too long, as by an interrupt. Returns whether
    /// it was over before that.
    private func perform(_ step: UserStep, _ user: User) -> Bool {
        let end = Mark()
        let task = Task.detached { [self] in
            do {
                try await user.perform(step)
                count("operations")
            } catch {
                note("  refused: \(error)")
                count("refusals")
            }
            end.isSet = true
        }
        let limit = scheduler.now + 10_000_000_000
        var isCancelled = false
        // A call to a process that has died ends, as the kernel ends it, although the process's
        // tasks wait forever.
        var jobsOfTheDead = 10_000
        while !end.isSet, jobsOfTheDead > 0 {
            if scheduler.now > limit || user.isDead, !isCancelled {
                isCancelled = true
                if !user.isDead {
                    count("interrupts")
                    forgetView(forEver: true)
                }
                task.cancel()
            }
            if user.isDead { jobsOfTheDead -= 1 }
            guard scheduler.step() else { break }
        }
        return end.isSet && !isCancelled
    }

    // MARK: Texts

    /// A mount's machine has lost unflushed bytes.
    func cutPower(of mount: Mount) {
        note("\(mount.name) has no power")
        removals.withdrawAll()
        forgetMoves()
        let present = serverTokens()
        ledger.secure(present)
        ledger.cutPower(of: mount.name)
        if mounts.count == 1 { ledger.noteSuperseded(by: present) }
    }

    func serverTokens() -> Set<String> { Set(serverTexts().flatMap(Ledger.tokens)) }

    func serverTexts() -> [String] {
        server.otherClient.snapshot.entries.values.compactMap { entry in
            guard case .file(let bytes) = entry else { return nil }
            return Self.text(of: bytes)
        }
    }

    /// The texts of the files at or below a path of the server.
    func texts(below path: String) -> [String] {
        server.otherClient.files(below: path).map { Self.text(of: $0.bytes) }
    }

    /// The text of a file as a mount has it.
    func text(of node: Node, _ process: MountProcess) -> String {
        if node.kind == .symbolicLink { return node.facts.target?.text ?? "" }
        if let staged = try? process.staging.file(of: node) {
            switch try? staged.read(at: 0, count: Int(staged.size)) {
            case .bytes(let bytes): return Self.text(of: bytes)
            case .retired(let content): return text(of: content.revision)
            case .mixed(let segments):
                let base = Array((staged.base.map { text(of: $0.revision) } ?? "").utf8)
                return segments.map { text(of: $0, over: base) }.joined()
            case nil: return ""
            }
        }
        return node.facts.revision.map { text(of: $0) } ?? ""
    }

    private func text(of segment: StagedRead.Segment, over base: [UInt8]) -> String {
        switch segment {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .zeros(let count): String(repeating: "0", count: count)
        case .base(let range):
            String(decoding: base[Int(range.lowerBound)..<Int(range.upperBound)], as: UTF8.self)
        }
    }

    func text(of revision: Revision) -> String {
        Self.text(of: server.content(of: revision) ?? [])
    }

    // MARK: Rules

    func checkInvariants() throws {
        for mount in mounts {
            // Others may die while one that has died is ended.
            guard let process = mount.process, !process.isDead.isSet else { continue }
            if mount.machine.hasChanged {
                if let broken = try process.store.read({ try $0.brokenInvariants(limit: 1) }).first
                {
                    throw Violation(rule: broken.rule, detail: "\(mount.name) \(broken.inode)")
                }
                try mount.checkPins(process.store)
                if mounts.count > 1 { try checkNames(process) }
                try checkPlaceholders(process)
                try checkHeld(process)
                mount.machine.hasChanged = false
            }
            try process.checkKernel()
        }
    }

    /// No user sees a name that another mount has given for a moment only.
    private func checkNames(_ process: MountProcess) throws {
        guard let line = try tree(of: process).first(where: { $0.contains(".dbxfs-") }) else {
            return
        }
        throw Violation(rule: "a temporary name is shown", detail: line)
    }
}
