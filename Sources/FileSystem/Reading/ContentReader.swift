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
            throw .malformed("bytes beyond the end of the content were requested")
        }
        let epoch = fetcher.table.withLock { $0.epoch }
        if session.begin(epoch).isFirst {
            await disk.run { [cache] in cache.noteUse(of: content.hash) }
        }
        var result: [UInt8] = []
        for (index, part) in parts(of: range) {
            try refuseMismatched(content, session)
            let read = BlockRead(
                content: content, key: BlockKey(hash: content.hash, index: index), range: part,
                decision: session.note(part), session: session)
            let bytes = try await blockBytes(read)
            // Earlier bytes may have failed the check during the wait.
            try refuseMismatched(content, session)
            if part == range { return bytes }
            result.append(contentsOf: bytes)
        }
        return result
    }

    /// Refuses a handle that has read bytes of a content which failed the check, so that its reader
    /// learns of it. Handles opened afterwards start afresh.
    private func refuseMismatched(
        _ content: FileVersion, _ session: ReadSession
    ) throws(RemoteError) {
        let (mismatch, epoch) = fetcher.table.withLock { table in
            (table.mismatchEpoch(of: content.hash), table.epoch)
        }
        guard let mismatch, session.begin(epoch).epoch < mismatch else { return }
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

    /// A read of bytes of one block.
    private struct BlockRead: Sendable {
        let content: FileVersion
        let key: BlockKey
        let range: Range<Int64>
        let decision: ReadPattern.Decision
        let session: ReadSession
    }

    /// Bytes of one block, assembled from fetches in flight, the disk, and new fetches.
    private func blockBytes(_ read: BlockRead) async throws(RemoteError) -> [UInt8] {
        var result: [UInt8] = []
        var position = read.range.lowerBound
        while position < read.range.upperBound {
            guard let bytes = try await nextBytes(read, from: position) else { continue }
            if bytes.count == read.range.count { return bytes }
            result.append(contentsOf: bytes)
            position +|= Int64(clamping: bytes.count)
        }
        return result
    }

    /// Bytes of a read from a position on, as many as one source has: a fetch in flight, the disk,
    /// or a new fetch. Nil if none had any, because another fetch has ended or was made: try again.
    private func nextBytes(
        _ read: BlockRead, from position: Int64
    ) async throws(RemoteError) -> [UInt8]? {
        let (content, key, left) = (read.content, read.key, position..<read.range.upperBound)
        if let fetch = demandedFetch(key, at: position) {
            return try await wait(for: fetch, read, from: position)
        }
        let border = fetcher.table.withLock { $0.withheldStart(key, left) }
        let rest = position..<max(position, min(border ?? .max, left.upperBound))
        guard !rest.isEmpty else {
            try await waitForEnd(ofFetchAt: position, key)
            return nil
        }
        let found = await disk.run { self.prefixOnDisk(content, rest) }
        if !found.isEmpty {
            if found.count == read.range.count {
                fetchAhead(content, read.decision.stream, read.session)
            }
            return found
        }
        let made = await fetcher.makeDemanded(
            content, key, rest, read.decision.reach, isHeaderProbe: read.session.isHeaderProbe)
        guard let made else { return nil }
        // The stream's claim keeps the fetch alive after this read has its bytes.
        if made.retain() { read.session.claim(made, for: read.decision.stream) }
        return try await wait(for: made, read, from: position)
    }

    /// The bytes of a read that a fetch brings, when they are there; nil if the fetch was cancelled
    /// for another reader. Releases the fetch.
    private func wait(
        for fetch: BlockFetch, _ read: BlockRead, from position: Int64
    ) async throws(RemoteError) -> [UInt8]? {
        if !fetch.isLocal { read.session.stalled(read.decision.stream, at: position) }
        fetchAhead(read.content, read.decision.stream, read.session)
        let wanted = position..<min(read.range.upperBound, fetch.range.upperBound)
        let bytes: [UInt8]
        do throws(RemoteError) {
            defer { fetch.release() }
            bytes = try await fetch.wait(for: wanted)
        } catch .cancelled where !Task.isCancelled {
            return nil
        } catch {
            throw error
        }
        if !fetch.isLocal { read.session.noteFetch() }
        return bytes
    }

    /// The fetch that brings a byte, if there is one, promoted for a reader; the caller must
    /// release it.
    private func demandedFetch(_ key: BlockKey, at position: Int64) -> BlockFetch? {
        let (fetch, resumed) = fetcher.table.withLock { $0.retainPromoted(key, at: position) }
        resumed.resume()
        return fetch
    }

    /// Suspends until a cancelled fetch that withholds a byte has ended: ending takes a thread, and
    /// this task may occupy the last one. The next round finds the result.
    private func waitForEnd(
        ofFetchAt position: Int64, _ key: BlockKey
    ) async throws(RemoteError) {
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
