// Sends what the journal names: decides what may go next, keeps the order that matters, and waits. How
// content travels is in `Uploader+Content.swift`, what goes together in `Uploader+Batches.swift`, what
// an answer changes in `Uploader+Record.swift`.

import Blocking
import Core
import Logging
import MetadataStore
import RemoteStore
import Staging

/// What `Uploader` works with.
struct UploadEnvironment: Sendable {
    var store: MetadataStore
    var staging: StagingArea
    var remote: any RemoteStoring
    var cache: any ContentCaching
    var openFiles: any OpenFileTracking
    var observer: any TreeChangeObserving
    var clock: any SyncClock
    var state: SyncState
    var host: String
    var log: Logger
    /// How long a file that is still open may be written to before it is sent as it stands, seconds.
    var openFileInterval: Double
    let disk = DiskQueue(label: "dbxfs.upload")
    let gate = CommitGate()
    let contradiction = NotedContradiction()

    /// The rules' surroundings at this moment.
    func deltaContext() -> DeltaContext {
        DeltaContext(
            openFiles: openFiles, staging: staging, now: clock.now(), date: clock.date(),
            host: host,
            isListing: state.current.isListing, isTreeComplete: state.current.isTreeComplete)
    }

    /// Tells of a transaction that is committed: which places users see changed, and the conflicted copies
    /// that it made.
    func tell(_ changes: [TreeChange], conflicts: [String]) {
        state.noteStore(nil)
        if !conflicts.isEmpty {
            log.warning("conflicted copies made", metadata: ["names": "\(conflicts)"])
            state.update { $0.conflicts +|= conflicts.count }
        }
        if !changes.isEmpty { observer.treeDidChange(changes) }
    }
}

/// The one that sends. Steps of different nodes run side by side, except those that change other
/// nodes' paths: they run alone.
actor Uploader {
    /// Steps on their way at once: enough to hide the round trip, few enough for the server's locks.
    private static let concurrency = 8
    /// Seconds until the journal is looked into again when that failed.
    private static let failurePause = 1.0

    let environment: UploadEnvironment
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private(set) var inFlight: Set<InodeID> = []
    /// Those of them that may be on their way for long.
    private var patient: Set<InodeID> = []
    /// Tasks that send, each one node's step or a batch.
    private var running = 0
    /// Kinds of which a batch is on its way. What becomes due meanwhile gathers for the next one.
    private var batching: Set<StepBatch.Kind> = []
    private var isExclusive = false
    /// Whether it is being found out what became of a move.
    var isResolving = false
    /// Whether the last look into the journal failed.
    private var hasFailed = false
    /// Where in the journal the next look goes on, if the last one was cut short.
    private var lastLookedAt: Int64 = 0
    private var drainers = 0
    var pausedUntil = Timestamp(nanoseconds: 0)
    var pauses = 0
    private var timer: Task<Void, Never>?
    /// Searches of deleted folders that are repeated because one failed.
    var searches: [Task<Void, Never>] = []
    /// Files that are sent while they are written, and who waits for the end of that.
    var ahead: [InodeID: [CheckedContinuation<Void, Never>]] = [:]
    let grown = GrownFiles()
    /// Looks for room while the account is full, and how much there was when it was found to be.
    var roomWatch: Task<Void, Never>?
    var roomWhenFull: Int64 = 0

    init(environment: UploadEnvironment) {
        self.environment = environment
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        signal.yield()
    }

    /// Something may have become due.
    nonisolated func wake() {
        signal.yield()
    }

    /// Sends until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await _ in signals {
                if Task.isCancelled { break }
                await startSteps(in: &group)
            }
            group.cancelAll()
        }
        timer?.cancel()
        roomWatch?.cancel()
        searches.forEach { $0.cancel() }
    }

    /// The server can be reached again.
    func resume() {
        if pausedUntil > environment.clock.now() {
            pausedUntil = environment.clock.now()
            pauses = 0
        }
        wake()
    }

    /// From here to `endDraining`, somebody waits for the journal to drain: nothing is held back.
    func beginDraining() async throws {
        let now = environment.clock.now()
        try await environment.store.write { try $0.makeAllDue(at: now, onlyFresh: false) }
        drainers +|= 1
        wake()
    }

    func endDraining() {
        drainers = drainers -| 1
    }

    // MARK: Choosing

    private func startSteps(in group: inout DiscardingTaskGroup) async {
        // One time for the whole look: what becomes due in its course is what the timer is set to.
        let now = environment.clock.now()
        if drainers > 0 {
            await attempt {
                try await self.environment.store.write {
                    try $0.makeAllDue(at: now, onlyFresh: true)
                }
            }
        }
        let status = environment.state.current
        if status.isRootNew || !status.hasCaughtUp { return await setTimer(lookedAt: now) }
        startAhead(in: &group)
        if await hasUncertainMoves(in: &group) { return await setTimer(lookedAt: now) }
        var round = JournalRound(start: lastLookedAt)
        while running < Self.concurrency && !isExclusive && !isPaused {
            let choice = StepChoice(
                busy: inFlight, patient: patient, batching: batching,
                room: Self.concurrency -| running)
            let chosen = await choose(choice, at: now, after: round.place)
            start(chosen, in: &group)
            guard round.goesOn(after: chosen, isSending: isSending) else { break }
        }
        lastLookedAt = round.place
        await setTimer(lookedAt: now)
    }

    /// Decides the steps that can be sent at a time, all of them in one transaction.
    private func choose(
        _ choice: StepChoice, at now: Timestamp, after start: Int64
    ) async -> StepChoice {
        let environment = environment
        let isDraining = drainers > 0
        let result = await attempt {
            try await environment.store.write { transaction in
                var planner = UploadPlanner(
                    transaction: transaction, openFiles: environment.openFiles,
                    staging: environment.staging, isDraining: isDraining,
                    date: environment.clock.date(),
                    openFileInterval: environment.openFileInterval)
                return try planner.offer(to: choice, at: now, after: start)
            }
        }
        hasFailed = result == nil
        return result ?? StepChoice(busy: [], batching: [], room: 0)
    }

    private func start(_ chosen: StepChoice, in group: inout DiscardingTaskGroup) {
        for (inode, step) in chosen.singles {
            isExclusive = isExclusive || step.isExclusive
            inFlight.insert(inode)
            if step.isPatient { patient.insert(inode) }
            running +|= 1
            group.addTask { await self.perform(step, for: inode) }
        }
        for batch in chosen.batches {
            isExclusive = isExclusive || batch.kind.isExclusive
            batching.insert(batch.kind)
            inFlight.formUnion(batch.items.map(\.inode))
            running +|= 1
            group.addTask { await self.perform(batch) }
        }
    }

    /// Whether something is on its way to the server.
    var isSending: Bool { running > 0 }

    /// Whether the server, or the way to it, asked to wait.
    var isPaused: Bool { pausedUntil > environment.clock.now() }

    /// Wakes when the next entry after those that were looked at is due, or the pause is over.
    private func setTimer(lookedAt now: Timestamp) async {
        let next = await attempt {
            try await self.environment.store.read { try $0.nextDue(after: now) }
        }
        timer?.cancel()
        var time = next.flatMap { $0 }
        // What is due already is not the next entry, and waits for the end of the pause.
        if pausedUntil > now { time = pausedUntil }
        if hasFailed || next == nil { time = now.adding(seconds: Self.failurePause) }
        guard let time else { return }
        let clock = environment.clock
        timer = Task { [weak self] in
            guard (try? await clock.sleep(until: time)) != nil else { return }
            self?.wake()
        }
    }

    // MARK: Performing

    private func perform(_ step: UploadStep, for inode: InodeID) async {
        do throws(RemoteError) {
            try await send(step, for: inode)
            noteSuccess()
        } catch {
            await react(to: error, step: step, inode: inode)
        }
        running = running -| 1
        inFlight.remove(inode)
        patient.remove(inode)
        if step.isExclusive {
            isExclusive = false
        }
        wake()
    }

    /// Folders whose move may have arrived or not are looked for before anything else is sent: what is in
    /// them would go to paths that are not theirs any more. Returns whether there are such.
    private func hasUncertainMoves(in group: inout DiscardingTaskGroup) async -> Bool {
        guard !isExclusive else { return false }
        if isResolving { return true }
        let store = environment.store
        let moves = await attempt { try await store.read { try $0.attemptedMoves() } } ?? []
        guard !moves.isEmpty else { return false }
        if !isPaused {
            isResolving = true
            group.addTask { await self.resolve(moves) }
        }
        return true
    }

    private func perform(_ batch: StepBatch) async {
        await send(batch)
        running = running -| 1
        inFlight.subtract(batch.items.map(\.inode))
        batching.remove(batch.kind)
        if batch.kind.isExclusive {
            isExclusive = false
        }
        wake()
    }

    private func send(_ step: UploadStep, for inode: InodeID) async throws(RemoteError) {
        switch step {
        case .settled, .waitFor, .waitForWriters:
            await record { try $0.settle(inode) }
        case .upload(let upload):
            try await send(upload, for: inode)
        case .move, .deleteFolder:
            try await environment.gate.commitAlone { () async throws(RemoteError) in
                try await commit(step, for: inode)
            }
        case .makeFolder, .copy, .deleteFile:
            try await environment.gate.commit { () async throws(RemoteError) in
                try await commit(step, for: inode)
            }
        }
    }

    /// Sends a step that is one commit, and records the answer.
    private func commit(_ step: UploadStep, for inode: InodeID) async throws(RemoteError) {
        if case .copy(let source, let upload) = step {
            return try await copy(from: source, upload, for: inode)
        }
        let sent = try await note(Attempt(inode: inode, step: step, hash: nil))
        try await forgettingRefusal(of: sent) { () async throws(RemoteError) in
            try await carryOut(step, for: inode, sent)
        }
    }

    private func carryOut(
        _ step: UploadStep, for inode: InodeID, _ sent: Sent
    ) async throws(RemoteError) {
        let remote = environment.remote
        switch step {
        case .settled, .waitFor, .waitForWriters, .upload, .copy: return
        case .makeFolder(let path):
            let entry = try await remote.makeFolder(at: path)
            await record { recorder in
                try recorder.arrived(sent)
                try recorder.placed(inode, entry)
            }
        case .move(let move):
            let entry = try await remote.move(move.node, to: move.target)
            await record { recorder in
                try recorder.arrived(sent)
                try recorder.placed(inode, entry, meant: move.id)
            }
        case .deleteFile(let node, let revision):
            try await remote.delete(node, revision: revision)
            await record { try $0.deleted(inode) }
            await lookForRoom()
        case .deleteFolder(let node):
            try await deleteFolder(node, inode)
        }
    }

    /// The server does what it is asked to.
    func noteSuccess() {
        pauses = 0
        environment.state.update { $0.lastProblem = nil }
    }

    /// Runs store work whose failure is the disk's: logged, shown in status, and tried again with the
    /// next step.
    @discardableResult
    func attempt<Value: Sendable>(_ work: () async throws -> Value) async -> Value? {
        try? await outcome(of: work).get()
    }

    /// The same, for those who must know what failed.
    func outcome<Value: Sendable>(
        of work: () async throws -> Value
    ) async -> RemoteOutcome<Value> {
        do {
            return .success(try await work())
        } catch {
            let failure = RemoteError.local(cause: error)
            guard case .local(let reason) = failure else { return .failure(failure) }
            if MetadataStore.isContradiction(error) { environment.contradiction.note() }
            environment.log.error("the database failed", metadata: ["error": "\(error)"])
            environment.state.noteStore(reason)
            return .failure(failure)
        }
    }
}
