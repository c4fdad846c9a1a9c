// Sends the steps of the journal: decides which ones may start, keeps the necessary order, and
// waits. Contents are in `Uploader+Content.swift`, batches in `Uploader+Batches.swift`, responses
// in `Uploader+Record.swift`.

import Blocking
import Core
import Logging
import MetadataStore
import RemoteStore
import Saturating
import Staging

/// The dependencies of `Uploader`.
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
    /// How long a file that is still open may be written to before its present content is sent, in
    /// seconds.
    var openFileInterval: Double
    let disk: DiskQueue
    let gate = CommitGate()
    let contradiction = NotedContradiction()

    /// The present context for `DeltaApplier`.
    func deltaContext() -> DeltaContext {
        DeltaContext(
            openFiles: openFiles, staging: staging, now: clock.now(), date: clock.date(),
            host: host,
            isListing: state.current.isListing, isTreeComplete: state.current.isTreeComplete)
    }

    /// Announces a committed transaction: its changes for users, and its conflicted copies.
    func tell(_ changes: [TreeChange], conflicts: [String]) {
        state.noteStore(nil)
        if !conflicts.isEmpty {
            log.warning("conflicted copies made", metadata: ["names": "\(conflicts)"])
            state.update { $0.conflicts +|= conflicts.count }
        }
        if !changes.isEmpty { observer.treeDidChange(changes) }
    }
}

/// Sends the journal. Steps of different nodes run concurrently, except those that change other
/// nodes' paths: they run alone.
actor Uploader {
    /// Concurrent steps: enough to hide the round trip, few enough for the server's locks.
    private static let concurrency = 8
    /// Seconds until the journal is read again after a failure.
    private static let failurePause = 1.0

    let environment: UploadEnvironment
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private(set) var inFlight: Set<InodeID> = []
    /// The long-running uploads among them.
    private var patient: Set<InodeID> = []
    /// Sending tasks, each for one node's step or a batch.
    private var running = 0
    /// Kinds with a batch in flight. Entries that become due gather for the next one.
    private var batching: Set<StepBatch.Kind> = []
    private var isExclusive = false
    /// Whether the outcome of a move is being requested.
    var isResolving = false
    /// Whether the last read of the journal failed.
    private var hasFailed = false
    /// Where the next pass through the journal continues, if the last one was cut short.
    private var lastLookedAt: Int64 = 0
    private var drainers = 0
    var pausedUntil = Timestamp(nanoseconds: 0)
    var pauses = 0
    private var timer: Task<Void, Never>?
    /// Searches of deleted folders that are repeated beside the commits, by their numbers.
    var searches: [Int64: Task<Void, Never>] = [:]
    /// Whether the searches of earlier processes are resumed.
    var areSearchesResumed = false
    /// Streaming uploads, and the tasks that wait for their end.
    var ahead: [InodeID: [CheckedContinuation<Void, Never>]] = [:]
    let grown = GrownFiles()
    /// The quota probe while the account is full, and the free space when that was noticed.
    var roomWatch: Task<Void, Never>?
    var roomWhenFull: Int64 = 0

    init(environment: UploadEnvironment) {
        self.environment = environment
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        signal.yield()
    }

    /// Wakes the loop, because an entry may be due.
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
        searches.values.forEach { $0.cancel() }
    }

    /// Ends the pause, because the server is reachable again.
    func resume() {
        if pausedUntil > environment.clock.now() {
            pausedUntil = environment.clock.now()
            pauses = 0
        }
        wake()
    }

    /// Suspends the write delay until `endDraining`, because a caller waits for the queue.
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
        // One time for the whole pass: the timer is set for entries that become due during it.
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
        await resumeSearches()
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

    /// Chooses the steps that can be sent at a time, all of them in one transaction.
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

    /// Whether a request to the server is in flight.
    var isSending: Bool { running > 0 }

    /// Whether uploads are suspended.
    var isPaused: Bool { pausedUntil > environment.clock.now() }

    /// Sets the timer to the next due entry behind the examined ones, or to the end of the pause.
    private func setTimer(lookedAt now: Timestamp) async {
        let next = await attempt {
            try await self.environment.store.read { try $0.nextDue(after: now) }
        }
        timer?.cancel()
        var time = next.flatMap { $0 }
        // An entry that is due already is not the next one, and waits for the end of the pause.
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

    /// Requests the outcome of folder moves with lost responses before any other step is sent,
    /// because paths in these folders may be outdated. Returns whether there are any.
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

    /// Sends a step that is one commit, and records the response.
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

    /// Resets the backoff after a success.
    func noteSuccess() {
        pauses = 0
        environment.state.update { $0.lastProblem = nil }
    }

    /// Runs store work whose failure is the disk's: logged, shown in status, and retried with the
    /// next step.
    @discardableResult
    func attempt<Value: Sendable>(_ work: () async throws -> Value) async -> Value? {
        try? await outcome(of: work).get()
    }

    /// The same, for callers that need the error.
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
