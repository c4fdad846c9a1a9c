// The scheduler of uploads: decides which steps of the journal start, keeps the necessary order,
// and waits. `Sending` has the types that send steps, contents and batches, `Deletion` those for
// folders; refusals are in `Uploader+Refusals.swift`, records of responses in
// `UploadResults.swift`.

import Blocking
import Core
import Logging
import MetadataStore
import RemoteStore
import Saturating
import Staging
import Synchronization
import Tree

/// Sends the journal. Steps of different nodes run concurrently, except those that change other
/// nodes' paths: they run alone.
actor Uploader {
    /// Tasks at once, each a step or a batch: enough to hide the round trip, few enough for the
    /// server's locks. Streaming uploads do not count.
    private static let concurrency = 8
    /// Seconds until the journal is read again after a failure.
    static let failurePause = 1.0
    /// Seconds for which the changes of a burst gather before the journal is read again: reading it
    /// after each one costs more than the change.
    private static let burstPause = 0.05
    /// Seconds to which that pause grows at most. It is twenty times what the last pass took: while
    /// a batch is in flight, a pass may look at hundreds of entries that cannot be sent yet, and
    /// users wait for the same database.
    private static let longestBurstPause = 0.5

    let account: SyncedAccount
    private let changes: UserChanges
    /// How long a file that is still open may be written to before its present content is sent, in
    /// seconds.
    private let openFileInterval: Double
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private(set) var inFlight: Set<InodeID> = []
    /// The long-running uploads among them.
    private var longRunning: Set<InodeID> = []
    /// Sending tasks, each for one node's step or a batch.
    private var running = 0
    /// Kinds with a batch in flight. Entries that become due gather for the next one.
    private var batching: Set<StepBatch.Kind> = []
    private var isExclusive = false
    /// Whether the outcome of a move is being requested.
    private var isResolving = false
    /// Whether the last access to the journal failed.
    private var hasFailed = false
    /// Lock: a leaf, held for an assignment.
    private let pending = Mutex(Wakes())
    /// Passes through the journal that have ended: an idle uploader is seen by it.
    private(set) var passes = 0
    /// When the journal was last read.
    private var lastPass: WallTime?
    /// Seconds after the beginning of the last pass until changes alone lead to another one.
    private var changesPause = Uploader.burstPause
    /// Where the next pass through the journal continues, if the last one was cut short.
    private var lastExamined: Int64 = 0
    private var drainers = 0
    /// The number of callers that wait for single nodes.
    private var drained: [InodeID: Int] = [:]
    private var timer: Task<Void, Never>?
    let pause = UploadPause()
    let quota: QuotaWatch
    private let searcher: FolderSearcher
    let streaming: StreamingUploads
    private let steps: StepSender
    private let batches: BatchSender
    let metadataReads: MetadataReads

    init(account: SyncedAccount, changes: UserChanges, openFileInterval: Double) {
        self.account = account
        self.changes = changes
        self.openFileInterval = openFileInterval
        let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.signals = signals
        self.signal = signal
        quota = QuotaWatch(account: account) { signal.yield() }
        searcher = FolderSearcher(account: account)
        let sessions = SessionSender(account: account)
        streaming = StreamingUploads(account: account, sessions: sessions, pause: pause)
        steps = StepSender(
            account: account,
            contents: ContentSender(
                account: account, sessions: sessions, streaming: streaming),
            deletion: FolderDeletion(account: account, searcher: searcher), quota: quota)
        batches = BatchSender(account: account)
        metadataReads = MetadataReads(account: account)
        signal.yield()
    }

    /// Why the journal is to be read again.
    private struct Wakes {
        /// Users have changed something.
        var isChanged = false
        /// An entry may be due.
        var isDue = false
    }

    /// Wakes the loop, because an entry may be due.
    nonisolated func wake() {
        pending.withLock { $0.isDue = true }
        signal.yield()
    }

    /// Has the journal read again soon, because users have changed something.
    nonisolated func noteChange() {
        let isFirst = pending.withLock { wakes in
            defer { wakes.isChanged = true }
            return !wakes.isChanged
        }
        if isFirst { signal.yield() }
    }

    /// Whether more changes of a burst are to gather first. If not, those until now count as read.
    private func letsChangesGather() -> Bool {
        let now = account.clock.now()
        let next = lastPass.map { $0.adding(seconds: changesPause) } ?? now
        let gathers = pending.withLock { wakes in
            if !wakes.isDue && now < next { return true }
            wakes = Wakes()
            return false
        }
        if gathers { setTimer(to: next) } else { lastPass = now }
        return gathers
    }

    /// Sends until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await _ in signals {
                if Task.isCancelled { break }
                if letsChangesGather() { continue }
                await startSteps(in: &group)
                noteEndOfPass()
            }
            group.cancelAll()
        }
        timer?.cancel()
        await quota.cancel()
        await searcher.cancel()
    }

    private func noteEndOfPass() {
        passes +|= 1
        guard let lastPass else { return }
        let pause = 20.0 * account.clock.now().seconds(since: lastPass)
        changesPause = min(max(pause, Self.burstPause), Self.longestBurstPause)
    }

    /// Ends the pause, because the server is reachable again.
    func resume() {
        pause.finish(at: account.clock.now())
        wake()
    }

    /// Notes that a file's content has grown by a piece.
    nonisolated func noteGrowth(of inode: InodeID) {
        streaming.noteGrowth(of: inode)
        wake()
    }

    /// Suspends the write delay until `endDraining`, because a caller waits for the queue.
    func beginDraining() async throws(SyncError) {
        let (store, now) = (account.store, account.clock.now())
        try await fromStore {
            try await store.write { try $0.makeAllDue(at: now, onlyFresh: false) }
        }
        drainers +|= 1
        wake()
    }

    func endDraining() {
        drainers = drainers -| 1
    }

    /// The same for one node, and for the folders that it needs.
    func beginDraining(_ inode: InodeID) async {
        drained[inode, default: 0] +|= 1
        await makeDue(inode)
    }

    /// Has a node sent at once, after the folders that it needs.
    func makeDue(_ inode: InodeID) async {
        let (store, now) = (account.store, account.clock.now())
        await account.local.attempt {
            try await store.write { try $0.makeDue(inode, at: now) }
        }
        wake()
    }

    func endDraining(_ inode: InodeID) {
        let rest = (drained[inode] ?? 0) -| 1
        drained[inode] = rest > 0 ? rest : nil
    }

    // MARK: Choosing

    private func startSteps(in group: inout DiscardingTaskGroup) async {
        // One time for the whole pass: the timer is set for entries that become due during it.
        let now = account.clock.now()
        await endBurst(at: now)
        if drainers > 0 {
            await account.local.attempt {
                try await self.account.store.write {
                    try $0.makeAllDue(at: now, onlyFresh: true)
                }
            }
        }
        if account.state.current.holdsQueue { return await setTimer(after: now) }
        await searcher.resume()
        for inode in await streaming.begin(besides: inFlight) {
            group.addTask { [streaming] in await streaming.send(inode) }
        }
        if await hasUncertainMoves(in: &group) { return await setTimer(after: now) }
        var round = JournalRound(start: lastExamined)
        while running < Self.concurrency && !isExclusive && !isPaused {
            let choice = StepChoice(
                busy: inFlight, longRunning: longRunning, batching: batching,
                room: Self.concurrency -| running)
            let chosen = await choose(choice, at: now, after: round.place)
            start(chosen, in: &group)
            guard round.goesOn(after: chosen, isSending: isSending) else { break }
        }
        lastExamined = round.place
        await setTimer(after: now)
    }

    /// Makes the changes of a burst due, if it is over.
    private func endBurst(at now: WallTime) async {
        let (store, changes) = (account.store, changes)
        guard let end = changes.end, end <= now else { return }
        let done: Void? = await account.local.attempt {
            try await store.write { try changes.finish(at: now, in: $0) }
        }
        if done == nil { hasFailed = true }
    }

    /// Chooses the steps that can be sent at a time, all of them in one transaction.
    private func choose(
        _ choice: StepChoice, at now: WallTime, after start: Int64
    ) async -> StepChoice {
        let (account, openFileInterval) = (account, openFileInterval)
        let urgent: UploadPlanner.Urgency = drainers > 0 ? .all : .nodes(Set(drained.keys))
        let result = await account.local.attempt {
            try await account.store.write { transaction in
                var planner = UploadPlanner(
                    transaction: transaction, openFiles: account.openFiles,
                    staging: account.staging, urgent: urgent,
                    date: account.clock.date(),
                    openFileInterval: openFileInterval,
                    posix: account.posix)
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
            if step.isLongRunning { longRunning.insert(inode) }
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

    /// Whether a step or a batch is in flight, or waits for the gate. Streaming uploads do not
    /// count.
    var isSending: Bool { running > 0 }

    /// Whether uploads are suspended.
    private var isPaused: Bool {
        pause.isActive(at: account.clock.now()) || account.state.current.isPaused
    }

    /// Sets the timer to the next due entry behind the examined ones or the end of the burst, or to
    /// the end of the pause.
    private func setTimer(after now: WallTime) async {
        let next = await account.local.attempt {
            try await self.account.store.read { try $0.nextDue(after: now) }
        }
        var time = [next.flatMap { $0 }, changes.end].compactMap { $0 }.min()
        // An entry that is due already is not the next one, and waits for the end of the pause.
        if pause.isActive(at: now) { time = pause.end }
        if hasFailed || next == nil { time = now.adding(seconds: Self.failurePause) }
        setTimer(to: time)
    }

    private func setTimer(to time: WallTime?) {
        timer?.cancel()
        timer = nil
        guard let time else { return }
        let clock = account.clock
        timer = Task { [weak self] in
            guard (try? await clock.sleep(until: time)) != nil else { return }
            self?.wake()
        }
    }

    // MARK: Performing

    private func perform(_ step: UploadStep, for inode: InodeID) async {
        do throws(SyncError) {
            try await steps.send(step, for: inode)
            account.activities?.note(.done(step))
            noteSuccess()
            // It may be the last one that was refused for lack of space.
            if case .upload = step { await quota.check() }
        } catch {
            await react(to: error, step: step, inode: inode)
        }
        running = running -| 1
        inFlight.remove(inode)
        longRunning.remove(inode)
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
        let store = account.store
        let moves =
            await account.local.attempt { try await store.read { try $0.intendedMoves() } } ?? []
        guard !moves.isEmpty else { return false }
        if !isPaused {
            isResolving = true
            group.addTask { await self.resolve(moves) }
        }
        return true
    }

    private func resolve(_ moves: [(id: Int64, inode: InodeID, target: String)]) async {
        do throws(SyncError) {
            try await metadataReads.resolve(moves)
        } catch {
            suspend(after: error)
        }
        isResolving = false
        wake()
    }

    private func perform(_ batch: StepBatch) async {
        let failures = await batches.send(batch)
        switch batch.kind {
        case .deletions, .uploads: await quota.check()
        default: break
        }
        if failures.count < batch.items.count { noteSuccess() }
        for (item, error) in failures {
            await react(to: error, step: item.step, inode: item.inode)
        }
        running = running -| 1
        inFlight.subtract(batch.items.map(\.inode))
        batching.remove(batch.kind)
        if batch.kind.isExclusive {
            isExclusive = false
        }
        wake()
    }

    /// Resets the backoff after a success.
    private func noteSuccess() {
        pause.noteSuccess()
        account.state.update { $0.lastProblem = nil }
    }
}
