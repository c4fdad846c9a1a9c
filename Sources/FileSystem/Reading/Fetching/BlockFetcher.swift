// Brings blocks from the network, or from the disk, into memory and into the cache: how fetches are
// made, get their turns, are verified, and end. Not responsible for what a reader needs
// (`ContentReader`), nor for the order of fetches (`FetchTable`).

import Blocking
import BlockCache
import ContentHashing
import Core
import Logging
import RemoteStore
import Saturating
import Synchronization

/// Makes fetches and runs them. All readers of a block share its fetches.
final class BlockFetcher: Sendable {
    /// Bytes of a handle's first fetch. 1 MiB is a common size of reads; 128 KiB more, so that the
    /// kernel's next read-ahead need not wait, as in mountpoint-s3.
    static let initialReach: Int64 = (1 << 20) + (128 << 10)
    /// Unit of fetching for handles that read at random, because a request has a cost of its own.
    private static let exactUnit: Int64 = 128 << 10
    /// Consecutive tries without progress, and tries in all.
    private static let attempts = (idle: 3, all: 8)
    /// Bytes per read from the disk: as many as the kernel requests at once.
    private static let diskReadSize: Int64 = 1 << 20

    private let downloads: HedgedDownloads
    private let cache: DiskBlockCache
    private let limits: ContentReader.Limits
    private let log: Logger
    private let disk: DiskQueue
    private let buffers = BlockBuffers()
    /// Called with a content whose bytes turned out not to be those of its hash.
    private let onMismatch: @Sendable (FileVersion) -> Void
    /// Lock: taken before a session's and a fetch's own; memory only.
    let table: Mutex<FetchTable>

    init(
        remote: any RemoteStoring, cache: DiskBlockCache, disk: DiskQueue,
        limits: ContentReader.Limits, log: Logger,
        onMismatch: @escaping @Sendable (FileVersion) -> Void
    ) {
        self.onMismatch = onMismatch
        downloads = HedgedDownloads(remote: remote, delay: limits.hedgeDelay)
        self.cache = cache
        self.disk = disk
        self.limits = limits
        self.log = log
        table = Mutex(FetchTable(memory: limits.memory, requests: limits.requests))
    }

    // MARK: Making

    /// A fetch for a reader that waits from `wanted`'s start on; the caller must release it. Nil if
    /// another fetch of these bytes was made in between.
    func makeDemanded(
        _ content: FileVersion, _ key: BlockKey, _ wanted: Range<Int64>,
        _ reach: ReadPattern.Reach, isHeaderProbe: Bool = false
    ) async -> BlockFetch? {
        let block = content.range(ofBlock: key.index)
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
                let lower = DiskBlockCache.chunkStart(wanted.lowerBound)
                let end = DiskBlockCache.chunkEnd(wanted.upperBound)
                range = lower..<max(lower +| Self.initialReach, end)
            case .block:
                range = DiskBlockCache.chunkStart(wanted.lowerBound)..<block.upperBound
            }
        }
        let clamped = range.clamped(to: block)
        await survey(content, key.index)
        return make(content, key, clamped, from: wanted.lowerBound, .demanded)
    }

    /// Finds out whether a block completes its content. Stops at the first missing block, so a
    /// content that is read from its start costs one check.
    func survey(_ content: FileVersion, _ index: Int) async {
        guard content.size > DiskBlockCache.blockSize else { return }
        while true {
            let unknown = table.withLock { $0.unknownBlock(of: content, besides: index) }
            guard let unknown else { return }
            let range = content.range(ofBlock: unknown)
            let isHere = await disk.run { [cache] in
                cache.contains(content.hash, size: content.size, range: range)
            }
            guard isHere else { return }
            table.withLock { $0.noteOnDisk(unknown, of: content) }
        }
    }

    /// Creates a fetch of a range that covers `position`, without what other fetches bring. Nil if
    /// one brings that position already, or if there is no room for a fetch without a waiter.
    func make(
        _ content: FileVersion, _ key: BlockKey, _ range: Range<Int64>, from position: Int64,
        _ urgency: FetchTable.Urgency
    ) -> BlockFetch? {
        let (fetch, resumed) = table.withLock {
            $0.make(content, key, range, from: position, urgency, buffers)
        }
        resumed.resume()
        if let fetch {
            fetch.attach(Task { await run(fetch, content) })
        } else {
            table.withLock { $0.forgetIdleVerification(of: content) }
        }
        return fetch
    }

    // MARK: Running

    /// Waits for a fetch's turn; false if it was cancelled before.
    private func turn(of fetch: BlockFetch) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = table.withLock { table in
                    Task.isCancelled ? false : table.awaitTurn(of: fetch, continuation)
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = table.withLock { $0.leaveTurn(of: fetch) }
            waiting?.resume(returning: false)
        }
    }

    private func run(_ fetch: BlockFetch, _ content: FileVersion) async {
        guard await turn(of: fetch) else { return fail(fetch, .cancelled) }
        fetch.start()
        var idle = 0
        for attempt in 1...Self.attempts.all {
            let before = fetch.count
            do throws(RemoteError) {
                try await transfer(fetch, content)
                leaveNetwork(fetch)
                return try await storeInCache(fetch, content)
            } catch {
                let hasProgressed = fetch.count > before
                idle = hasProgressed ? 0 : idle +| 1
                log.debug("the fetch of a block failed", metadata: ["error": "\(error)"])
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
        let download = try await downloads.begin(
            content.revision, start..<fetch.range.upperBound, for: fetch)
        var next = download.firstChunk
        while let chunk = next {
            guard fetch.count +| chunk.count <= fetch.range.count else {
                throw .malformed("the server sent more bytes than requested")
            }
            fetch.append(chunk)
            next = try await download.stream.next()
        }
        guard fetch.count == fetch.range.count else {
            throw .malformed("the server sent \(fetch.count) of \(fetch.range.count) bytes")
        }
    }

    private func leaveNetwork(_ fetch: BlockFetch) {
        table.withLock { $0.noteTransferred(fetch) }.resume()
    }

    // MARK: Ending

    /// The verdict about bytes that were kept.
    private enum BlockVerdict: Sendable {
        /// The bytes are a part of a block.
        case part
        /// The whole block was seen.
        case passed
        /// The bytes are wrong, and were not served.
        case refused
        /// The whole content was seen, and does not match its hash.
        case hashMismatch
    }

    private func storeInCache(
        _ fetch: BlockFetch, _ content: FileVersion
    ) async throws(RemoteError) {
        let bytes = fetch.bytes
        let block = content.range(ofBlock: fetch.key.index)
        let verdict = await disk.run { [cache] in
            Self.verifyAndStore(bytes, fetch, block: block, content, in: cache)
        }
        switch verdict {
        case .part: arrive(fetch, passes: false)
        case .passed: arrive(fetch, passes: true)
        case .hashMismatch: dropMismatched(content)
        case .refused:
            fetch.restart()
            throw .malformed("the content does not have the hash that the server gave")
        }
    }

    private static func verifyAndStore(
        _ bytes: [UInt8], _ fetch: BlockFetch, block: Range<Int64>, _ content: FileVersion,
        in cache: DiskBlockCache
    ) -> BlockVerdict {
        let (hash, size, index) = (content.hash, content.size, fetch.key.index)
        if fetch.range == 0..<size, size <= DiskBlockCache.blockSize {
            // These bytes were not served yet.
            return cache.insert(block: index, of: hash, size: size, bytes: bytes) == .accepted
                ? .passed : .refused
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
            ? .passed : .hashMismatch
    }

    private func arrive(_ fetch: BlockFetch, passes: Bool) {
        let (served, resumed) = table.withLock { $0.arrive(fetch, passes: passes) }
        for fetch in served { fetch.complete() }
        resumed.resume()
        postponeIdle()
    }

    private func fail(_ fetch: BlockFetch, _ error: RemoteError) {
        let (served, resumed) = table.withLock { $0.remove(fetch) }
        fetch.fail(error)
        for fetch in served { fetch.complete() }
        resumed.resume()
    }

    /// Handles a content that does not match its hash: drops it from memory, and handles that have
    /// read some of it get errors from now on.
    private func dropMismatched(_ content: FileVersion) {
        log.error(
            "the server's bytes do not match the content hash that it gave",
            metadata: ["revision": "\(content.revision)"])
        let (gone, resumed) = table.withLock { $0.noteMismatch(of: content.hash) }
        for fetch in gone {
            fetch.abort(.malformed("the content does not have the hash that the server gave"))
        }
        resumed.resume()
        onMismatch(content)
    }

    // MARK: From the disk

    /// Reads a part of a block from the disk, for a stream that needs it soon: large reads bypass
    /// the kernel's page cache, so the kernel does not read ahead in them. Returns at once, and
    /// does nothing if memory is short or another fetch brings some of it.
    func load(
        _ content: FileVersion, _ range: Range<Int64>, for stream: Int, of session: ReadSession
    ) {
        // Smaller reads use the kernel's page cache, which reads ahead itself.
        guard range.count >= DiskBlockCache.directSize else { return }
        let key = content.block(at: range.lowerBound)
        let fetch = table.withLock { $0.admit(content, key, range, buffers) }
        guard let fetch else { return }
        session.claim(fetch, for: stream)
        fetch.attach(Task { await load(fetch, content) })
    }

    private func load(_ fetch: BlockFetch, _ content: FileVersion) async {
        fetch.start()
        while !Task.isCancelled, fetch.count < fetch.range.count {
            let start = fetch.range.lowerBound +| Int64(clamping: fetch.count)
            let next = start ..<| min(start +| Self.diskReadSize, fetch.range.upperBound)
            let bytes = await disk.run { [cache] in
                cache.bytes(of: content.hash, size: content.size, range: next)
            }
            // A damaged block is fetched by its next reader.
            guard let bytes else { break }
            fetch.append(bytes)
        }
        guard fetch.count == fetch.range.count else { return fail(fetch, .cancelled) }
        arrive(fetch, passes: fetch.range == content.range(ofBlock: fetch.key.index))
    }

    // MARK: Idleness

    /// Notes an arrival, which keeps bytes in memory for a while longer.
    private func postponeIdle() {
        let isFirst = table.withLock { $0.postponeIdle() }
        if isFirst { Task { [weak self] in await self?.awaitIdle() } }
    }

    /// Waits until no fetch has arrived for a while, and frees their memory.
    private func awaitIdle() async {
        while true {
            try? await Task.sleep(for: limits.idleTime)
            let resumed = table.withLock { $0.evictIdle(since: limits.idleTime) }
            guard let resumed else { continue }
            buffers.drop()
            return resumed.resume()
        }
    }
}
