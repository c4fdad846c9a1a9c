// Decides which blocks go when the cache is full. Pure: it counts and orders, and touches no disk.
//
// S3-FIFO (Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023): new blocks wait in
// a small probation queue, and only those that were asked for again move on to the main queue; so a
// pass over a whole tree flows through probation and leaves the working set alone. What was evicted
// from probation lately is remembered as a ghost, and goes to the main queue if it comes back.

import ContentHashing

/// The order in which blocks leave.
struct EvictionPolicy {
    /// The queue that a block stands in.
    enum Queue: UInt8 {
        /// Seen once.
        case probation
        /// Asked for again.
        case main
        /// Never leaves.
        case pinned
    }

    /// A block that must leave.
    struct Victim: Hashable {
        let hash: CompactHash
        let block: Int
    }

    private struct Entry {
        var hash: CompactHash
        var block: UInt32
        var cost: UInt32
        var previous: Int32
        var next: Int32
        /// Who asked last, and when in minutes: one visitor counts once a minute.
        var visitor: UInt32
        var minute: UInt32
        var references: UInt8
        var queue: Queue
    }

    private struct List {
        var head: Int32 = -1
        var tail: Int32 = -1
        var bytes: Int64 = 0
    }

    /// Most blocks that are kept, whatever their size: each costs about 100 bytes of memory here.
    static let maximumEntries = 262_144
    /// References that count; more would only make the main queue turn longer (SOSP 2023, section 4.1).
    private static let maximumReferences: UInt8 = 3
    /// The share of the limit that probation may keep while the main queue has anything: a tenth.
    private static let probationDivisor: Int64 = 10

    private var entries: [Entry] = []
    private var free: [Int32] = []
    private var slots: [UInt64: Int32] = [:]
    private var lists = [List](repeating: List(), count: 3)
    private var ghosts = GhostList()
    private var pinnedHashes: Set<CompactHash> = []
    /// The number of blocks.
    private(set) var count = 0

    /// Bytes on disk of all blocks.
    var bytes: Int64 { lists[0].bytes + lists[1].bytes + lists[2].bytes }
    /// Bytes on disk of pinned blocks.
    var pinnedBytes: Int64 { lists[Int(Queue.pinned.rawValue)].bytes }

    // MARK: Events

    /// Notes what a block costs on disk now: a new block enters, one that costs nothing leaves.
    mutating func setCost(_ cost: Int64, of hash: CompactHash, block: Int, visitor: UInt32 = 0) {
        let key = Self.key(hash, block)
        if let slot = slot(key, hash, block) {
            if cost == 0 {
                remove(slot, key)
            } else {
                let entry = entries[Int(slot)]
                lists[Int(entry.queue.rawValue)].bytes += cost - Int64(entry.cost)
                entries[Int(slot)].cost = UInt32(cost)
            }
        } else if cost > 0 {
            var queue = ghosts.contains(key) ? Queue.main : .probation
            if pinnedHashes.contains(hash) { queue = .pinned }
            enter(hash, block, cost: cost, queue: queue, references: 0, visitor: visitor)
        }
    }

    /// Notes that a visitor asked for a block. A sequential reader asks for one block many times, so
    /// the same visitor counts again only after a minute.
    mutating func touch(_ hash: CompactHash, block: Int, visitor: UInt32, minute: UInt32) {
        guard let slot = slot(Self.key(hash, block), hash, block) else { return }
        let index = Int(slot)
        if entries[index].visitor == visitor && entries[index].minute == minute { return }
        let isCounted =
            entries[index].visitor != visitor || minute > entries[index].minute &+ 1
        entries[index].visitor = visitor
        if isCounted {
            entries[index].minute = minute
            entries[index].references = min(
                Self.maximumReferences, entries[index].references + 1)
        }
    }

    /// Keeps the blocks of a content until `unpin`, also those that come later.
    mutating func pin(_ hash: CompactHash, blocks: Int) {
        pinnedHashes.insert(hash)
        move(hash, blocks: blocks, to: .pinned)
    }

    /// Lets the blocks of a content go when their time comes.
    mutating func unpin(_ hash: CompactHash, blocks: Int) {
        pinnedHashes.remove(hash)
        move(hash, blocks: blocks, to: .main)
    }

    /// Whether a content is pinned.
    func isPinned(_ hash: CompactHash) -> Bool { pinnedHashes.contains(hash) }

    // MARK: Decision

    /// Takes blocks out until all others fit into the limit, and returns them.
    mutating func evict(limit: Int64) -> [Victim] {
        var victims: [Victim] = []
        while bytes > limit || count > Self.maximumEntries {
            guard let victim = evictOne(limit: limit) else { break }
            victims.append(victim)
        }
        return victims
    }

    private mutating func evictOne(limit: Int64) -> Victim? {
        while true {
            let probation = lists[Int(Queue.probation.rawValue)]
            let main = lists[Int(Queue.main.rawValue)]
            let isProbationFull = probation.bytes > limit / Self.probationDivisor
            if probation.head >= 0 && (isProbationFull || main.head < 0) {
                if let victim = advanceProbation(probation.head) { return victim }
            } else if main.head >= 0 {
                if let victim = advanceMain(main.head) { return victim }
            } else {
                return nil
            }
        }
    }

    private mutating func advanceProbation(_ slot: Int32) -> Victim? {
        let entry = entries[Int(slot)]
        guard entry.references == 0 else {
            unlink(slot)
            entries[Int(slot)].references = 0
            link(slot, to: .main)
            return nil
        }
        let key = Self.key(entry.hash, Int(entry.block))
        ghosts.insert(key, capacity: max(1024, count))
        remove(slot, key)
        return Victim(hash: entry.hash, block: Int(entry.block))
    }

    private mutating func advanceMain(_ slot: Int32) -> Victim? {
        let entry = entries[Int(slot)]
        guard entry.references == 0 else {
            unlink(slot)
            entries[Int(slot)].references = entry.references - 1
            link(slot, to: .main)
            return nil
        }
        remove(slot, Self.key(entry.hash, Int(entry.block)))
        return Victim(hash: entry.hash, block: Int(entry.block))
    }

    // MARK: Order, for keeping it across restarts

    /// A block's place, as it is kept across restarts.
    struct Place: Hashable {
        var hash: CompactHash
        var block: Int
        var queue: Queue
        var references: UInt8
    }

    /// All blocks in the order in which they would leave their queues.
    func places() -> [Place] {
        var places: [Place] = []
        places.reserveCapacity(count)
        for list in lists {
            var slot = list.head
            while slot >= 0 {
                let entry = entries[Int(slot)]
                places.append(
                    Place(
                        hash: entry.hash, block: Int(entry.block), queue: entry.queue,
                        references: entry.references))
                slot = entry.next
            }
        }
        return places
    }

    /// Adds a block that an earlier run left, at the end of its queue, unless it is known already.
    mutating func restore(_ place: Place, cost: Int64) {
        guard cost > 0, slot(Self.key(place.hash, place.block), place.hash, place.block) == nil
        else { return }
        var queue = place.queue == .pinned ? Queue.main : place.queue
        if pinnedHashes.contains(place.hash) { queue = .pinned }
        enter(
            place.hash, place.block, cost: cost, queue: queue,
            references: min(Self.maximumReferences, place.references), visitor: 0)
    }

    /// Whether a block is known.
    func contains(_ hash: CompactHash, block: Int) -> Bool {
        slot(Self.key(hash, block), hash, block) != nil
    }

    // MARK: Lists

    private static func key(_ hash: CompactHash, _ block: Int) -> UInt64 {
        hash.words.0 ^ (UInt64(truncatingIfNeeded: block) &* 0x9E37_79B9_7F4A_7C15)
    }

    /// Two blocks with one key are a server's doing; the first one is counted, the other is not.
    private func slot(_ key: UInt64, _ hash: CompactHash, _ block: Int) -> Int32? {
        guard let slot = slots[key], entries[Int(slot)].hash == hash,
            entries[Int(slot)].block == UInt32(truncatingIfNeeded: block)
        else { return nil }
        return slot
    }

    private mutating func enter(
        _ hash: CompactHash, _ block: Int, cost: Int64, queue: Queue, references: UInt8,
        visitor: UInt32
    ) {
        let key = Self.key(hash, block)
        guard slots[key] == nil else { return }
        let entry = Entry(
            hash: hash, block: UInt32(truncatingIfNeeded: block), cost: UInt32(cost), previous: -1,
            next: -1, visitor: visitor, minute: 0, references: references, queue: queue)
        let slot: Int32
        if let reused = free.popLast() {
            slot = reused
            entries[Int(slot)] = entry
        } else {
            slot = Int32(entries.count)
            entries.append(entry)
        }
        slots[key] = slot
        count += 1
        link(slot, to: queue)
    }

    private mutating func remove(_ slot: Int32, _ key: UInt64) {
        unlink(slot)
        slots[key] = nil
        free.append(slot)
        count -= 1
    }

    private mutating func move(_ hash: CompactHash, blocks: Int, to queue: Queue) {
        // A content of more blocks than are kept at all is looked for the other way round.
        if blocks <= count {
            for block in 0..<blocks {
                if let slot = slot(Self.key(hash, block), hash, block) { relink(slot, to: queue) }
            }
        } else {
            for place in places() where place.hash == hash {
                if let slot = slot(Self.key(hash, place.block), hash, place.block) {
                    relink(slot, to: queue)
                }
            }
        }
    }

    private mutating func relink(_ slot: Int32, to queue: Queue) {
        unlink(slot)
        link(slot, to: queue)
    }

    private mutating func link(_ slot: Int32, to queue: Queue) {
        let list = Int(queue.rawValue)
        entries[Int(slot)].queue = queue
        entries[Int(slot)].previous = lists[list].tail
        entries[Int(slot)].next = -1
        if lists[list].tail >= 0 {
            entries[Int(lists[list].tail)].next = slot
        } else {
            lists[list].head = slot
        }
        lists[list].tail = slot
        lists[list].bytes += Int64(entries[Int(slot)].cost)
    }

    private mutating func unlink(_ slot: Int32) {
        let entry = entries[Int(slot)]
        let list = Int(entry.queue.rawValue)
        if entry.previous >= 0 {
            entries[Int(entry.previous)].next = entry.next
        } else {
            lists[list].head = entry.next
        }
        if entry.next >= 0 {
            entries[Int(entry.next)].previous = entry.previous
        } else {
            lists[list].tail = entry.previous
        }
        lists[list].bytes -= Int64(entry.cost)
    }
}

/// Keys of blocks that left probation lately, oldest first.
private struct GhostList {
    private var order: [UInt64] = []
    private var next = 0
    private var members: Set<UInt64> = []

    func contains(_ key: UInt64) -> Bool { members.contains(key) }

    mutating func insert(_ key: UInt64, capacity: Int) {
        guard members.insert(key).inserted else { return }
        let bound = min(capacity, EvictionPolicy.maximumEntries / 4)
        if order.count < bound {
            order.append(key)
            return
        }
        next %= order.count
        members.remove(order[next])
        order[next] = key
        next += 1
    }
}
