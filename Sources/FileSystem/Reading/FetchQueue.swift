// Which fetches may run, and what leaves memory for them. Pure: events in, actions out; it knows fetches
// by number and size only.

import Core
import DequeModule

/// Shares slots for requests and memory for bytes among fetches. Who waits goes before what is fetched
/// ahead, and that before what nobody reads (pinned content).
struct FetchQueue {
    /// What to do.
    enum Action: Hashable {
        /// The fetch may run.
        case start(Int)
        /// The fetch has arrived some time ago; its bytes leave memory.
        case evict(Int)
    }

    private struct Waiting {
        var id: Int
        var bytes: Int64
    }

    /// Fetches that stay in memory after they have arrived, at most. Small files do not come near the
    /// budget of bytes, but each fetch costs more than 10 KiB besides its bytes.
    static let arrivedLimit = 256

    /// Spare fetches that run at a time: enough to hide the round trip of small files.
    static let spareSlots = 4

    private let budget: Int64
    private let slots: Int
    /// What is fetched ahead leaves a quarter of slots and memory to those who wait.
    private var aheadSlots: Int { max(1, slots *| 3 / 4) }
    private var aheadBudget: Int64 { budget *| 3 / 4 }

    private var running: [Int: Int64] = [:]
    /// Fetches that do not need the network: those that have all their bytes, while these are checked and
    /// written to the disk, and those whose bytes are read from there.
    private var keeping: [Int: Int64] = [:]
    private var arrived: Deque<Waiting> = []
    private var demanded: Deque<Waiting> = []
    private var ahead: Deque<Waiting> = []
    /// Fetches for which nothing else is held up.
    private var spare: Deque<Waiting> = []
    private var runningSpare: Set<Int> = []
    private var runningBytes: Int64 = 0
    private var keepingBytes: Int64 = 0
    private var aheadBytes: Int64 = 0
    /// Bytes of what runs and of what has arrived and is still in memory.
    private(set) var bytes: Int64 = 0

    /// Bytes in memory at most, and requests at most.
    init(budget: Int64, slots: Int) {
        self.budget = budget
        self.slots = slots
    }

    func isRunning(_ id: Int) -> Bool { running[id] != nil }
    func isSpare(_ id: Int) -> Bool {
        runningSpare.contains(id) || spare.contains { $0.id == id }
    }

    /// Whether a fetch of so many bytes may be added for somebody's future.
    func hasRoomAhead(_ bytes: Int64) -> Bool {
        runningBytes +| aheadBytes +| bytes <= aheadBudget
    }

    /// Adds a fetch.
    mutating func add(_ id: Int, bytes: Int64, isDemanded: Bool) -> [Action] {
        if isDemanded {
            demanded.append(Waiting(id: id, bytes: bytes))
        } else {
            ahead.append(Waiting(id: id, bytes: bytes))
            aheadBytes +|= bytes
        }
        return pump()
    }

    /// Adds a fetch that runs when no other one runs or waits.
    mutating func addSpare(_ id: Int, bytes: Int64) -> [Action] {
        spare.append(Waiting(id: id, bytes: bytes))
        return pump()
    }

    /// Takes what comes from the disk: it needs memory and no turn, and is in memory until it arrives.
    /// Nil if there is no room for somebody's future.
    mutating func admit(_ id: Int, bytes: Int64) -> [Action]? {
        guard hasRoomAhead(keepingBytes +| bytes) else { return nil }
        var actions: [Action] = []
        guard makeRoom(bytes, &actions) else { return nil }
        self.bytes +|= bytes
        keep(id, bytes)
        return actions
    }

    /// Somebody waits for a fetch that was added for the future, or for nobody.
    mutating func demand(_ id: Int) -> [Action] {
        runningSpare.remove(id)
        if let index = spare.firstIndex(where: { $0.id == id }) {
            demanded.append(spare.remove(at: index))
            return pump()
        }
        guard let index = ahead.firstIndex(where: { $0.id == id }) else { return [] }
        let waiting = ahead.remove(at: index)
        aheadBytes -|= waiting.bytes
        demanded.append(waiting)
        return pump()
    }

    /// A fetch has all its bytes: another one may use the network while these are kept.
    mutating func transferred(_ id: Int) -> [Action] {
        guard let bytes = running.removeValue(forKey: id) else { return [] }
        runningSpare.remove(id)
        runningBytes -|= bytes
        keep(id, bytes)
        return pump()
    }

    private mutating func keep(_ id: Int, _ bytes: Int64) {
        keeping[id] = bytes
        keepingBytes +|= bytes
    }

    /// The bytes of a fetch that was transferred are kept, or those of one that was admitted are here;
    /// they stay in memory for a while.
    mutating func arrive(_ id: Int) -> [Action] {
        guard let bytes = keeping.removeValue(forKey: id) else { return [] }
        keepingBytes -|= bytes
        arrived.append(Waiting(id: id, bytes: bytes))
        var actions: [Action] = []
        if arrived.count > Self.arrivedLimit { evictOldest(&actions) }
        actions.append(contentsOf: pump())
        return actions
    }

    /// Everything that has arrived leaves memory.
    mutating func evictAll() -> [Action] {
        var actions: [Action] = []
        while !arrived.isEmpty { evictOldest(&actions) }
        return actions
    }

    /// A fetch is gone, wherever it was.
    mutating func remove(_ id: Int) -> [Action] {
        runningSpare.remove(id)
        spare.removeAll { $0.id == id }
        if let bytes = running.removeValue(forKey: id) {
            runningBytes -|= bytes
            self.bytes -|= bytes
        } else if let bytes = keeping.removeValue(forKey: id) {
            keepingBytes -|= bytes
            self.bytes -|= bytes
        } else if let index = arrived.firstIndex(where: { $0.id == id }) {
            bytes -|= arrived.remove(at: index).bytes
        } else if let index = ahead.firstIndex(where: { $0.id == id }) {
            aheadBytes -|= ahead.remove(at: index).bytes
        } else {
            demanded.removeAll { $0.id == id }
        }
        return pump()
    }

    private mutating func pump() -> [Action] {
        var actions: [Action] = []
        while let next = demanded.first, running.count < slots, makeRoom(next.bytes, &actions) {
            demanded.removeFirst()
            start(next, &actions)
        }
        guard demanded.isEmpty else { return actions }
        while let next = ahead.first, running.count < aheadSlots, makeRoom(next.bytes, &actions) {
            ahead.removeFirst()
            aheadBytes -|= next.bytes
            start(next, &actions)
        }
        guard ahead.isEmpty else { return actions }
        while let next = spare.first, running.count == runningSpare.count,
            running.count < min(Self.spareSlots, aheadSlots), makeRoom(next.bytes, &actions)
        {
            spare.removeFirst()
            runningSpare.insert(next.id)
            start(next, &actions)
        }
        return actions
    }

    private mutating func start(_ waiting: Waiting, _ actions: inout [Action]) {
        running[waiting.id] = waiting.bytes
        runningBytes +|= waiting.bytes
        bytes +|= waiting.bytes
        actions.append(.start(waiting.id))
    }

    /// A fetch that is larger than all memory runs alone, so that everybody gets on.
    private mutating func makeRoom(_ wanted: Int64, _ actions: inout [Action]) -> Bool {
        let isAlone = running.isEmpty && keeping.isEmpty
        guard runningBytes +| keepingBytes +| wanted <= budget || isAlone else { return false }
        while bytes +| wanted > budget, !arrived.isEmpty {
            evictOldest(&actions)
        }
        return true
    }

    private mutating func evictOldest(_ actions: inout [Action]) {
        guard let oldest = arrived.popFirst() else { return }
        bytes -|= oldest.bytes
        actions.append(.evict(oldest.id))
    }
}
