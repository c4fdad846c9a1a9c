// How fetches are created, get their turns, and end.

import Blocking
import BlockCache
import ContentHashing
import Core
import Logging
import RemoteStore
import Saturating
import Synchronization

/// Continuations collected under the reader's lock, to be resumed after it is released.
struct Turns {
    private var continuations: [CheckedContinuation<Bool, Never>] = []

    mutating func add(_ continuation: CheckedContinuation<Bool, Never>) {
        continuations.append(continuation)
    }

    func take() {
        for continuation in continuations { continuation.resume(returning: true) }
    }
}

extension ContentReader {
    /// Bytes of a handle's first fetch. 1 MiB is a common size of reads; 128 KiB more, so that the
    /// kernel's next read-ahead need not wait, as in mountpoint-s3.
    static let initialReach: Int64 = (1 << 20) + (128 << 10)
    /// Unit of fetching for handles that read at random, because a request has a cost of its own.
    private static let exactUnit: Int64 = 128 << 10
    /// Consecutive tries without progress, and tries in all.
    private static let attempts = (idle: 3, all: 8)

    // MARK: Making

    /// A fetch for a reader that waits from `wanted`'s start on; the caller must release it. Nil if
    /// another fetch of these bytes was made in between.
    func demand(
        _ content: FileVersion, _ key: BlockKey, _ wanted: Range<Int64>,
        _ reach: ReadPattern.Reach, isHeaderProbe: Bool = false
    ) async -> BlockFetch? {
        let block = blockRange(key.index, of: content)
        let range: Range<Int64>
        let wholeSize = isHeaderProbe ? HeaderProbes.smallSize : DiskBlockCache.blockSize
        if content.size <= wholeSize {
            range = block
        } else {
            switch isHeaderProbe && reach == .initial ? .exact : reach {
            case .exact:
                let unit = Self.exactUnit
                let first = wanted.lowerBound.divided(by: unit)
                let end = (wanted.upperBound +| unit -| 1).divided(by: unit)
                range = first *| unit..<end *| unit
            case .initial:
                let lower = chunkStart(wanted.lowerBound)
                range = lower..<max(lower +| Self.initialReach, chunkEnd(wanted.upperBound))
            case .block:
                range = chunkStart(wanted.lowerBound)..<block.upperBound
            }
        }
        let clamped = range.clamped(to: block)
        await survey(content, key.index)
        return make(content, key, clamped, from: wanted.lowerBound, isDemanded: true)
    }

    func blockRange(_ index: Int, of content: FileVersion) -> Range<Int64> {
        let lower = Int64(clamping: index) *| DiskBlockCache.blockSize
        return lower ..<| min(lower +| DiskBlockCache.blockSize, content.size)
    }

    func chunkStart(_ offset: Int64) -> Int64 {
        offset / DiskBlockCache.chunkSize *| DiskBlockCache.chunkSize
    }

    private func chunkEnd(_ offset: Int64) -> Int64 {
        chunkStart(offset +| DiskBlockCache.chunkSize -| 1)
    }

    /// Finds out whether a block completes its content. Stops at the first missing block, so a
    /// content that is read from its start costs one check.
    func survey(_ content: FileVersion, _ index: Int) async {
        guard content.size > DiskBlockCache.blockSize else { return }
        while true {
            let unknown = state.withLock { state in
                state.ledgers[content.hash, default: newLedger(content)]
                    .unknownBlock(besides: index)
            }
            guard let unknown else { return }
            let range = blockRange(unknown, of: content)
            let isHere = await disk.run { [cache] in
                cache.contains(content.hash, size: content.size, range: range)
            }
            guard isHere else { return }
            state.withLock { state in
                state.ledgers[content.hash, default: newLedger(content)].found(unknown)
            }
        }
    }

    private func newLedger(_ content: FileVersion) -> ContentLedger {
        ContentLedger(blockCount: blockCount(of: content))
    }

    private func blockCount(of content: FileVersion) -> Int {
        Int(clamping: (content.size +| DiskBlockCache.blockSize -| 1) / DiskBlockCache.blockSize)
    }

    /// Creates a fetch of a range that covers `position`, without what other fetches bring. Nil if
    /// one brings that position already, or if there is no room for a fetch without a waiter.
    func make(
        _ content: FileVersion, _ key: BlockKey, _ range: Range<Int64>, from position: Int64,
        isDemanded: Bool, isBackground: Bool = false
    ) -> BlockFetch? {
        let (fetch, turns) = state.withLock { state -> (BlockFetch?, Turns) in
            var range = range
            for other in state.fetches[key] ?? [] where !other.isAbandoned {
                guard !other.range.contains(position) else { return (nil, Turns()) }
                if other.range.upperBound <= position {
                    range = max(range.lowerBound, other.range.upperBound)..<range.upperBound
                } else {
                    range = range.lowerBound..<min(range.upperBound, other.range.lowerBound)
                }
            }
            let bytes = Int64(clamping: range.count)
            guard isDemanded || isBackground || state.queue.hasRoomAhead(bytes) else {
                return (nil, Turns())
            }
            let ledger = state.ledgers[content.hash] ?? newLedger(content)
            let fetch = BlockFetch(
                id: state.nextID, key: key, range: range, buffers: buffers,
                isWithheld: content.size <= DiskBlockCache.blockSize
                    || ledger.unknownBlock(besides: key.index) == nil)
            state.nextID +|= 1
            register(fetch, content, &state)
            let actions =
                isBackground
                ? state.queue.addBackgroundFetch(fetch.id, bytes: bytes)
                : state.queue.add(fetch.id, bytes: bytes, isDemanded: isDemanded)
            return (fetch, Self.perform(actions, &state))
        }
        turns.take()
        if let fetch {
            fetch.attach(Task { await run(fetch, content) })
        } else {
            forgetIdleLedger(of: content)
        }
        return fetch
    }

    func register(_ fetch: BlockFetch, _ content: FileVersion, _ state: inout State) {
        state.ledgers[content.hash, default: newLedger(content)].began(fetch.key.index)
        state.fetches[fetch.key, default: []].append(fetch)
    }

    /// Drops the ledger of a fetch that was not created after all.
    func forgetIdleLedger(of content: FileVersion) {
        state.withLock { state in
            if state.ledgers[content.hash]?.fetchCount == 0 { state.ledgers[content.hash] = nil }
        }
    }

    // MARK: Turns

    /// Performs the queue's actions, as far as the lock allows.
    static func perform(_ actions: [FetchQueue.Action], _ state: inout State) -> Turns {
        var turns = Turns()
        for action in actions {
            switch action {
            case .start(let id):
                if let turn = state.turns.removeValue(forKey: id) { turns.add(turn) }
            case .evict(let id):
                forget(id, &state)
            }
        }
        return turns
    }

    private static func forget(_ id: Int, _ state: inout State) {
        for (key, fetches) in state.fetches {
            guard let index = fetches.firstIndex(where: { $0.id == id }) else { continue }
            forget(fetches[index], key, &state)
            return
        }
    }

    private static func forget(_ fetch: BlockFetch, _ key: BlockKey, _ state: inout State) {
        guard let index = state.fetches[key]?.firstIndex(where: { $0 === fetch }) else { return }
        state.fetches[key]?.remove(at: index)
        if state.fetches[key]?.isEmpty == true { state.fetches[key] = nil }
        state.ledgers[key.hash]?.left()
        if state.ledgers[key.hash]?.fetchCount == 0 { state.ledgers[key.hash] = nil }
    }

    /// Waits for a fetch's turn; false if it was cancelled before.
    private func turn(of fetch: BlockFetch) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.queue.isRunning(fetch.id) { return true }
                    state.turns[fetch.id] = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { $0.turns.removeValue(forKey: fetch.id) }
            waiting?.resume(returning: false)
        }
    }

    // MARK: Running

    private func run(_ fetch: BlockFetch, _ content: FileVersion) async {
        guard await turn(of: fetch) else { return fail(fetch, .cancelled) }
        fetch.start()
        var idle = 0
        for attempt in 1...Self.attempts.all {
            let before = fetch.count
            do throws(RemoteError) {
                try await transfer(fetch, content)
                leaveNetwork(fetch)
                return try await keep(fetch, content)
            } catch {
                let hasProgressed = fetch.count > before
                idle = hasProgressed ? 0 : idle +| 1
                log.debug("a block came wrong", metadata: ["error": "\(error)"])
                guard isWorthAnother(error, hasProgressed), idle < Self.attempts.idle,
                    attempt < Self.attempts.all
                else { return fail(fetch, error) }
                try? await Task.sleep(for: limits.retryDelay.doubled(times: min(attempt -| 1, 4)))
                if Task.isCancelled { return fail(fetch, .cancelled) }
            }
        }
    }

    /// Wrong bytes are worth a retry, and so is a connection lost on the way. A call that failed
    /// before its first byte was retried often enough below.
    private func isWorthAnother(_ error: RemoteError, _ hasProgressed: Bool) -> Bool {
        switch error {
        case .malformed, .server: true
        default: hasProgressed && error.isTransient
        }
    }

    /// Transfers the remaining bytes.
    private func transfer(
        _ fetch: BlockFetch, _ content: FileVersion
    ) async throws(RemoteError) {
        let start = fetch.range.lowerBound +| Int64(clamping: fetch.count)
        guard start < fetch.range.upperBound else { return }
        let download = try await begin(
            content.revision, start..<fetch.range.upperBound, for: fetch)
        var next = download.firstPiece
        while let piece = next {
            guard fetch.count +| piece.count <= fetch.range.count else {
                throw .malformed("more bytes came than were asked for")
            }
            fetch.append(piece)
            next = try await download.stream.next()
        }
        guard fetch.count == fetch.range.count else {
            throw .malformed("\(fetch.range.count) bytes were asked for and \(fetch.count) came")
        }
    }

    private func leaveNetwork(_ fetch: BlockFetch) {
        let turns = state.withLock { state in
            Self.perform(state.queue.transferred(fetch.id), &state)
        }
        turns.take()
    }

    // MARK: Ending

    /// The verdict about bytes that were kept.
    private enum BlockVerdict: Sendable {
        /// The bytes are a part of a block.
        case part
        /// The whole block was seen.
        case passed
        /// The bytes are wrong, and were not served.
        case wrong
        /// The whole content was seen, and does not match its hash.
        case mismatch
    }

    private func keep(_ fetch: BlockFetch, _ content: FileVersion) async throws(RemoteError) {
        let bytes = fetch.bytes
        let block = blockRange(fetch.key.index, of: content)
        let verdict = await disk.run { [cache] in
            Self.keep(bytes, fetch, block: block, content, in: cache)
        }
        switch verdict {
        case .part: arrive(fetch, passes: false)
        case .passed: arrive(fetch, passes: true)
        case .mismatch: condemn(content)
        case .wrong:
            fetch.restart()
            throw .malformed("the content does not have the hash that the server gave")
        }
    }

    private static func keep(
        _ bytes: [UInt8], _ fetch: BlockFetch, block: Range<Int64>, _ content: FileVersion,
        in cache: DiskBlockCache
    ) -> BlockVerdict {
        let (hash, size, index) = (content.hash, content.size, fetch.key.index)
        if fetch.range == 0..<size, size <= DiskBlockCache.blockSize {
            // These bytes were not served yet.
            return cache.insert(block: index, of: hash, size: size, bytes: bytes) == .accepted
                ? .passed : .wrong
        }
        var whole: [UInt8]? = bytes
        if fetch.range != block {
            cache.insert(at: fetch.range.lowerBound, of: hash, size: size, bytes: bytes)
            // A block that arrives in parts is checked when all of them are there.
            guard cache.contains(hash, size: size, range: block) else { return .part }
            whole = cache.bytes(of: hash, size: size, range: block)
        }
        guard let whole else { return .part }
        return cache.insert(block: index, of: hash, size: size, bytes: whole) == .accepted
            ? .passed : .mismatch
    }

    func arrive(_ fetch: BlockFetch, passes: Bool) {
        let (served, turns) = state.withLock { state -> ([BlockFetch], Turns) in
            let hash = fetch.key.hash
            guard state.fetches[fetch.key]?.contains(where: { $0 === fetch }) == true else {
                return ([], Turns())
            }
            state.ledgers[hash]?.ended(fetch.key.index, passes: passes)
            let served = Self.settle(hash, adding: fetch, &state)
            let actions = [Self.hasten(fetch, &state), state.queue.arrive(fetch.id)].flatMap(\.self)
            return (served, Self.perform(actions, &state))
        }
        for fetch in served { fetch.complete() }
        turns.take()
        postponeIdle()
    }

    /// The complete fetches that may be served: those not withheld, and all of them once no fetch
    /// of the content is in flight, because the check of the whole is over then.
    private static func settle(
        _ hash: ContentHash, adding fetch: BlockFetch?, _ state: inout State
    ) -> [BlockFetch] {
        var served: [BlockFetch] = []
        if let fetch {
            if fetch.isWithheld {
                state.withheld[hash, default: []].append(fetch)
            } else {
                served.append(fetch)
            }
        }
        if state.ledgers[hash]?.isSettled ?? true {
            served.append(contentsOf: state.withheld.removeValue(forKey: hash) ?? [])
        }
        return served
    }

    func fail(_ fetch: BlockFetch, _ error: RemoteError) {
        // Out of the table first, so that the next reader begins a new fetch.
        let (served, turns) = state.withLock { state -> ([BlockFetch], Turns) in
            guard state.fetches[fetch.key]?.contains(where: { $0 === fetch }) == true else {
                return ([], Turns())
            }
            state.ledgers[fetch.key.hash]?.ended(fetch.key.index, passes: false)
            let served = Self.settle(fetch.key.hash, adding: nil, &state)
            Self.forget(fetch, fetch.key, &state)
            return (served, Self.perform(state.queue.remove(fetch.id), &state))
        }
        fetch.fail(error)
        for fetch in served { fetch.complete() }
        turns.take()
    }

    /// Handles a content that does not match its hash: drops it from memory, and handles that have
    /// read some of it get errors from now on.
    private func condemn(_ content: FileVersion) {
        log.error(
            "the server's bytes do not match the content hash that it gave",
            metadata: ["revision": "\(content.revision)"])
        let (gone, turns) = state.withLock { state -> ([BlockFetch], Turns) in
            state.epoch +|= 1
            state.condemned[content.hash] = state.epoch
            let keys = state.fetches.keys.filter { $0.hash == content.hash }
            let gone = keys.flatMap { state.fetches.removeValue(forKey: $0) ?? [] }
            state.withheld[content.hash] = nil
            state.ledgers[content.hash] = nil
            let actions = gone.flatMap { state.queue.remove($0.id) }
            return (gone, Self.perform(actions, &state))
        }
        for fetch in gone {
            fetch.abort(.malformed("the content does not have the hash that the server gave"))
        }
        turns.take()
    }
}
