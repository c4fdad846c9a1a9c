// Reused memory for arriving blocks. Not responsible for the limit of all memory.

import BlockCache
import Synchronization

/// Empty arrays with the capacity of a block. The system zeroes each page that it hands out, which
/// costs more than filling it, so some free arrays are kept.
final class BlockBuffers: Sendable {
    /// Free arrays to keep: as many as a stream needs while the memory of its last blocks is still
    /// in use.
    private static let limit = 4

    /// Lock: a leaf; no other lock is taken under it.
    private let free = Mutex<[[UInt8]]>([])

    /// An empty array with capacity for so many bytes.
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

    /// Returns the free arrays to the system.
    func drop() {
        free.withLock { $0 = [] }
    }

    /// Takes back an array without other references.
    func give(_ bytes: consuming [UInt8]) {
        guard bytes.capacity >= DiskBlockCache.blockSize else { return }
        var empty = consume bytes
        empty.removeAll(keepingCapacity: true)
        free.withLock { [empty] free in
            if free.count < Self.limit { free.append(empty) }
        }
    }
}
