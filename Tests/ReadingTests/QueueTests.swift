// Turns and memory: events in, actions out. And the known blocks of a content.

@testable import FileSystem
import TestSupport
import Testing

@Suite("Turns and memory")
struct QueueTests {
    @Test("fetches start while there are slots and memory, and the next when one ends")
    func slots() {
        var queue = FetchQueue(budget: 100, slots: 2)
        #expect(queue.add(1, bytes: 10, isDemanded: true) == [.start(1)])
        #expect(queue.add(2, bytes: 10, isDemanded: true) == [.start(2)])
        #expect(queue.add(3, bytes: 10, isDemanded: true) == [])
        #expect(queue.remove(1) == [.start(3)])
    }

    @Test("demanded fetches go before read-ahead")
    func priority() {
        var queue = FetchQueue(budget: 1000, slots: 1)
        #expect(queue.add(1, bytes: 10, isDemanded: true) == [.start(1)])
        #expect(queue.add(2, bytes: 10, isDemanded: false) == [])
        #expect(queue.add(3, bytes: 10, isDemanded: true) == [])
        #expect(queue.finish(1) == [.start(3)])
        #expect(queue.finish(3) == [.start(2)])
    }

    @Test("a read-ahead that is then demanded overtakes")
    func promotion() {
        var queue = FetchQueue(budget: 1000, slots: 1)
        _ = queue.add(1, bytes: 10, isDemanded: true)
        _ = queue.add(2, bytes: 10, isDemanded: false)
        _ = queue.add(3, bytes: 10, isDemanded: false)
        #expect(queue.demand(3) == [])
        #expect(queue.finish(1) == [.start(3)])
    }

    @Test("read-ahead leaves slots to demanded fetches")
    func reservedSlots() {
        var queue = FetchQueue(budget: 1000, slots: 4)
        var started = 0
        for id in 0..<10 { started += queue.add(id, bytes: 1, isDemanded: false).count }
        #expect(started == 3)
        #expect(queue.add(99, bytes: 1, isDemanded: true) == [.start(99)])
    }

    @Test("arrived bytes leave memory, oldest first, when others need it")
    func eviction() {
        var queue = FetchQueue(budget: 30, slots: 10)
        for id in 1...3 {
            _ = queue.add(id, bytes: 10, isDemanded: true)
            _ = queue.finish(id)
        }
        #expect(queue.bytes == 30)
        #expect(queue.add(4, bytes: 15, isDemanded: true) == [.evict(1), .evict(2), .start(4)])
        #expect(queue.bytes == 25)
    }

    @Test("small fetches leave memory by their number, long before their bytes fill it")
    func manySmallFetches() {
        var queue = FetchQueue(budget: 1 << 20, slots: 10)
        for id in 0..<FetchQueue.arrivedLimit {
            _ = queue.add(id, bytes: 1, isDemanded: true)
            #expect(queue.finish(id) == [])
        }
        _ = queue.add(1000, bytes: 1, isDemanded: true)
        #expect(queue.finish(1000) == [.evict(0)])
        #expect(queue.bytes == Int64(FetchQueue.arrivedLimit))
    }

    @Test("a fetch that is larger than all memory runs alone")
    func tooLarge() {
        var queue = FetchQueue(budget: 10, slots: 4)
        #expect(queue.add(1, bytes: 25, isDemanded: true) == [.start(1)])
        #expect(queue.add(2, bytes: 5, isDemanded: true) == [])
        #expect(queue.remove(1) == [.start(2)])
        #expect(queue.bytes == 5)
    }

    @Test("a fetch that has its bytes makes way on the network, but not in memory")
    func keeping() {
        var queue = FetchQueue(budget: 40, slots: 4)
        for id in 1...3 { _ = queue.add(id, bytes: 10, isDemanded: false) }
        #expect(!queue.hasRoomAhead(10))
        #expect(queue.transferred(1) == [])
        #expect(queue.hasRoomAhead(10))
        #expect(queue.add(4, bytes: 10, isDemanded: false) == [.start(4)])
        // All memory is full of what runs or is written.
        #expect(queue.add(5, bytes: 10, isDemanded: true) == [])
        #expect(queue.arrive(1) == [.evict(1), .start(5)])
        #expect(queue.bytes == 40)
    }

    @Test("what comes from the disk needs no turn, but memory, and leaves some to others")
    func admission() {
        var queue = FetchQueue(budget: 40, slots: 1)
        #expect(queue.add(1, bytes: 10, isDemanded: true) == [.start(1)])
        #expect(queue.admit(2, bytes: 10) == [])
        #expect(queue.admit(3, bytes: 10) == [])
        #expect(queue.admit(4, bytes: 10) == nil)
        #expect(queue.bytes == 30)
        #expect(queue.arrive(2) == [])
        #expect(queue.admit(5, bytes: 10) == [])
        #expect(queue.finish(1) == [])
        #expect(queue.arrive(5) == [])
        #expect(queue.admit(6, bytes: 20) == [.evict(2), .evict(1)])
        #expect(queue.remove(6) == [])
        #expect(queue.remove(3) == [])
        #expect(queue.remove(5) == [])
        #expect(queue.bytes == 0)
    }

    @Test("after random events, memory is kept, all that wait get their turn, and nothing leaks")
    func randomEvents() {
        for seed in 0..<50 {
            var generator = SeededRandom(seed: UInt64(seed))
            var queue = FetchQueue(budget: 100, slots: 4)
            var waiting = Set<Int>()
            var running = Set<Int>()
            var kept = Set<Int>()
            var inMemory = Set<Int>()
            func apply(_ actions: [FetchQueue.Action]) {
                for action in actions {
                    switch action {
                    case .start(let id):
                        #expect(waiting.remove(id) != nil)
                        running.insert(id)
                    case .evict(let id): #expect(inMemory.remove(id) != nil)
                    }
                }
                #expect(running.count <= 4)
                #expect(queue.bytes <= 100)
            }
            for id in 0..<300 {
                waiting.insert(id)
                let bytes = Int64.random(in: 1...40, using: &generator)
                apply(queue.add(id, bytes: bytes, isDemanded: Bool.random(using: &generator)))
                if let promoted = waiting.randomElement(using: &generator),
                    Bool.random(using: &generator)
                {
                    apply(queue.demand(promoted))
                }
                if let id = running.randomElement(using: &generator) {
                    running.remove(id)
                    if Bool.random(using: &generator) {
                        kept.insert(id)
                        apply(queue.transferred(id))
                    } else {
                        apply(queue.remove(id))
                    }
                }
                if Bool.random(using: &generator),
                    let actions = queue.admit(1000 + id, bytes: bytes)
                {
                    kept.insert(1000 + id)
                    apply(actions)
                }
                if let id = kept.randomElement(using: &generator) {
                    kept.remove(id)
                    if Bool.random(using: &generator) {
                        inMemory.insert(id)
                        apply(queue.arrive(id))
                    } else {
                        apply(queue.remove(id))
                    }
                }
            }
            while let id = running.first ?? kept.first {
                if running.remove(id) != nil { apply(queue.transferred(id)) }
                kept.remove(id)
                inMemory.insert(id)
                apply(queue.arrive(id))
            }
            #expect(waiting.isEmpty)
            for id in inMemory { apply(queue.remove(id)) }
            #expect(queue.bytes == 0)
        }
    }

    @Test("the block that completes a content is known when all others are here or on their way")
    func completing() {
        var verification = ContentVerification(blockCount: 4)
        #expect(verification.unknownBlock(besides: 3) == 2)
        for block in 0..<3 { verification.began(block) }
        #expect(verification.unknownBlock(besides: 3) == nil)
        verification.ended(1, passes: false)
        #expect(verification.unknownBlock(besides: 3) == 1)
        verification.found(1)
        #expect(verification.unknownBlock(besides: 3) == nil)
        #expect(!verification.isSettled)
        verification.ended(0, passes: true)
        verification.ended(2, passes: true)
        #expect(verification.isSettled && verification.unknownBlock(besides: 3) == nil)
    }
}

extension FetchQueue {
    /// All of a fetch has come and is kept.
    mutating func finish(_ id: Int) -> [Action] { transferred(id) + arrive(id) }
}
