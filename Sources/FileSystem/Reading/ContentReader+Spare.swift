// What is brought into the cache for nobody's reading: pinned content.

import Blocking
import BlockCache
public import Core
public import RemoteStore
import Synchronization

/// Brings content onto this disk. `ContentReader` does it in a mount.
public protocol ContentBringing: Sendable {
    /// Brings a block of 4 MiB into the cache, as far as it is not there.
    ///
    /// Throws `insufficientSpace` when the bytes came and the local disk did not take them.
    func bring(_ content: FileContent, block index: Int) async throws(RemoteError)
}

extension ContentReader: ContentBringing {
    /// Brings a block into the cache when no reader needs the network. Who reads it meanwhile shares the
    /// fetch, and takes it to the front.
    public func bring(_ content: FileContent, block index: Int) async throws(RemoteError) {
        let key = BlockKey(hash: content.hash, index: index)
        let block = blockRange(index, of: content)
        while let rest = await missing(content, block) {
            if Task.isCancelled { throw .cancelled }
            var found = state.withLock { state in
                state.fetches[key]?.first { $0.range.overlaps(rest) && $0.retain() }
            }
            if found == nil { found = await spare(content, key, rest) }
            guard let fetch = found else { continue }
            defer { fetch.release() }
            if fetch.isOver {
                // It is still in memory, and was removed from the disk since.
                await disk.run { [cache] in
                    Self.keepAgain(fetch, block: block, content, in: cache)
                }
            } else {
                do throws(RemoteError) {
                    try await fetch.kept()
                } catch .cancelled where !Task.isCancelled {
                    // Called off for somebody else.
                    continue
                } catch {
                    throw error
                }
            }
            let isKept = await disk.run { [cache] in
                cache.contains(content.hash, size: content.size, range: fetch.range)
            }
            guard isKept else { throw .insufficientSpace }
        }
    }

    /// A fetch for nobody's reading; nil if another one came to be meanwhile.
    private func spare(
        _ content: FileContent, _ key: BlockKey, _ range: Range<Int64>
    ) async -> BlockFetch? {
        await survey(content, key.index)
        return make(
            content, key, chunkStart(range.lowerBound)..<range.upperBound, from: range.lowerBound,
            isDemanded: false, isSpare: true)
    }

    /// What a reader waits for may have arrived and wait for the check of the whole content. Then he waits
    /// for what is on its way of it for nobody's reading, too.
    static func hasten(_ fetch: BlockFetch, _ state: inout State) -> [FetchQueue.Action] {
        let hash = fetch.key.hash
        guard fetch.isHeldBack, !state.queue.isSpare(fetch.id),
            state.ledgers[hash]?.isSettled == false
        else { return [] }
        let others = state.fetches.filter { $0.key.hash == hash }.values.joined()
        return others.filter { state.queue.isSpare($0.id) }
            .flatMap { state.queue.demand($0.id) }
    }

    private static func keepAgain(
        _ fetch: BlockFetch, block: Range<Int64>, _ content: FileContent, in cache: DiskBlockCache
    ) {
        let (hash, size, bytes) = (content.hash, content.size, fetch.bytes)
        if fetch.range == block {
            _ = cache.insert(block: fetch.key.index, of: hash, size: size, bytes: bytes)
        } else {
            cache.insert(at: fetch.range.lowerBound, of: hash, size: size, bytes: bytes)
        }
    }
}
