// Read-ahead from the disk.

import Blocking
import BlockCache
import Core
import RemoteStore
import Saturating
import Synchronization

extension ContentReader {
    /// Bytes per read: as many as the kernel requests at once.
    private static let piece: Int64 = 1 << 20

    /// Reads a part of a block from the disk, for a stream that needs it soon: large reads bypass
    /// the kernel's page cache, so the kernel does not read ahead in them. Returns at once, and
    /// does nothing if memory is short or another fetch brings some of it.
    func load(
        _ content: FileVersion, _ range: Range<Int64>, for stream: Int, of session: ReadSession
    ) {
        // Smaller reads use the kernel's page cache, which reads ahead itself.
        guard range.count >= DiskBlockCache.directSize else { return }
        let key = BlockKey(
            hash: content.hash, index: Int(clamping: range.lowerBound / DiskBlockCache.blockSize))
        let fetch = state.withLock { state -> BlockFetch? in
            let isOnItsWay = state.fetches[key]?.contains { $0.range.overlaps(range) } ?? false
            guard !isOnItsWay,
                let actions = state.queue.admit(state.nextID, bytes: Int64(clamping: range.count))
            else { return nil }
            let fetch = BlockFetch(
                id: state.nextID, key: key, range: range, buffers: buffers, isWithheld: false,
                isLocal: true)
            state.nextID +|= 1
            register(fetch, content, &state)
            // No action starts a fetch, because there is less room than before.
            _ = Self.perform(actions, &state)
            return fetch
        }
        guard let fetch else { return }
        session.claim(fetch, for: stream)
        fetch.attach(Task { await load(fetch, content) })
    }

    private func load(_ fetch: BlockFetch, _ content: FileVersion) async {
        fetch.start()
        while !Task.isCancelled, fetch.count < fetch.range.count {
            let start = fetch.range.lowerBound +| Int64(clamping: fetch.count)
            let piece = start ..<| min(start +| Self.piece, fetch.range.upperBound)
            let bytes = await disk.run { [cache] in
                cache.bytes(of: content.hash, size: content.size, range: piece)
            }
            // A damaged block is fetched by its next reader.
            guard let bytes else { break }
            fetch.append(bytes)
        }
        guard fetch.count == fetch.range.count else { return fail(fetch, .cancelled) }
        arrive(fetch, passes: fetch.range == blockRange(fetch.key.index, of: content))
    }
}
