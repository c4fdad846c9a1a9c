// Which contents are kept when the cache is full. Pure: uses in, victims out.

import ContentHashing

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

    init(limit: Int64) {
        self.limit = limit
    }

    /// Somebody has opened a content.
    mutating func use(_ hash: ContentHash) {
        clock += 1
        entries[hash]?.lastUse = clock
        entries[hash]?.uses += 1
    }

    /// Bytes of a content were added, or lost. The reader who brings a content is its first use;
    /// what an earlier run has left has none yet.
    mutating func add(_ bytes: Int64, to hash: ContentHash, uses: Int = 1) {
        if entries[hash] == nil {
            guard bytes > 0 else { return }
            clock += 1
            entries[hash] = Entry(bytes: 0, lastUse: clock, uses: uses)
        }
        entries[hash]?.bytes += bytes
        used += bytes
        if pinned.contains(hash) { pinnedBytes += bytes }
    }

    /// A content was found on disk with so many bytes.
    mutating func count(_ bytes: Int64, of hash: ContentHash) {
        add(max(0, bytes - (entries[hash]?.bytes ?? 0)), to: hash, uses: 0)
    }

    /// A content is gone.
    mutating func remove(_ hash: ContentHash) {
        if let entry = entries.removeValue(forKey: hash) {
            used -= entry.bytes
            if pinned.contains(hash) { pinnedBytes -= entry.bytes }
        }
    }

    /// Keeps a content whatever happens, or no longer.
    mutating func pin(_ hash: ContentHash, _ isPinned: Bool) {
        let bytes = entries[hash]?.bytes ?? 0
        if isPinned {
            if pinned.insert(hash).inserted { pinnedBytes += bytes }
        } else if pinned.remove(hash) != nil {
            pinnedBytes -= bytes
        }
    }

    /// Keeps these contents whatever happens, and no others.
    mutating func pinOnly(_ hashes: Set<ContentHash>) {
        pinned = hashes
        pinnedBytes = entries.reduce(0) { $0 + (hashes.contains($1.key) ? $1.value.bytes : 0) }
    }

    /// What contents that are not pinned may take. Pinned ones may be more than the limit: then the
    /// others have a little left, without which each of their bytes would be fetched again and again.
    private var room: Int64 { max(limit - pinnedBytes, limit / 16) }

    /// Contents to remove so that the rest is within the limit; they are counted as gone. `keeping` is
    /// the one that is being filled: it goes last among those that were used as little as it was, so a
    /// single huge file does not push out what is used often.
    mutating func victims(keeping current: ContentHash?) -> [ContentHash] {
        guard used - pinnedBytes > room else { return [] }
        // A little more than needed, so that a full cache does not search at every insertion.
        return victims(downTo: pinnedBytes + room - room / 16, keeping: current)
    }

    /// Contents to remove so that the rest is so small, limit or not.
    mutating func victims(downTo goal: Int64, keeping current: ContentHash?) -> [ContentHash] {
        let order = entries.filter { !pinned.contains($0.key) }.sorted { left, right in
            let (isLeft, isRight) = (left.value.uses > 1, right.value.uses > 1)
            if isLeft != isRight { return isRight }
            if (left.key == current) != (right.key == current) { return right.key == current }
            return left.value.lastUse < right.value.lastUse
        }
        var victims: [ContentHash] = []
        for (hash, _) in order {
            if used <= goal { break }
            remove(hash)
            victims.append(hash)
        }
        return victims
    }
}
