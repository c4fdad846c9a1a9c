// Background fetches into the cache without a reader: pinned content.

import Blocking
import BlockCache
package import Core
package import RemoteStore
import Synchronization

/// Fetches content into the cache. `ContentReader` implements it in a mount.
package protocol BackgroundFetching: Sendable {
    /// Fetches the missing bytes of a 4 MiB block into the cache.
    ///
    /// Throws `notKept` if the bytes came and the local disk did not take them.
    func fetch(_ content: FileVersion, block index: Int) async throws(BackgroundFetchError)
}

/// Why a block is not in the cache.
package enum BackgroundFetchError: Error, Hashable, Sendable {
    /// The server or the network refused it, or the task has ended.
    case remote(RemoteError)
    /// The local disk did not take it.
    case notKept
}

extension ContentReader: BackgroundFetching {
    /// Fetches a block into the cache when no reader needs the network. A reader of the same block
    /// shares the fetch, and promotes it.
    package func fetch(
        _ content: FileVersion, block index: Int
    ) async throws(BackgroundFetchError) {
        let key = BlockKey(hash: content.hash, index: index)
        let block = content.range(ofBlock: index)
        while let rest = await missing(content, block) {
            if Task.isCancelled { throw .remote(.cancelled) }
            // A fetch of later bytes may be on the disk: it would be found again and again.
            var found = fetcher.table.withLock { $0.retained(key, at: rest.lowerBound) }
            if found == nil { found = await backgroundFetch(content, key, rest) }
            guard let fetch = found else { continue }
            defer { fetch.release() }
            if fetch.isOver {
                // It is still in memory, but was removed from the disk since.
                await disk.run { [cache] in
                    Self.keepAgain(fetch, block: block, content, in: cache)
                }
            } else {
                do throws(RemoteError) {
                    try await fetch.kept()
                } catch .cancelled where !Task.isCancelled {
                    // It was cancelled for another reader.
                    continue
                } catch {
                    throw .remote(error)
                }
            }
            let isKept = await disk.run { [cache] in
                cache.contains(content.hash, size: content.size, range: fetch.range)
            }
            guard isKept else { throw .notKept }
        }
    }

    /// A background fetch; nil if another fetch of these bytes was made in between.
    private func backgroundFetch(
        _ content: FileVersion, _ key: BlockKey, _ range: Range<Int64>
    ) async -> BlockFetch? {
        await fetcher.survey(content, key.index)
        let chunks = DiskBlockCache.chunkStart(range.lowerBound)..<range.upperBound
        return fetcher.make(content, key, chunks, from: range.lowerBound, .background)
    }

    private static func keepAgain(
        _ fetch: BlockFetch, block: Range<Int64>, _ content: FileVersion, in cache: DiskBlockCache
    ) {
        let (hash, size, bytes) = (content.hash, content.size, fetch.bytes)
        if fetch.range == block {
            _ = cache.insert(block: fetch.key.index, of: hash, size: size, bytes: bytes)
        } else {
            cache.insert(at: fetch.range.lowerBound, of: hash, size: size, bytes: bytes)
        }
    }
}
