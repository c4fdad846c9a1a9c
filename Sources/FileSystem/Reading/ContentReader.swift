// The read pipeline: bytes of revisions from memory, from the cache on disk, or from the network.
// Not responsible for open files, nor for content that is not on the server. `BlockFetcher` brings
// missing blocks; read-ahead is in ContentReader+Ahead.swift.

import Blocking
package import BlockCache
import ContentHashing
package import Core
package import Logging
package import RemoteStore
import Saturating
import Synchronization

/// Reads content by blocks. One fetch serves all readers of its bytes; sequential handles get
/// read-ahead, random ones little more than their reads.
package final class ContentReader: ContentReading {
    /// Limits of the pipeline's resources.
    struct Limits: Sendable {
        /// Bytes in flight or just arrived. The whole mount is to stay below 200 MiB; SQLite, the
        /// runtime and uploads need most of the rest. One reader's window is 24 MiB.
        var memory: Int64 = 48 << 20
        /// Requests at a time: enough for sixteen random readers. The memory holds fewer whole
        /// blocks.
        var requests = 16
        /// Delay before a retry, doubled each time.
        var retryDelay: Duration = .milliseconds(100)
        /// How long bytes stay in memory after the last arrival. They are on the disk, too.
        var idleTime: Duration = .seconds(30)
        /// Hedge delay: how late first bytes may be before a second request; nil to learn it.
        var hedgeDelay: Duration?
    }

    let cache: DiskBlockCache
    let disk = DiskQueue(label: "dbxfs.reader")
    let fetcher: BlockFetcher

    /// Creates a reader of a remote store through a cache. `onMismatch` is called with a content
    /// whose bytes turned out not to be those of its hash: the kernel may have pages of it.
    package convenience init(
        remote: any RemoteStoring, cache: DiskBlockCache, log: Logger,
        onMismatch: @escaping @Sendable (FileVersion) -> Void = { _ in }
    ) {
        self.init(
            remote: remote, cache: cache, limits: Limits(), log: log, onMismatch: onMismatch)
    }

    init(
        remote: any RemoteStoring, cache: DiskBlockCache, limits: Limits, log: Logger,
        onMismatch: @escaping @Sendable (FileVersion) -> Void = { _ in }
    ) {
        self.cache = cache
        fetcher = BlockFetcher(
            remote: remote, cache: cache, disk: disk, limits: limits, log: log,
            onMismatch: onMismatch)
    }

    /// Bytes in memory, for tests and measurements.
    var bytesInMemory: Int64 { fetcher.table.withLock { $0.bytes } }

    // MARK: Reading

    /// Bytes from memory or disk, without the network.
    package func cachedBytes(of content: FileVersion, range: Range<Int64>) -> [UInt8]? {
        var result: [UInt8] = []
        for (index, part) in parts(of: range) {
            guard let bytes = localBytes(content, index, part) else { return nil }
            if part == range { return bytes }
            result.append(contentsOf: bytes)
        }
        return result
    }

    /// Whether all bytes of a content are on disk.
    package func isCached(_ content: FileVersion) -> Bool {
        cache.contains(content.hash, size: content.size, range: 0..<max(0, content.size))
    }

    /// Notes a read that was served locally: the next blocks may be due for read-ahead.
    package func noteRead(of content: FileVersion, range: Range<Int64>, session: ReadSession) {
        guard !range.isEmpty else { return }
        let epoch = fetcher.table.withLock { $0.epoch }
        if session.begin(epoch).isFirst { cache.noteUse(of: content.hash) }
        let decision = session.note(range)
        fetchAhead(content, decision.stream, session)
    }

    /// Bytes, fetched if they are not cached.
    package func bytes(
        of content: FileVersion, range: Range<Int64>, session: ReadSession
    ) async throws(RemoteError) -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= content.size else {
            throw .malformed("bytes beyond the end of the content were asked for")
        }
        let epoch = fetcher.table.withLock { $0.epoch }
        if session.begin(epoch).isFirst {
            await disk.run { [cache] in cache.noteUse(of: content.hash) }
        }
        var result: [UInt8] = []
        for (index, part) in parts(of: range) {
            try refuseCondemned(content, session)
            let decision = session.note(part)
            let bytes = try await self.part(content, index, part, decision, session)
            // Earlier bytes may have failed the check during the wait.
            try refuseCondemned(content, session)
            if part == range { return bytes }
            result.append(contentsOf: bytes)
        }
        return result
    }

    /// Refuses a handle that has read bytes of a content which failed the check, so that its reader
    /// learns of it. Handles opened afterwards start afresh.
    private func refuseCondemned(
        _ content: FileVersion, _ session: ReadSession
    ) throws(RemoteError) {
        let (condemned, epoch) = fetcher.table.withLock { table in
            (table.condemnation(of: content.hash), table.epoch)
        }
        guard let condemned, session.begin(epoch).epoch < condemned else { return }
        throw .malformed("the content does not have the hash that the server gave")
    }

    private func parts(of range: Range<Int64>) -> [(index: Int, range: Range<Int64>)] {
        var parts: [(index: Int, range: Range<Int64>)] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let index = position / DiskBlockCache.blockSize
            let end = min((index +| 1) *| DiskBlockCache.blockSize, range.upperBound)
            parts.append((Int(clamping: index), position..<end))
            position = end
        }
        return parts
    }

    // MARK: One block

    /// Bytes from memory or disk. May block on the disk.
    private func localBytes(
        _ content: FileVersion, _ index: Int, _ part: Range<Int64>
    ) -> [UInt8]? {
        let key = BlockKey(hash: content.hash, index: index)
        let (covering, isWithheld) = fetcher.table.withLock { table in
            (table.fetch(key, at: part.lowerBound), table.withheldStart(key, part) != nil)
        }
        if isWithheld { return nil }
        if let covering, part.upperBound <= covering.range.upperBound {
            // A cancelled fetch brings no further bytes, even before it has left the table.
            let bytes = covering.available(part)
            if bytes != nil || !covering.isAbandoned { return bytes }
        }
        return cache.bytes(of: content.hash, size: content.size, range: part)
    }

    /// Bytes of one block, assembled from fetches in flight, the disk, and new fetches.
    private func part(
        _ content: FileVersion, _ index: Int, _ part: Range<Int64>,
        _ decision: ReadPattern.Decision, _ session: ReadSession
    ) async throws(RemoteError) -> [UInt8] {
        let key = BlockKey(hash: content.hash, index: index)
        var result: [UInt8] = []
        var position = part.lowerBound
        while position < part.upperBound {
            var fetch = retained(key, at: position)
            let left = position..<part.upperBound
            let border = fetcher.table.withLock { $0.withheldStart(key, left) }
            let rest = position..<max(position, min(border ?? .max, part.upperBound))
            if fetch == nil {
                guard !rest.isEmpty else {
                    try await ended(key, at: position)
                    continue
                }
                let found = await disk.run { self.prefixOnDisk(content, rest) }
                if !found.isEmpty {
                    if found.count == part.count {
                        fetchAhead(content, decision.stream, session)
                        return found
                    }
                    result.append(contentsOf: found)
                    position +|= Int64(clamping: found.count)
                    continue
                }
                fetch = await fetcher.demand(
                    content, key, rest, decision.reach, isHeaderProbe: session.isHeaderProbe)
                // The stream's claim keeps the fetch alive after this read has its bytes.
                if let fetch, fetch.retain() { session.claim(fetch, for: decision.stream) }
            }
            guard let fetch else { continue }
            if !fetch.isLocal { session.stalled(decision.stream, at: position) }
            fetchAhead(content, decision.stream, session)
            let wanted = position..<min(part.upperBound, fetch.range.upperBound)
            let bytes: [UInt8]
            do throws(RemoteError) {
                defer { fetch.release() }
                bytes = try await fetch.wait(for: wanted)
            } catch .cancelled where !Task.isCancelled {
                // It was cancelled for another reader.
                continue
            } catch {
                throw error
            }
            if !fetch.isLocal { session.noteFetch() }
            if wanted == part { return bytes }
            result.append(contentsOf: bytes)
            position = wanted.upperBound
        }
        return result
    }

    /// The fetch that brings a byte, if there is one; the caller must release it.
    private func retained(_ key: BlockKey, at position: Int64) -> BlockFetch? {
        let (fetch, turns) = fetcher.table.withLock { $0.demand(key, at: position) }
        turns.take()
        return fetch
    }

    /// Suspends until a cancelled fetch that withholds a byte has ended: ending takes a thread, and
    /// this task may occupy the last one. The next round finds the result.
    private func ended(_ key: BlockKey, at position: Int64) async throws(RemoteError) {
        let ending = fetcher.table.withLock { $0.holder(of: position, key) }
        await ending?.ended()
        if Task.isCancelled { throw .cancelled }
    }

    /// The part of a range that is on disk from its start on.
    private func prefixOnDisk(_ content: FileVersion, _ range: Range<Int64>) -> [UInt8] {
        let (hash, size) = (content.hash, content.size)
        if let bytes = cache.bytes(of: hash, size: size, range: range) { return bytes }
        var end = range.lowerBound
        while end < range.upperBound {
            let next = min(
                (end / DiskBlockCache.chunkSize +| 1) *| DiskBlockCache.chunkSize, range.upperBound)
            guard cache.contains(hash, size: size, range: end..<next) else { break }
            end = next
        }
        guard end > range.lowerBound, end < range.upperBound else { return [] }
        return cache.bytes(of: hash, size: size, range: range.lowerBound..<end) ?? []
    }
}
