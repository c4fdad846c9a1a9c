// Keeps pinned content on this disk: scans the tree after changes, tells the cache which contents
// to keep, and fetches missing ones. `PinWork` decides what to fetch, `PinScan` evaluates the tree.

import Blocking
package import BlockCache
import ContentHashing
package import Core
import Glibc
package import Logging
package import MetadataStore
import RemoteStore
import Saturating
package import Sync
import Synchronization

/// Fetches pinned content, and protects it from eviction.
///
/// A scan costs time in proportion to the pinned subtrees. So changes gather for at least ten times
/// the processor time of the last scan, and a mount without pins never scans.
package final class Pinner: Sendable {
    private struct State {
        var work = PinWork()
        /// Whether the last scan found a pin.
        var hasPins = true
        /// Whether the tree has changed since then.
        var isStale = true
        var nextScan = WallTime(nanoseconds: 0)
        /// Callers that wait for a scan begun after their request.
        var waiters: [CheckedContinuation<Void, Never>] = []
        var isOver = false
        var running = 0
        var wasReachable = true
        /// Whether a user has paused the fetching.
        var isPaused = false
        /// When the running timer fires.
        var timer: WallTime?

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            defer { waiters = [] }
            return waiters
        }
    }

    /// Pause between two scans: at least so many seconds, and so many times the cost of the last
    /// one.
    private static let pause = (least: 0.5, factor: 10.0)
    /// Pieces that are fetched at a time: the reader's slots for background fetches.
    private static let concurrency = FetchQueue.backgroundSlots
    /// Pieces at a time while uploads run, which have priority.
    private static let concurrencyWhileSending = 1
    /// Seconds until the next scan after a database error.
    private static let failurePause = 1.0
    /// Seconds between checks whether the network is back.
    private static let reachabilityPause = 2.0

    private let store: MetadataStore
    private let cache: DiskBlockCache
    private let reader: any BackgroundFetching
    private let folders: FolderReader?
    private let sync: @Sendable () -> SyncStatus
    private let clock: any SyncClock
    private let log: Logger
    private let disk = DiskQueue(label: "dbxfs.pins")
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    /// Lock: a leaf; memory only.
    private let state = Mutex(State())

    /// Connects the parts; nothing is pinned before `run`. `sync` returns the sync status.
    /// `folders` fetches small files with their folders; it must be a separate instance, because
    /// pins are no evidence of a reader's pattern.
    package init(
        store: MetadataStore, cache: DiskBlockCache, reader: any BackgroundFetching,
        folders: FolderReader? = nil,
        sync: @escaping @Sendable () -> SyncStatus, clock: any SyncClock = SystemClock(),
        log: Logger
    ) {
        self.store = store
        self.cache = cache
        self.reader = reader
        self.folders = folders
        self.sync = sync
        self.clock = clock
        self.log = log
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        signal.yield()
    }

    // MARK: Running

    /// Protects pinned content, lets the cache count the content of earlier runs, which may evict,
    /// and then fetches missing content until the task is cancelled.
    package func run() async {
        while await !scan(isFirst: true), !Task.isCancelled {
            try? await clock.sleep(until: clock.now().adding(seconds: Self.failurePause))
        }
        store.observeTransactions { [weak self] in self?.treeMayHaveChanged() }
        cache.observeLosses { [weak self] in self?.noteLoss() }
        await withDiscardingTaskGroup { group in
            for await _ in signals {
                if Task.isCancelled { break }
                await step(in: &group)
            }
            group.cancelAll()
        }
        store.observeTransactions(nil)
        let waiters = state.withLock { state in
            state.isOver = true
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Marks the tree as changed after a commit. Without pins it does nothing.
    private func treeMayHaveChanged() {
        let isNew = state.withLock { state in
            guard state.hasPins, !state.isStale else { return false }
            state.isStale = true
            return true
        }
        if isNew { signal.yield() }
    }

    /// Has the next scan check the disk for all pinned contents. It may wait: a disk that fails
    /// loses one chunk after the other.
    private func noteLoss() {
        state.withLock { state in
            state.work.forgetPresent()
            state.isStale = true
        }
        signal.yield()
    }

    /// Makes the next scan begin at once.
    private func requestScan(_ waiter: CheckedContinuation<Void, Never>? = nil) {
        let isOver = state.withLock { state in
            state.isStale = true
            state.nextScan = WallTime(nanoseconds: 0)
            if let waiter, !state.isOver { state.waiters.append(waiter) }
            return state.isOver
        }
        if isOver { waiter?.resume() }
        signal.yield()
    }

    private func step(in group: inout DiscardingTaskGroup) async {
        let now = clock.now()
        let isDue = state.withLock { state in
            (state.isStale || state.work.needsScan)
                && (now >= state.nextScan || !state.waiters.isEmpty)
        }
        if isDue { _ = await scan() }
        startFetches(in: &group)
        guard let time = wakeTime() else { return }
        group.addTask {
            try? await self.clock.sleep(until: time)
            // A clock may wake a little early; then another timer is set for the rest.
            self.state.withLock { state in
                if state.timer == time { state.timer = nil }
            }
            self.signal.yield()
        }
    }

    /// When the loop must wake without a signal.
    private func wakeTime() -> WallTime? {
        let now = clock.now()
        return state.withLock { state in
            var times: [WallTime] = []
            if state.isStale || state.work.needsScan { times.append(state.nextScan) }
            if let time = state.work.wakeTime(after: now) { times.append(time) }
            if !state.wasReachable, !state.isPaused, !state.work.isIdle {
                times.append(now.adding(seconds: Self.reachabilityPause))
            }
            // One timer at a time suffices: its end sets the next one.
            guard let time = times.min(), state.timer.map({ time < $0 }) ?? true else {
                return nil
            }
            state.timer = time
            return time
        }
    }

    // MARK: Scanning

    /// Scans the tree and checks the disk; false if the database failed. At the first scan, the
    /// cache counts its content as soon as it knows what to keep.
    private func scan(isFirst: Bool = false) async -> Bool {
        let hasFolder = await disk.run { [cache] in cache.checkFolder() }
        if !hasFolder { state.withLock { $0.work.forgetPresent() } }
        let (known, waiters) = state.withLock { state in
            state.isStale = false
            return (state.work.known, state.takeWaiters())
        }
        defer { for waiter in waiters { waiter.resume() } }
        do {
            let (scan, hasPins, spent) = try await store.read { snapshot in
                let begun = Self.processorSeconds()
                var scan = PinScan(known: known)
                try snapshot.forEachPinnedFile { scan.add($0) }
                return (
                    scan, try !snapshot.pins().isEmpty, begun.distance(to: Self.processorSeconds())
                )
            }
            let found = await disk.run { [cache] in
                cache.pinOnly(scan.hashes)
                if isFirst { cache.countContents() }
                return Set(
                    scan.unknown.lazy.map(\.content).filter { cache.hasAll(of: $0) }.map(\.hash))
            }
            let now = clock.now()
            state.withLock { state in
                state.work.take(scan, found: found)
                state.hasPins = hasPins
                state.nextScan = now.adding(
                    seconds: Double.maximum(Self.pause.least, Self.pause.factor * spent))
            }
            return true
        } catch {
            log.error("the pins cannot be read", metadata: ["error": "\(error)"])
            let next = clock.now().adding(seconds: Self.failurePause)
            state.withLock { state in
                state.isStale = true
                state.nextScan = next
            }
            return false
        }
    }

    /// The processor time of this thread: on a busy machine, elapsed time says little about the
    /// cost.
    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    // MARK: Fetching

    private func startFetches(in group: inout DiscardingTaskGroup) {
        let status = sync()
        let isReachable = status.connection == .online && !status.isPaused
        let limit = status.uploads.isEmpty ? Self.concurrency : Self.concurrencyWhileSending
        state.withLock { state in
            if isReachable && !state.wasReachable { state.work.resume() }
            state.wasReachable = isReachable
            state.isPaused = status.isPaused
        }
        guard isReachable else { return }
        while let piece = takePiece(limit) {
            group.addTask { await self.fetch(piece) }
        }
    }

    private func takePiece(_ limit: Int) -> PinWork.Piece? {
        let now = clock.now()
        return state.withLock { state in
            guard state.running < limit, let piece = state.work.next(at: now) else { return nil }
            state.running +|= 1
            return piece
        }
    }

    private func fetch(_ piece: PinWork.Piece) async {
        var ending = PinWork.Ending.kept
        var name = ""
        do throws(BackgroundFetchError) {
            await folders?.prepare(piece.content, of: piece.inode)
            try await reader.fetch(piece.content, block: piece.block)
        } catch {
            ending =
                switch error {
                case .remote(let error): .failed(error)
                case .notKept: .notKept
                }
            name = await path(of: piece.inode)
            log.debug("the fetch of pinned content failed", metadata: ["error": "\(error)"])
        }
        let isWhole = state.withLock { [now = clock.now()] state in
            state.running -|= 1
            return state.work.ended(piece, ending, name: name, at: now)
        }
        if isWhole {
            let isHere = await disk.run { [cache] in cache.hasAll(of: piece.content) }
            state.withLock { [now = clock.now()] state in
                state.work.settled(piece.content.hash, isHere: isHere, at: now)
            }
        }
        signal.yield()
    }

    private func path(of inode: InodeID) async -> String {
        let names = try? await store.read { try $0.localPath(of: inode) }
        return (names ?? [])?.map { "/" + $0.text }.joined() ?? ""
    }

    // MARK: The users' requests

    /// Pins nodes or ends their pins, and returns when the cache is updated.
    ///
    /// Throws when the local database does.
    package func setPins(_ isPinned: Bool, of inodes: [InodeID]) async throws {
        try await store.write { transaction in
            for inode in inodes { try transaction.setPin(isPinned, of: inode) }
        }
        let store = store
        try await disk.run { try store.synchronize() }
        await withCheckedContinuation { requestScan($0) }
    }

    /// Checks the disk for all pinned contents again.
    package func checkAgain() {
        state.withLock { $0.work.forgetPresent() }
        requestScan()
    }

    /// The totals and the state of all pins. Returns at once.
    package var summary: PinSummary {
        // Small contents occupy more than their bytes; of missing contents only the bytes are
        // known.
        let (limit, taken) = (cache.limit, cache.pinnedBytes)
        return state.withLock { state in
            let work = state.work
            let fetches = work.running.map { wanted, kept in
                PinSummary.Fetch(
                    inode: wanted.inode, bytes: wanted.content.size, fetched: kept)
            }
            return PinSummary(
                totals: work.totals, fetches: fetches, problem: work.problem,
                isStuck: work.isStuck, exceedsCache: max(work.totals.contentBytes, taken) > limit)
        }
    }

    /// The totals of nodes and their subtrees, with the cached bytes of unfinished files. Blocks on
    /// the local disk.
    ///
    /// Throws when the local database does.
    package func totals(below roots: [InodeID]) throws -> PinTotals {
        let known = state.withLock { $0.work.known }
        let scan = try store.read { snapshot in
            var scan = PinScan(known: known)
            try snapshot.forEachPinnedFile(below: roots) { scan.add($0) }
            return scan
        }
        var totals = scan.totals
        state.withLock { state in
            for item in scan.unknown {
                totals.presentBytes +|= state.work.keptBytes(of: item.content.hash)
            }
        }
        return totals
    }
}

extension DiskBlockCache {
    /// Whether a content can be read without the network.
    fileprivate func hasAll(of content: FileVersion) -> Bool {
        contains(content.hash, size: content.size, range: 0..<content.size)
    }
}
