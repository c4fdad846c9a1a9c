// What a stream will want next and the disk has: read before it is asked for.

import Blocking
import BlockCache
import Core
import RemoteStore
import Synchronization

extension ContentReader {
    /// Read at a time: as much as the kernel asks for at once.
    private static let piece: Int64 = 1 << 20

    /// Reads a part of a block from the disk, for a stream that gets there soon: large pieces do not
    /// come by way of the kernel's page cache, so nobody else reads ahead in them. Returns at once, and
    /// does nothing if memory is short or somebody brings some of it already.
    func load(
        _ content: FileContent, _ range: Range<Int64>, for stream: Int, of session: ReadSession
    ) {
        // Less comes by way of the kernel's page cache, which reads ahead by itself.
        guard range.count >= DiskBlockCache.directSize else { return }
        let key = BlockKey(
            hash: content.hash, index: Int(clamping: range.lowerBound / DiskBlockCache.blockSize))
        let fetch = state.withLock { state -> BlockFetch? in
            let isOnItsWay = state.fetches[key]?.contains { $0.range.overlaps(range) } ?? false
            guard !isOnItsWay,
                let actions = state.queue.admit(state.nextID, bytes: Int64(clamping: range.count))
            else { return nil }
            let fetch = BlockFetch(
                id: state.nextID, key: key, range: range, buffers: buffers, isHeldBack: false,
                isLocal: true)
            state.nextID +|= 1
            register(fetch, content, &state)
            // None of these lets anybody run: there is less room than before.
            _ = Self.perform(actions, &state)
            return fetch
        }
        guard let fetch else { return }
        session.claim(fetch, for: stream)
        fetch.attach(Task { await load(fetch, content) })
    }

    private func load(_ fetch: BlockFetch, _ content: FileContent) async {
        fetch.start()
        while !Task.isCancelled, fetch.count < fetch.range.count {
            let start = fetch.range.lowerBound +| Int64(clamping: fetch.count)
            let piece = start..<min(start +| Self.piece, fetch.range.upperBound)
            let bytes = await disk.run { [cache] in
                cache.bytes(of: content.hash, size: content.size, range: piece)
            }
            // What is damaged is fetched by whoever asks for it.
            guard let bytes else { break }
            fetch.append(bytes)
        }
        guard fetch.count == fetch.range.count else { return fail(fetch, .cancelled) }
        arrive(fetch, passes: fetch.range == blockRange(fetch.key.index, of: content))
    }
}
