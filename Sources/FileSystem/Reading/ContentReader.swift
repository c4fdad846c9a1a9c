// The read pipeline: bytes of revisions from memory, from the cache on disk, or from the network. Not
// responsible for what is open, nor for content that is not on the server.

public import BlockCache
import ContentHashing
import Core
public import Logging
public import RemoteStore
import Synchronization

/// Reads content by blocks. One fetch brings a block for all who want it; handles that read on get the
/// next blocks ahead of time, those that read here and there get what they ask for and little more.
public final class ContentReader: ContentReading {
    /// Bytes of blocks in memory, on their way or just arrived. The whole mount is to stay below 200
    /// MiB; SQLite, the runtime and uploads need about half of that.
    private static let memoryBudget: Int64 = 64 << 20
    /// Unit of fetching for handles that read at random: little more than a page is asked for, and a
    /// request has a price as well.
    private static let randomUnit: Int64 = 128 << 10
    /// Tries for a block whose bytes come damaged or cut.
    private static let attempts = 3

    private struct State {
        var fetches: [BlockKey: BlockFetch] = [:]
        /// Keys of fetches that have arrived, oldest first.
        var arrived: [BlockKey] = []
        var bytes: Int64 = 0
    }

    private let remote: any RemoteStoring
    private let cache: DiskBlockCache
    private let log: Logger
    private let disk = DiskQueue(label: "dbxfs.reader")
    /// Lock: taken before a fetch's own.
    private let state = Mutex(State())

    /// Reads from a cloud by way of a cache.
    public init(remote: any RemoteStoring, cache: DiskBlockCache, log: Logger) {
        self.remote = remote
        self.cache = cache
        self.log = log
    }

    // MARK: Reading

    /// Bytes that are here.
    public func cachedBytes(of content: FileContent, range: Range<Int64>) -> [UInt8]? {
        var result: [UInt8] = []
        for (index, part) in parts(of: range) {
            guard let bytes = localBytes(content, index, part) else { return nil }
            if part == range { return bytes }
            result += bytes
        }
        return result
    }

    /// A read was answered from what is here: the next blocks may be wanted soon.
    public func noteRead(of content: FileContent, range: Range<Int64>, session: ReadSession) {
        if session.note(range) {
            cache.noteUse(of: content.hash)
        }
        fetchAhead(content, after: range, session)
    }

    /// Bytes, fetched where they are not here.
    public func bytes(
        of content: FileContent, range: Range<Int64>, session: ReadSession
    ) async throws(RemoteError) -> [UInt8] {
        let isFirst = session.note(range)
        if isFirst { await disk.run { [cache] in cache.noteUse(of: content.hash) } }
        session.noteStall()
        fetchAhead(content, after: range, session)
        var result: [UInt8] = []
        for (index, part) in parts(of: range) {
            let bytes = try await self.part(content, index, part, session)
            if part == range { return bytes }
            result += bytes
        }
        return result
    }

    private func part(
        _ content: FileContent, _ index: Int, _ part: Range<Int64>, _ session: ReadSession
    ) async throws(RemoteError) -> [UInt8] {
        let local = await disk.run { self.localBytes(content, index, part) }
        if let local { return local }
        if session.isRandom && content.size > DiskBlockCache.blockSize {
            return try await little(content, part)
        }
        return try await fetch(content, index).wait(for: part)
    }

    /// From a block in memory or from the disk. May block on the disk.
    private func localBytes(
        _ content: FileContent, _ index: Int, _ part: Range<Int64>
    ) -> [UInt8]? {
        let key = BlockKey(hash: content.hash, index: index)
        if let fetch = state.withLock({ $0.fetches[key] }) {
            return fetch.available(part)
        }
        return cache.bytes(of: content.hash, size: content.size, range: part)
    }

    private func parts(of range: Range<Int64>) -> [(index: Int, range: Range<Int64>)] {
        var parts: [(index: Int, range: Range<Int64>)] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let index = position / DiskBlockCache.blockSize
            let end = min((index + 1) * DiskBlockCache.blockSize, range.upperBound)
            parts.append((Int(index), position..<end))
            position = end
        }
        return parts
    }

    // MARK: Fetching a little

    /// Exactly what a random reader asks for, rounded to chunks so that the cache can keep it.
    private func little(
        _ content: FileContent, _ part: Range<Int64>
    ) async throws(RemoteError) -> [UInt8] {
        let unit = Self.randomUnit
        let lower = part.lowerBound / unit * unit
        let upper = min((part.upperBound + unit - 1) / unit * unit, content.size)
        var failure = RemoteError.malformed("no attempt was made")
        for _ in 0..<Self.attempts {
            do throws(RemoteError) {
                let bytes = try await download(content, lower..<upper)
                await disk.run { [cache] in
                    cache.insert(
                        at: lower, of: content.hash, size: content.size, bytes: bytes)
                }
                return Array(
                    bytes[Int(part.lowerBound - lower)..<Int(part.upperBound - lower)])
            } catch {
                guard case .malformed = error else { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func download(
        _ content: FileContent, _ range: Range<Int64>
    ) async throws(RemoteError) -> [UInt8] {
        let stream = try await remote.download(content.revision, range: range)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        while let piece = try await stream.next() {
            bytes += piece
        }
        guard bytes.count == range.count else {
            throw .malformed("\(range.count) bytes were asked for and \(bytes.count) came")
        }
        return bytes
    }

    // MARK: Fetching blocks

    private func fetchAhead(
        _ content: FileContent, after range: Range<Int64>, _ session: ReadSession
    ) {
        let current = Int(max(range.lowerBound, range.upperBound - 1) / DiskBlockCache.blockSize)
        let count = Int(
            (content.size + DiskBlockCache.blockSize - 1) / DiskBlockCache.blockSize)
        let wanted = session.blocksToFetch(after: current, count: count)
        guard !wanted.isEmpty else { return }
        Task {
            for index in wanted where hasRoom {
                let block = blockRange(index, of: content)
                let isHere = await disk.run { [cache] in
                    cache.contains(content.hash, size: content.size, range: block)
                }
                if !isHere { _ = fetch(content, index) }
            }
        }
    }

    private var hasRoom: Bool { state.withLock { $0.bytes < Self.memoryBudget } }

    private func blockRange(_ index: Int, of content: FileContent) -> Range<Int64> {
        let lower = Int64(index) * DiskBlockCache.blockSize
        return lower..<min(lower + DiskBlockCache.blockSize, content.size)
    }

    /// The fetch of a block: the one that is under way, or a new one.
    private func fetch(_ content: FileContent, _ index: Int) -> BlockFetch {
        let key = BlockKey(hash: content.hash, index: index)
        let (fetch, isNew) = state.withLock { state in
            if let known = state.fetches[key] { return (known, false) }
            let range = blockRange(index, of: content)
            let new = BlockFetch(
                key: key, range: range, servesWhole: content.size <= DiskBlockCache.blockSize)
            state.fetches[key] = new
            state.bytes += Int64(range.count)
            makeRoom(&state)
            return (new, true)
        }
        if isNew {
            Task { await run(fetch, content) }
        }
        return fetch
    }

    /// Lets go of blocks that have arrived, oldest first; the disk has them.
    private func makeRoom(_ state: inout State) {
        while state.bytes > Self.memoryBudget, !state.arrived.isEmpty {
            let key = state.arrived.removeFirst()
            if let gone = state.fetches.removeValue(forKey: key) {
                state.bytes -= Int64(gone.range.count)
            }
        }
    }

    private func run(_ fetch: BlockFetch, _ content: FileContent) async {
        var attempt = 1
        while true {
            do throws(RemoteError) {
                try await transfer(fetch, content)
                fetch.complete()
                return state.withLock { state in
                    state.arrived.append(fetch.key)
                    makeRoom(&state)
                }
            } catch {
                attempt += 1
                let isWorthAnother = if case .malformed = error { true } else { false }
                log.debug("a block came wrong", metadata: ["error": "\(error)"])
                if !isWorthAnother || attempt > Self.attempts {
                    // Out of the table first, so that who comes next begins a new fetch.
                    state.withLock { state in
                        state.fetches[fetch.key] = nil
                        state.bytes -= Int64(fetch.range.count)
                    }
                    return fetch.fail(error)
                }
            }
        }
    }

    /// Brings the rest of a block, checks what can be checked, and keeps it on disk.
    private func transfer(
        _ fetch: BlockFetch, _ content: FileContent
    ) async throws(RemoteError) {
        fetch.reserve()
        let start = fetch.range.lowerBound + Int64(fetch.count)
        if start < fetch.range.upperBound {
            let stream = try await remote.download(
                content.revision, range: start..<fetch.range.upperBound)
            while let piece = try await stream.next() {
                guard fetch.count + piece.count <= fetch.range.count else {
                    fetch.restart()
                    throw .malformed("more bytes came than were asked for")
                }
                fetch.append(piece)
            }
        }
        guard fetch.count == fetch.range.count else {
            throw .malformed("\(fetch.range.count) bytes were asked for and \(fetch.count) came")
        }
        let bytes = fetch.bytes
        let isRight = await disk.run { [cache, servesWhole = fetch.servesWhole] in
            if servesWhole, ContentHasher.hash(bytes) != content.hash { return false }
            return cache.insert(
                block: fetch.key.index, of: content.hash, size: content.size, bytes: bytes)
                == .accepted
        }
        guard isRight else {
            fetch.restart()
            throw .malformed("the content does not have the hash that the server gave")
        }
    }
}
