// Which contents stay when the cache is full: pure decisions, no disk.

@testable import BlockCache
import ContentHashing
import TestSupport
import Testing

@Suite("Retention")
struct RetentionTests {
    private func hash(_ number: Int) -> ContentHash {
        ContentHasher.hash(withUnsafeBytes(of: number) { Array($0) })
    }

    /// A reader opens the content, and its missing blocks are added.
    private func read(_ number: Int, bytes: Int64, in retention: inout Retention) {
        let isNew = retention.entries[hash(number)] == nil
        retention.use(hash(number))
        if isNew { retention.add(bytes, to: hash(number)) }
        _ = retention.victims(keeping: hash(number))
    }

    @Test("the kept bytes never exceed the limit, and the count is right")
    func limit() {
        var retention = Retention(limit: 1000)
        var generator = SeededRandom(seed: 1)
        for _ in 0..<2000 {
            read(
                Int.random(in: 0..<200, using: &generator),
                bytes: Int64.random(in: 1...100, using: &generator), in: &retention)
            #expect(retention.used <= 1000)
            #expect(retention.used == retention.entries.values.reduce(0) { $0 + $1.bytes })
        }
    }

    @Test("numbers at the limits of what can be counted end at them, and the decisions hold")
    func extremes() {
        var retention = Retention(limit: .min)
        retention.pin(hash(1), true)
        for number in [1, 2, 3] { retention.add(.max, to: hash(number)) }
        #expect(retention.used == .max)
        #expect(Set(retention.victims(keeping: nil)).isSubset(of: [hash(2), hash(3)]))
        #expect(retention.entries[hash(1)]?.bytes == .max)
        retention.add(.max, to: hash(1))
        retention.count(.min, of: hash(1))
        #expect(retention.pinnedBytes == .max)
    }

    @Test("a pass over a whole tree, once each, leaves contents that were read twice before")
    func scan() {
        var retention = Retention(limit: 1000)
        for _ in 0..<2 {
            for number in 0..<50 { read(number, bytes: 10, in: &retention) }
        }
        for number in 1000..<3000 { read(number, bytes: 10, in: &retention) }
        let kept = (0..<50).count { retention.entries[hash($0)] != nil }
        #expect(kept == 50)
    }

    @Test("a single file larger than the cache leaves contents that were read often before")
    func hugeFile() {
        var retention = Retention(limit: 1000)
        for _ in 0..<5 {
            for number in 0..<50 { read(number, bytes: 10, in: &retention) }
        }
        retention.use(hash(7777))
        for _ in 0..<500 {
            retention.add(10, to: hash(7777))
            _ = retention.victims(keeping: hash(7777))
        }
        let kept = (0..<50).count { retention.entries[hash($0)] != nil }
        #expect(kept == 50)
    }

    @Test("among contents that were read once, the oldest goes first")
    func order() {
        var retention = Retention(limit: 100)
        for number in 0..<10 { retention.add(10, to: hash(number)) }
        retention.add(10, to: hash(10))
        let victims = retention.victims(keeping: hash(10))
        #expect(victims.first == hash(0))
        #expect(!victims.contains(hash(9)) && !victims.contains(hash(10)))
    }

    @Test("pinned content stays, even if it is more than the limit")
    func pins() {
        var retention = Retention(limit: 100)
        for number in 0..<20 {
            retention.pin(hash(number), true)
            retention.add(10, to: hash(number))
        }
        retention.add(50, to: hash(99))
        #expect(retention.victims(keeping: nil) == [hash(99)])
        #expect(retention.pinnedBytes == 200)
        // With nothing left for others, each of their bytes would be fetched again and again.
        retention.add(6, to: hash(98))
        #expect(retention.victims(keeping: nil).isEmpty)
        for number in 0..<20 { retention.pin(hash(number), false) }
        #expect(retention.pinnedBytes == 0)
        #expect(!retention.victims(keeping: nil).isEmpty)
        #expect(retention.used <= 100)
    }

    /// The evicted contents, by their definition: all in order, from the start.
    private func expected(_ retention: Retention, keeping current: ContentHash) -> [ContentHash] {
        let room = max(retention.limit - retention.pinnedBytes, retention.limit / 16)
        guard retention.used - retention.pinnedBytes > room else { return [] }
        let goal = retention.pinnedBytes + room - room / 16
        let evictable = retention.entries.filter { !retention.pinned.contains($0.key) }
        let order = evictable.sorted { left, right in
            let (isLeft, isRight) = (left.value.uses > 1, right.value.uses > 1)
            if isLeft != isRight { return isRight }
            if (left.key == current) != (right.key == current) { return right.key == current }
            return left.value.lastUse < right.value.lastUse
        }
        var used = retention.used
        return order.prefix { _, entry in
            defer { used -= entry.bytes }
            return used > goal
        }.map(\.key)
    }

    @Test("what goes is what comes first of all, in order", arguments: 0..<20)
    func definition(seed: UInt64) {
        var retention = Retention(limit: 1000)
        var generator = SeededRandom(seed: seed)
        for _ in 0..<1500 {
            let content = hash(Int.random(in: 0..<60, using: &generator))
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: retention.pin(content, Bool.random(using: &generator))
            case 1: retention.remove(content)
            case 2:
                retention.pinOnly(
                    Set((0..<3).map { _ in hash(.random(in: 0..<60, using: &generator)) }))
            case 3: retention.count(Int64.random(in: 1...50, using: &generator), of: content)
            case 4...7: retention.use(content)
            default: retention.add(Int64.random(in: 1...80, using: &generator), to: content)
            }
            let victims = expected(retention, keeping: content)
            #expect(retention.victims(keeping: content) == victims)
        }
    }
}
