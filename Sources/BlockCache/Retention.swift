// Which contents are kept when the cache is full. Pure: uses in, victims out.

import ContentHashing
import Core
import HeapModule

/// A segmented least-recently-used list of contents.
///
/// A content that was used once is on probation, one that was used again is protected. Probation goes
/// first, so reading a whole tree once does not push out what is used every day.
struct Retention: Sendable {
    struct Entry: Hashable, Sendable {
        var bytes: Int64
        var lastUse: UInt64
        var uses: Int
    }

    /// What is kept at most, in bytes.
    var limit: Int64
    private(set) var entries: [ContentHash: Entry] = [:]
    private(set) var used: Int64 = 0
    /// Pins are for contents, here or not: what comes back is pinned again.
    private(set) var pinned: Set<ContentHash> = []
    /// Bytes of pinned contents.
    private(set) var pinnedBytes: Int64 = 0
    private var clock: UInt64 = 0
    /// Who goes first. Of a content that was used since, or is gone or pinned, there are places that mean
    /// nothing any more: they are passed over when their turn comes.
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

    /// Somebody has opened a content.
    mutating func use(_ hash: ContentHash) {
        clock +|= 1
        entries[hash]?.lastUse = clock
        entries[hash]?.uses +|= 1
        queue(hash)
    }

    /// Gives a content its place in the order, if it can be evicted.
    private mutating func queue(_ hash: ContentHash) {
        guard let place = place(of: hash) else { return }
        order.insert(place)
        // Contents that are used often would fill it with places that mean nothing.
        if order.count > 2 *| entries.count +| 64 {
            order = Heap(entries.keys.compactMap { self.place(of: $0) })
        }
    }

    private func place(of hash: ContentHash) -> Place? {
        guard let entry = entries[hash], !pinned.contains(hash) else { return nil }
        return Place(isProtected: entry.uses > 1, lastUse: entry.lastUse, hash: hash)
    }

    /// Bytes of a content were added, or lost. The reader who brings a content is its first use;
    /// what an earlier run has left has none yet.
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

    /// A content was found on disk with so many bytes.
    mutating func count(_ bytes: Int64, of hash: ContentHash) {
        add(max(0, bytes -| (entries[hash]?.bytes ?? 0)), to: hash, uses: 0)
    }

    /// A content is gone.
    mutating func remove(_ hash: ContentHash) {
        if let entry = entries.removeValue(forKey: hash) {
            used = used -| entry.bytes
            if pinned.contains(hash) { pinnedBytes = pinnedBytes -| entry.bytes }
        }
    }

    /// Keeps a content whatever happens, or no longer.
    mutating func pin(_ hash: ContentHash, _ isPinned: Bool) {
        let bytes = entries[hash]?.bytes ?? 0
        if isPinned {
            if pinned.insert(hash).inserted { pinnedBytes +|= bytes }
        } else if pinned.remove(hash) != nil {
            pinnedBytes = pinnedBytes -| bytes
            queue(hash)
        }
    }

    /// Keeps these contents whatever happens, and no others.
    mutating func pinOnly(_ hashes: Set<ContentHash>) {
        let released = pinned.subtracting(hashes)
        pinned = hashes
        for hash in released { queue(hash) }
        pinnedBytes = entries.reduce(0) { $0 +| (hashes.contains($1.key) ? $1.value.bytes : 0) }
    }

    /// What contents that are not pinned may take. Pinned ones may be more than the limit: then the
    /// others have a little left, without which each of their bytes would be fetched again and again.
    private var room: Int64 { max(limit -| pinnedBytes, limit / 16) }

    /// Contents to remove so that the rest is within the limit; they are counted as gone. `keeping` is
    /// the one that is being filled: it goes last among those that were used as little as it was, so a
    /// single huge file does not push out what is used often.
    mutating func victims(keeping current: ContentHash?) -> [ContentHash] {
        guard used -| pinnedBytes > room else { return [] }
        // A little more than needed, so that a full cache does not search at every insertion.
        return victims(downTo: pinnedBytes +| (room -| room / 16), keeping: current)
    }

    /// Contents to remove so that the rest is so small, limit or not.
    mutating func victims(downTo goal: Int64, keeping current: ContentHash?) -> [ContentHash] {
        var victims: [ContentHash] = []
        var spared: Place?
        while used > goal, let place = order.popMin() {
            guard place == self.place(of: place.hash) else { continue }
            if place.hash == current {
                spared = place
                continue
            }
            if let last = spared, place.isProtected, !last.isProtected {
                spared = nil
                order.insert(place)
                evict(last.hash, &victims)
            } else {
                evict(place.hash, &victims)
            }
        }
        if let spared {
            if used > goal { evict(spared.hash, &victims) } else { order.insert(spared) }
        }
        return victims
    }

    private mutating func evict(_ hash: ContentHash, _ victims: inout [ContentHash]) {
        remove(hash)
        victims.append(hash)
    }
}
