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
        var isPinned: Bool
    }

    /// What is kept at most, in bytes.
    var limit: Int64
    private(set) var entries: [ContentHash: Entry] = [:]
    private(set) var used: Int64 = 0
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

    /// Bytes of a content were added.
    mutating func add(_ bytes: Int64, to hash: ContentHash) {
        if entries[hash] == nil {
            clock += 1
            entries[hash] = Entry(bytes: 0, lastUse: clock, uses: 0, isPinned: false)
        }
        entries[hash]?.bytes += bytes
        used += bytes
    }

    /// A content is gone.
    mutating func remove(_ hash: ContentHash) {
        if let entry = entries.removeValue(forKey: hash) {
            used -= entry.bytes
        }
    }

    /// Keeps a content whatever happens, or no longer.
    mutating func pin(_ hash: ContentHash, _ isPinned: Bool) {
        if entries[hash] == nil { add(0, to: hash) }
        entries[hash]?.isPinned = isPinned
    }

    /// Contents to remove so that the rest is within the limit; they are counted as gone. `keeping` is
    /// the one that is being filled: it goes only when nothing else is left.
    mutating func victims(keeping current: ContentHash?) -> [ContentHash] {
        guard used > limit else { return [] }
        // A little more than needed, so that a full cache does not search at every insertion.
        let goal = limit - limit / 16
        let order = entries.filter { !$0.value.isPinned }.sorted { left, right in
            if (left.key == current) != (right.key == current) { return right.key == current }
            let (isLeft, isRight) = (left.value.uses > 1, right.value.uses > 1)
            if isLeft != isRight { return isRight }
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
