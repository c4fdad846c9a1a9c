// Memory for blocks that arrive, used again. Not responsible for how much of it there may be in all.

import BlockCache
import Synchronization

/// Empty arrays with room for a block. The system clears each page that it hands out, which costs more
/// than to fill it, so some of those that are not needed any more are kept.
final class BlockBuffers: Sendable {
    /// Kept at most: what a stream needs anew while the memory of its last blocks is still in use.
    private static let limit = 4

    /// Lock: a leaf.
    private let free = Mutex<[[UInt8]]>([])

    /// An empty array with room for so many bytes.
    func take(_ count: Int) -> [UInt8] {
        if count > DiskBlockCache.blockSize / 2,
            let bytes = free.withLock({ $0.popLast() })
        {
            return bytes
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        return bytes
    }

    /// Gives what is kept back to the system.
    func drop() {
        free.withLock { $0 = [] }
    }

    /// Takes back an array that nobody else has.
    func give(_ bytes: consuming [UInt8]) {
        guard bytes.capacity >= DiskBlockCache.blockSize else { return }
        var empty = consume bytes
        empty.removeAll(keepingCapacity: true)
        free.withLock { [empty] free in
            if free.count < Self.limit { free.append(empty) }
        }
    }
}
