// The fetches of a reader, running and arrived, and which blocks of their contents were seen.
// Memory only: its owner has the lock, and transfers the bytes.

import BlockCache
import ContentHashing
import Core
import Saturating

/// The continuations of fetches whose turn has come, collected under the lock of the table, to be
/// resumed after it is released.
struct ResumedFetches {
    private var continuations: [CheckedContinuation<Bool, Never>] = []

    mutating func add(_ continuation: CheckedContinuation<Bool, Never>) {
        continuations.append(continuation)
    }

    func resume() {
        for continuation in continuations { continuation.resume(returning: true) }
    }
}

/// All fetches, by the blocks that they bring. A change may start other fetches: these are
/// returned, to be resumed.
struct FetchTable {
    private(set) var fetches: [BlockKey: [BlockFetch]] = [:]
    private var queue: FetchQueue
    /// Fetches that wait for their turn.
    private var turns: [Int: CheckedContinuation<Bool, Never>] = [:]
    private var verifications: [ContentHash: ContentVerification] = [:]
    /// Complete fetches that are withheld until the whole was checked.
    private var withheld: [ContentHash: [BlockFetch]] = [:]
    /// Contents that failed the check, with the epoch of the failure.
    private var mismatched: [ContentHash: UInt64] = [:]
    /// A number that grows with each content that fails the check.
    private(set) var epoch: UInt64 = 1
    private var nextID = 0
    private var lastArrival = ContinuousClock.now
    private var isIdleTimerRunning = false

    /// Creates an empty table with limits of bytes in memory and of requests.
    init(memory: Int64, requests: Int) {
        queue = FetchQueue(budget: memory, slots: requests)
    }

    /// Bytes in memory or in flight.
    var bytes: Int64 { queue.bytes }

    /// Whether a read-ahead fetch of so many bytes may be made.
    func hasRoomAhead(_ bytes: Int64) -> Bool { queue.hasRoomAhead(bytes) }

    /// The epoch in which a content failed the check; nil if it did not.
    func mismatchEpoch(of hash: ContentHash) -> UInt64? { mismatched[hash] }

    // MARK: Finding

    /// The fetch of a block that brings a byte.
    func fetch(_ key: BlockKey, at position: Int64) -> BlockFetch? {
        fetches[key]?.first { $0.range.contains(position) }
    }

    /// The fetch that brings a byte of a block; the caller must release it.
    func retained(_ key: BlockKey, at position: Int64) -> BlockFetch? {
        fetches[key]?.first { $0.range.contains(position) && $0.retain() }
    }

    /// The fetch that brings a byte, promoted for a reader; the caller must release it.
    mutating func retainPromoted(
        _ key: BlockKey, at position: Int64
    ) -> (BlockFetch?, ResumedFetches) {
        // A withheld fetch can have left the table for the bytes of another fetch, and readers
        // still wait for it.
        let found = all(key).first {
            $0.key == key && $0.range.contains(position) && $0.retain()
        }
        guard let found else { return (nil, ResumedFetches()) }
        return (found, perform(queue.demand(found.id)))
    }

    /// Where withheld bytes begin in a part of a block, even if they are on disk.
    func withheldStart(_ key: BlockKey, _ part: Range<Int64>) -> Int64? {
        holders(of: part, key).map(\.range.lowerBound).min()
    }

    /// A fetch that withholds a byte.
    func holder(of position: Int64, _ key: BlockKey) -> BlockFetch? {
        holders(of: position..<position +| 1, key).first
    }

    /// The fetches that withhold bytes in a part of a block.
    private func holders(of part: Range<Int64>, _ key: BlockKey) -> [BlockFetch] {
        all(key).filter { fetch in
            fetch.key == key && fetch.isWithheld && !fetch.isOver && fetch.range.overlaps(part)
        }
    }

    /// The fetches of a block, and all that are withheld of its content.
    private func all(_ key: BlockKey) -> [BlockFetch] {
        [fetches[key] ?? [], withheld[key.hash] ?? []].flatMap(\.self)
    }

    // MARK: Verification

    /// The last block of a content, other than one, that was neither seen nor is in flight.
    func unknownBlock(of content: FileVersion, besides index: Int) -> Int? {
        verification(of: content).unknownBlock(besides: index)
    }

    /// Notes that a block of a content is on disk.
    mutating func noteOnDisk(_ index: Int, of content: FileVersion) {
        verifications[content.hash, default: ContentVerification(of: content)].found(index)
    }

    /// Drops the verification of a fetch that was not created after all.
    mutating func forgetIdleVerification(of content: FileVersion) {
        if verifications[content.hash]?.fetchCount == 0 { verifications[content.hash] = nil }
    }

    private func verification(of content: FileVersion) -> ContentVerification {
        verifications[content.hash] ?? ContentVerification(of: content)
    }

    // MARK: Making

    /// How much a fetch is wanted.
    enum Urgency {
        /// A reader waits for it.
        case demanded
        /// Read-ahead, which needs room.
        case ahead
        /// No reader needs it; it gives way to the others.
        case background
    }

    /// Adds a fetch of a range that covers `position`, without what other fetches bring. Nil if one
    /// brings that position already, or if there is no room.
    mutating func make(
        _ content: FileVersion, _ key: BlockKey, _ range: Range<Int64>, from position: Int64,
        _ urgency: Urgency, _ buffers: BlockBuffers
    ) -> (BlockFetch?, ResumedFetches) {
        var range = range
        for other in fetches[key] ?? [] where !other.isAbandoned {
            guard !other.range.contains(position) else { return (nil, ResumedFetches()) }
            if other.range.upperBound <= position {
                range = max(range.lowerBound, other.range.upperBound)..<range.upperBound
            } else {
                range = range.lowerBound..<min(range.upperBound, other.range.lowerBound)
            }
        }
        let bytes = Int64(clamping: range.count)
        if urgency == .ahead, !queue.hasRoomAhead(bytes) { return (nil, ResumedFetches()) }
        let isWithheld =
            content.size <= DiskBlockCache.blockSize
            || unknownBlock(of: content, besides: key.index) == nil
        let fetch = BlockFetch(
            id: nextID, key: key, range: range, buffers: buffers, isWithheld: isWithheld)
        nextID +|= 1
        register(fetch, content)
        let actions =
            switch urgency {
            case .demanded, .ahead:
                queue.add(fetch.id, bytes: bytes, isDemanded: urgency == .demanded)
            case .background: queue.addBackgroundFetch(fetch.id, bytes: bytes)
            }
        return (fetch, perform(actions))
    }

    /// Adds a fetch from the disk, which needs no turn; nil if memory is short or another fetch
    /// brings some of the range.
    mutating func admit(
        _ content: FileVersion, _ key: BlockKey, _ range: Range<Int64>, _ buffers: BlockBuffers
    ) -> BlockFetch? {
        let isOnItsWay = fetches[key]?.contains { $0.range.overlaps(range) } ?? false
        guard !isOnItsWay,
            let actions = queue.admit(nextID, bytes: Int64(clamping: range.count))
        else { return nil }
        let fetch = BlockFetch(
            id: nextID, key: key, range: range, buffers: buffers, isWithheld: false, isLocal: true)
        nextID +|= 1
        register(fetch, content)
        // No action starts a fetch, because there is less room than before.
        _ = perform(actions)
        return fetch
    }

    mutating func register(_ fetch: BlockFetch, _ content: FileVersion) {
        verifications[content.hash, default: ContentVerification(of: content)]
            .began(fetch.key.index)
        fetches[fetch.key, default: []].append(fetch)
    }

    // MARK: Turns

    /// Whether a fetch may run; nil if `continuation` is resumed at its turn.
    mutating func awaitTurn(
        of fetch: BlockFetch, _ continuation: CheckedContinuation<Bool, Never>
    ) -> Bool? {
        if queue.isRunning(fetch.id) { return true }
        turns[fetch.id] = continuation
        return nil
    }

    /// Takes the continuation of a fetch that waits no longer.
    mutating func leaveTurn(of fetch: BlockFetch) -> CheckedContinuation<Bool, Never>? {
        turns.removeValue(forKey: fetch.id)
    }

    /// Performs the queue's actions, as far as the lock allows.
    private mutating func perform(_ actions: [FetchQueue.Action]) -> ResumedFetches {
        var resumed = ResumedFetches()
        for action in actions {
            switch action {
            case .start(let id):
                if let turn = turns.removeValue(forKey: id) { resumed.add(turn) }
            case .evict(let id):
                forget(id)
            }
        }
        return resumed
    }

    private mutating func forget(_ id: Int) {
        for fetch in fetches.values.joined() where fetch.id == id { return forget(fetch) }
    }

    private mutating func forget(_ fetch: BlockFetch) {
        let key = fetch.key
        guard let index = fetches[key]?.firstIndex(where: { $0 === fetch }) else { return }
        fetches[key]?.remove(at: index)
        if fetches[key]?.isEmpty == true { fetches[key] = nil }
        verifications[key.hash]?.left()
        if verifications[key.hash]?.fetchCount == 0 { verifications[key.hash] = nil }
    }

    // MARK: Ending

    /// Notes that a fetch has all its bytes, and leaves the network to the next fetch.
    mutating func noteTransferred(_ fetch: BlockFetch) -> ResumedFetches {
        perform(queue.transferred(fetch.id))
    }

    /// Notes that the bytes of a fetch were kept. `passes`: all of its block was seen. Returns the
    /// fetches that may be served.
    mutating func arrive(_ fetch: BlockFetch, passes: Bool) -> ([BlockFetch], ResumedFetches) {
        guard contains(fetch) else { return ([], ResumedFetches()) }
        let hash = fetch.key.hash
        verifications[hash]?.ended(fetch.key.index, passes: passes)
        let served = settle(hash, adding: fetch)
        let actions = [hasten(fetch), queue.arrive(fetch.id)].flatMap(\.self)
        return (served, perform(actions))
    }

    /// Removes a fetch that has failed, so that the next reader begins a new one. Returns the other
    /// fetches that may be served.
    mutating func remove(_ fetch: BlockFetch) -> ([BlockFetch], ResumedFetches) {
        guard contains(fetch) else { return ([], ResumedFetches()) }
        verifications[fetch.key.hash]?.ended(fetch.key.index, passes: false)
        let served = settle(fetch.key.hash, adding: nil)
        forget(fetch)
        return (served, perform(queue.remove(fetch.id)))
    }

    /// Removes all fetches of a content that does not match its hash, and returns them.
    mutating func noteMismatch(of hash: ContentHash) -> ([BlockFetch], ResumedFetches) {
        epoch +|= 1
        mismatched[hash] = epoch
        let keys = fetches.keys.filter { $0.hash == hash }
        let gone = keys.flatMap { fetches.removeValue(forKey: $0) ?? [] }
        withheld[hash] = nil
        verifications[hash] = nil
        let actions = gone.flatMap { queue.remove($0.id) }
        return (gone, perform(actions))
    }

    private func contains(_ fetch: BlockFetch) -> Bool {
        fetches[fetch.key]?.contains { $0 === fetch } == true
    }

    /// The complete fetches that may be served: those not withheld, and all of them once no fetch
    /// of the content is in flight, because the check of the whole is over then.
    private mutating func settle(_ hash: ContentHash, adding fetch: BlockFetch?) -> [BlockFetch] {
        var served: [BlockFetch] = []
        if let fetch {
            if fetch.isWithheld {
                withheld[hash, default: []].append(fetch)
            } else {
                served.append(fetch)
            }
        }
        if verifications[hash]?.isSettled ?? true {
            served.append(contentsOf: withheld.removeValue(forKey: hash) ?? [])
        }
        return served
    }

    /// If a demanded block is withheld until the whole file is verified, promotes the background
    /// fetches of that file: the reader depends on them.
    private mutating func hasten(_ fetch: BlockFetch) -> [FetchQueue.Action] {
        let hash = fetch.key.hash
        guard fetch.isWithheld, !queue.isBackground(fetch.id),
            verifications[hash]?.isSettled == false
        else { return [] }
        let others = fetches.filter { $0.key.hash == hash }.values.joined()
            .filter { queue.isBackground($0.id) }
        return others.flatMap { queue.demand($0.id) }
    }

    // MARK: Idleness

    /// Notes an arrival, which keeps bytes in memory for a while longer. Returns whether the idle
    /// timer has to be started.
    mutating func postponeIdle() -> Bool {
        lastArrival = .now
        defer { isIdleTimerRunning = true }
        return !isIdleTimerRunning
    }

    /// Ends the idle timer and evicts all that has arrived; nil if the last arrival is not so long
    /// ago.
    mutating func evictIdle(since idleTime: Duration) -> ResumedFetches? {
        guard lastArrival.duration(to: .now) >= idleTime else { return nil }
        isIdleTimerRunning = false
        return perform(queue.evictAll())
    }
}

extension ContentVerification {
    fileprivate init(of content: FileVersion) {
        self.init(blockCount: content.blockCount)
    }
}
