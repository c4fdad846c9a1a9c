// Background fetches come last, and a reader of the same blocks shares them.

import BlockCache
@testable import FileSystem
import Core
import RemoteStore
import Synchronization
import Testing

private let mebibyte = 1 << 20

@Suite("Background fetches", .timeLimit(.minutes(3)))
struct BackgroundFetchTests {
    @Test("they run when nothing else does, a few at a time, and make way for all others")
    func turns() {
        var queue = FetchQueue(budget: 1000, slots: 16)
        #expect(queue.add(1, bytes: 10, isDemanded: true) == [.start(1)])
        #expect(queue.addBackgroundFetch(2, bytes: 10) == [])
        #expect(queue.add(3, bytes: 10, isDemanded: false) == [.start(3)])
        #expect(queue.finish(1) == [])
        #expect(queue.finish(3) == [.start(2)])
        // A demanded fetch does not wait for them.
        #expect(queue.add(4, bytes: 10, isDemanded: true) == [.start(4)])
        #expect(queue.addBackgroundFetch(5, bytes: 10) == [])
        #expect(queue.remove(4) == [.start(5)])
        for number in 6..<20 { _ = queue.addBackgroundFetch(number, bytes: 10) }
        let running = (2..<20).count { queue.isRunning($0) }
        #expect(running == FetchQueue.backgroundSlots)
        #expect(queue.remove(15) == [])
        #expect(queue.finish(2) == [.start(8)])
    }

    @Test("one that a reader waits for now goes first, and counts as the reader's")
    func promotion() {
        var queue = FetchQueue(budget: 1000, slots: 2)
        _ = queue.add(1, bytes: 10, isDemanded: true)
        _ = queue.addBackgroundFetch(2, bytes: 10)
        _ = queue.addBackgroundFetch(3, bytes: 10)
        #expect(queue.demand(3) == [.start(3)])
        #expect(queue.finish(1) == [])
        #expect(queue.finish(3) == [.start(2)])
        _ = queue.demand(2)
        #expect(queue.addBackgroundFetch(4, bytes: 10) == [])
    }

    @Test("a block is on the disk when it was brought, and is brought once")
    func bringing() async throws {
        let sample = Sample(size: 9 * mebibyte, seed: 1)
        let fixture = try Fixture([sample])
        _ = try await fixture.reader.read(sample, 0..<100, ReadSession())
        for block in 0..<3 {
            try await fixture.reader.fetch(sample.content, block: block)
            let end = min(Int64(block + 1) * 4 << 20, sample.content.size)
            #expect(
                fixture.cache.contains(
                    sample.content.hash, size: sample.content.size, range: 0..<end))
        }
        #expect(fixture.store.requestedBytes == sample.content.size)
        #expect(try await fixture.reader.readThrough(sample, ReadSession()))
        #expect(fixture.store.requestedBytes == sample.content.size)
    }

    @Test("a block with a part in its middle is brought around that, and the part stored once")
    func around() async throws {
        let sample = Sample(size: 8 * mebibyte, seed: 3)
        let fixture = try Fixture([sample])
        let middle = Int64(2 * mebibyte)
        _ = try await fixture.reader.read(sample, middle..<middle + 65536, ReadSession())
        try await fixture.reader.fetch(sample.content, block: 0)
        #expect(
            fixture.cache.contains(
                sample.content.hash, size: sample.content.size, range: 0..<Int64(4 * mebibyte)))
        #expect(fixture.store.requestedBytes <= sample.content.size)
    }

    @Test("a reader shares a fetch that is under way")
    func shared() async throws {
        let sample = Sample(size: 3 * mebibyte, seed: 2)
        let fixture = try Fixture([sample])
        fixture.store.gate.open(to: 0)
        async let brought: Void = fixture.reader.fetch(sample.content, block: 0)
        #expect(await eventually { fixture.store.runningCount == 1 })
        async let bytes = fixture.reader.bytes(
            of: sample.content, range: 5..<1000, session: ReadSession())
        fixture.store.gate.open(to: .max)
        #expect(try await bytes == sample[5..<1000])
        try await brought
        #expect(fixture.store.requests.count == 1)
    }

    @Test("a reader whose bytes wait for the check of the whole does not wait for a quiet moment")
    func hastened() async throws {
        let sample = Sample(size: 9 * mebibyte, seed: 5)
        let other = Sample(size: 20 * mebibyte, seed: 6)
        let fixture = try Fixture([sample, other])
        let reader = fixture.reader
        try await reader.fetch(sample.content, block: 0)
        fixture.store.gate.open(to: 12 << 20)
        // Another handle reads, and goes on reading.
        let reading = Task {
            try await reader.bytes(
                of: other.content, range: (16 << 20)..<(16 << 20) + 10, session: ReadSession())
        }
        #expect(await eventually { fixture.store.requests.count == 2 })
        let bringing = Task { try await reader.fetch(sample.content, block: 1) }
        let end = (9 << 20) - 10..<Int64(9 << 20)
        #expect(await eventually { reader.fetcher.table.withLock { $0.fetches.count } == 3 })
        #expect(
            try await reader.bytes(of: sample.content, range: end, session: ReadSession())
                == sample[end])
        try await bringing.value
        fixture.store.gate.open(to: .max)
        _ = try await reading.value
    }

    @Test("a block in memory that the disk has lost is put there without a request")
    func fromMemory() async throws {
        let sample = Sample(size: 100_000, seed: 3)
        let fixture = try Fixture([sample])
        try await fixture.reader.fetch(sample.content, block: 0)
        _ = fixture.cache.clear()
        try await fixture.reader.fetch(sample.content, block: 0)
        #expect(
            fixture.cache.contains(
                sample.content.hash, size: sample.content.size, range: 0..<sample.content.size))
        #expect(fixture.store.requests.count == 1)
    }

    @Test("a pin that gives up waiting cancels the fetch, unless a reader waits for it")
    func cancelling() async throws {
        let sample = Sample(size: 3 * mebibyte, seed: 4)
        let fixture = try Fixture([sample])
        fixture.store.gate.open(to: 0)
        let bringing = Task { try await fixture.reader.fetch(sample.content, block: 0) }
        #expect(await eventually { fixture.store.runningCount == 1 })
        bringing.cancel()
        await #expect(throws: BackgroundFetchError.remote(.cancelled)) { try await bringing.value }
        #expect(await eventually { fixture.store.cancelledCount == 1 })
    }
}
