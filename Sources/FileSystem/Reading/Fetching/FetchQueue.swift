// Which fetches may run, and which ones leave memory for them. Pure: events in, actions out; it
// knows fetches by number and size only.

import Core
import DequeModule
import Saturating

/// Shares request slots and memory among fetches. Demanded fetches precede read-ahead, and
/// read-ahead precedes background fetches (pinned content).
struct FetchQueue {
    /// An action for the caller.
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

    /// Arrived fetches that may stay in memory. Small files do not reach the byte budget, but each
    /// fetch costs more than 10 KiB besides its bytes.
    static let arrivedLimit = 256

    /// Background fetches at a time: enough to hide the round trip of small files.
    static let backgroundSlots = 4

    private let budget: Int64
    private let slots: Int
    /// Read-ahead leaves a quarter of slots and memory to demanded fetches.
    private var aheadSlots: Int { max(1, slots *| 3 / 4) }
    private var aheadBudget: Int64 { budget *| 3 / 4 }

    private var running: [Int: Int64] = [:]
    /// Fetches that do not need the network: those with all their bytes, while these are checked
    /// and written to the disk, and those that read from the disk.
    private var keeping: [Int: Int64] = [:]
    private var arrived: Deque<Waiting> = []
    private var demanded: Deque<Waiting> = []
    private var ahead: Deque<Waiting> = []
    /// Background fetches, which delay no other fetch.
    private var background: Deque<Waiting> = []
    private var runningBackground: Set<Int> = []
    private var runningBytes: Int64 = 0
    private var keepingBytes: Int64 = 0
    private var aheadBytes: Int64 = 0
    /// Bytes of running fetches and of arrived ones that are still in memory.
    private(set) var bytes: Int64 = 0

    /// Creates a queue with limits of bytes in memory and of requests.
    init(budget: Int64, slots: Int) {
        self.budget = budget
        self.slots = slots
    }

    func isRunning(_ id: Int) -> Bool { running[id] != nil }
    func isBackground(_ id: Int) -> Bool {
        runningBackground.contains(id) || background.contains { $0.id == id }
    }

    /// Whether a read-ahead fetch of so many bytes may be added.
    func hasRoomAhead(_ bytes: Int64) -> Bool {
        runningBytes +| aheadBytes +| bytes <= aheadBudget
    }

    /// Adds a demanded or read-ahead fetch.
    mutating func add(_ id: Int, bytes: Int64, isDemanded: Bool) -> [Action] {
        if isDemanded {
            demanded.append(Waiting(id: id, bytes: bytes))
        } else {
            ahead.append(Waiting(id: id, bytes: bytes))
            aheadBytes +|= bytes
        }
        return pump()
    }

    /// Adds a background fetch, which runs when no other one runs or waits.
    mutating func addBackgroundFetch(_ id: Int, bytes: Int64) -> [Action] {
        background.append(Waiting(id: id, bytes: bytes))
        return pump()
    }

    /// Admits a read-ahead fetch from the disk: it needs memory but no slot, and is in memory until
    /// it arrives. Nil if there is no room for read-ahead.
    mutating func admit(_ id: Int, bytes: Int64) -> [Action]? {
        guard hasRoomAhead(keepingBytes +| bytes) else { return nil }
        var actions: [Action] = []
        guard makeRoom(bytes, &actions) else { return nil }
        self.bytes +|= bytes
        keep(id, bytes)
        return actions
    }

    /// Promotes a read-ahead or background fetch that a reader waits for.
    mutating func demand(_ id: Int) -> [Action] {
        runningBackground.remove(id)
        if let index = background.firstIndex(where: { $0.id == id }) {
            demanded.append(background.remove(at: index))
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
        runningBackground.remove(id)
        runningBytes -|= bytes
        keep(id, bytes)
        return pump()
    }

    private mutating func keep(_ id: Int, _ bytes: Int64) {
        keeping[id] = bytes
        keepingBytes +|= bytes
    }

    /// The bytes of a fetch are in the cache (transferred) or in memory (admitted); they stay in
    /// memory for a while.
    mutating func arrive(_ id: Int) -> [Action] {
        guard let bytes = keeping.removeValue(forKey: id) else { return [] }
        keepingBytes -|= bytes
        arrived.append(Waiting(id: id, bytes: bytes))
        var actions: [Action] = []
        if arrived.count > Self.arrivedLimit { evictOldest(&actions) }
        actions.append(contentsOf: pump())
        return actions
    }

    /// Evicts all arrived fetches from memory.
    mutating func evictAll() -> [Action] {
        var actions: [Action] = []
        while !arrived.isEmpty { evictOldest(&actions) }
        return actions
    }

    /// Removes a fetch in any state.
    mutating func remove(_ id: Int) -> [Action] {
        runningBackground.remove(id)
        background.removeAll { $0.id == id }
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
        while let next = background.first, running.count == runningBackground.count,
            running.count < min(Self.backgroundSlots, aheadSlots), makeRoom(next.bytes, &actions)
        {
            background.removeFirst()
            runningBackground.insert(next.id)
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

    /// A fetch that exceeds the whole budget runs alone, so that every fetch progresses.
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
