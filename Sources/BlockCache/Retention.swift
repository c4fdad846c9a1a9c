// The eviction policy. Pure: uses in, victims out.

import ContentHashing
import Core
import HeapModule
import Saturating

/// A segmented least-recently-used list of contents.
///
/// A content that was used once is on probation, one that was used again is protected. Probation is
/// evicted first, so reading a whole tree once does not evict the contents in daily use.
struct Retention: Sendable {
    struct Entry: Hashable, Sendable {
        var bytes: Int64
        var lastUse: UInt64
        var uses: Int
    }

    /// Maximum bytes of the cache.
    var limit: Int64
    private(set) var entries: [ContentHash: Entry] = [:]
    private(set) var used: Int64 = 0
    /// Pinned hashes, whether present or not: a content that is cached again is pinned again.
    private(set) var pinned: Set<ContentHash> = []
    /// Bytes of pinned contents.
    private(set) var pinnedBytes: Int64 = 0
    private var clock: UInt64 = 0
    /// The order of eviction. Entries of contents that were used since, removed or pinned are
    /// stale, and are skipped when they are popped.
    private var order = Heap<Place>()

    /// A place in the order of eviction.
    private struct Place: Comparable {
        var isProtected: Bool
        var lastUse: UInt64
        var hash: ContentHash

        static func < (left: Place, right: Place) -> Bool {
            left.isProtected == right.isProtected
                ? left.lastUse < right.lastUse : right.isProtected
        }
    }

    init(limit: Int64) {
        self.limit = limit
    }

    /// Records a use of a content.
    mutating func use(_ hash: ContentHash) {
        clock +|= 1
        entries[hash]?.lastUse = clock
        entries[hash]?.uses +|= 1
        queue(hash)
    }

    /// Inserts a content into the order, if it can be evicted.
    private mutating func queue(_ hash: ContentHash) {
        guard let place = place(of: hash) else { return }
        order.insert(place)
        // Frequently used contents would fill it with stale entries.
        if order.count > 2 *| entries.count +| 64 {
            order = Heap(entries.keys.compactMap { self.place(of: $0) })
        }
    }

    private func place(of hash: ContentHash) -> Place? {
        guard let entry = entries[hash], !pinned.contains(hash) else { return nil }
        return Place(isProtected: entry.uses > 1, lastUse: entry.lastUse, hash: hash)
    }

    /// Adds or subtracts a content's bytes. The read that brings a content is its first use;
    /// contents of an earlier run have no use yet.
    mutating func add(_ bytes: Int64, to hash: ContentHash, uses: Int = 1) {
        if entries[hash] == nil {
            guard bytes > 0 else { return }
            clock +|= 1
            entries[hash] = Entry(bytes: 0, lastUse: clock, uses: uses)
            queue(hash)
        }
        entries[hash]?.bytes +|= bytes
        used +|= bytes
        if pinned.contains(hash) { pinnedBytes +|= bytes }
    }

    /// Records a content found on disk with its bytes.
    mutating func count(_ bytes: Int64, of hash: ContentHash) {
        add(max(0, bytes -| (entries[hash]?.bytes ?? 0)), to: hash, uses: 0)
    }

    /// Removes a content from the accounting.
    mutating func remove(_ hash: ContentHash) {
        if let entry = entries.removeValue(forKey: hash) {
            used = used -| entry.bytes
            if pinned.contains(hash) { pinnedBytes = pinnedBytes -| entry.bytes }
        }
    }

    /// Pins or unpins a content.
    mutating func pin(_ hash: ContentHash, _ isPinned: Bool) {
        let bytes = entries[hash]?.bytes ?? 0
        if isPinned {
            if pinned.insert(hash).inserted { pinnedBytes +|= bytes }
        } else if pinned.remove(hash) != nil {
            pinnedBytes = pinnedBytes -| bytes
            queue(hash)
        }
    }

    /// Pins these contents, and unpins all others.
    mutating func pinOnly(_ hashes: Set<ContentHash>) {
        let released = pinned.subtracting(hashes)
        pinned = hashes
        for hash in released { queue(hash) }
        pinnedBytes = entries.reduce(0) { $0 +| (hashes.contains($1.key) ? $1.value.bytes : 0) }
    }

    /// Bytes available to unpinned contents. If pinned ones exceed the limit, a little remains,
    /// without which each unpinned byte would be fetched again and again.
    private var room: Int64 { max(limit -| pinnedBytes, limit / 16) }

    /// Contents to evict so that the rest is within the limit; they are removed from the
    /// accounting. `current` is being filled: it is evicted last among contents with as few uses,
    /// so that a single huge file does not evict frequently used ones.
    mutating func victims(keeping current: ContentHash?) -> [ContentHash] {
        guard used -| pinnedBytes > room else { return [] }
        // A little more than needed, so that a full cache does not search at every insertion.
        return victims(downTo: pinnedBytes +| (room -| room / 16), keeping: current)
    }

    /// Contents to evict down to `goal` bytes, regardless of the limit.
    mutating func victims(downTo goal: Int64, keeping current: ContentHash?) -> [ContentHash] {
        var victims: [ContentHash] = []
        for isProtected in [false, true] {
            var last: Place?
            while used > goal, let place = order.min, place.isProtected == isProtected {
                order.removeMin()
                guard place == self.place(of: place.hash) else { continue }
                if place.hash == current {
                    last = place
                } else {
                    evict(place.hash, &victims)
                }
            }
            guard let last else { continue }
            if used > goal { evict(last.hash, &victims) } else { order.insert(last) }
        }
        return victims
    }

    private mutating func evict(_ hash: ContentHash, _ victims: inout [ContentHash]) {
        remove(hash)
        victims.append(hash)
    }
}
