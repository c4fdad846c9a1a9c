// The pipeline as a whole: right bytes, few requests, shared fetches, bounded memory.

import BlockCache
@testable import FileSystem
import Core
import Glibc
import RemoteStore
import Synchronization
import TestSupport
import Testing

private let block: Int64 = 4 << 20
private let step: Int64 = 128 << 10
private let mebibyte = 1 << 20

@Suite("Reading", .timeLimit(.minutes(3)))
struct ReadingTests {
    @Test(
        "sequential reading gives the file, and asks for no byte twice",
        arguments: [1, 65536, 4 * mebibyte, 4 * mebibyte + 1, 21 * mebibyte + 333])
    func sequential(size: Int) async throws {
        let sample = Sample(size: size, seed: UInt64(size))
        let fixture = try Fixture([sample])
        #expect(try await fixture.reader.readThrough(sample, ReadSession()))
        #expect(fixture.store.requestedBytes == sample.content.size)
    }

    @Test("a second read takes no request, also by the next process")
    func warm() async throws {
        let sample = Sample(size: 9 * mebibyte, seed: 1)
        let fixture = try Fixture([sample])
        #expect(try await fixture.reader.readThrough(sample, ReadSession()))
        let requests = fixture.store.requests.count
        #expect(try await fixture.reader.readThrough(sample, ReadSession()))
        let fresh = fixture.freshReader()
        #expect(try await fresh.readThrough(sample, ReadSession()))
        // At once, as soon as nothing of it is still being read ahead.
        let range: Range<Int64> = 5..<6_000_000
        #expect(await eventually { fresh.cachedBytes(of: sample.content, range: range) != nil })
        let isRight = fresh.cachedBytes(of: sample.content, range: range) == sample[range]
        #expect(isRight)
        #expect(fixture.store.requests.count == requests)
    }

    @Test("a handle knows whether bytes were fetched for it")
    func fetched() async throws {
        let sample = Sample(size: mebibyte, seed: 3)
        let fixture = try Fixture([sample])
        let first = ReadSession()
        fixture.store.onRequest { _, _ in .refuse(.notFound) }
        await #expect(throws: RemoteError.self) {
            try await fixture.reader.readThrough(sample, first)
        }
        #expect(!first.hasFetched, "nothing has come")
        fixture.store.onRequest { _, _ in nil }
        #expect(try await fixture.reader.readThrough(sample, first))
        #expect(first.hasFetched)
        let second = ReadSession()
        #expect(try await fixture.freshReader().readThrough(sample, second))
        #expect(!second.hasFetched, "it was on disk")
    }

    @Test("an empty range is empty, and one beyond the content an error")
    func ranges() async throws {
        let sample = Sample(size: 100, seed: 2)
        let fixture = try Fixture([sample])
        #expect(
            try await fixture.reader.bytes(of: sample.content, range: 3..<3, session: .init()) == []
        )
        await #expect(throws: RemoteError.self) {
            try await fixture.reader.bytes(of: sample.content, range: 0..<101, session: .init())
        }
        #expect(fixture.store.requests.isEmpty)
    }

    @Test("any ranges of any files by many handles at once are right")
    func randomRanges() async throws {
        let samples = [300_000, 5 * mebibyte, 13 * mebibyte + 7].enumerated().map {
            Sample(size: $1, seed: UInt64(10 + $0))
        }
        let fixture = try Fixture(samples, memory: 16 << 20, requests: 4, cacheSize: 12 << 20)
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<12 {
                group.addTask {
                    var generator = SeededRandom(seed: UInt64(task))
                    let sample = samples[task % samples.count]
                    let session = ReadSession()
                    for _ in 0..<40 {
                        let start = Int64.random(in: 0..<sample.content.size, using: &generator)
                        let end = min(
                            sample.content.size,
                            start + Int64.random(in: 1...600_000, using: &generator))
                        let bytes = try? await fixture.reader.read(sample, start..<end, session)
                        guard bytes == sample[start..<end] else { return false }
                    }
                    return true
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    // MARK: Sharing and serving

    @Test("one fetch serves all who want the block")
    func shared() async throws {
        let sample = Sample(size: 3 * mebibyte, seed: 20)
        let fixture = try Fixture([sample])
        fixture.store.gate.open(to: 0)
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let range = Int64(number) * step..<Int64(number + 1) * step
                    let bytes = try? await fixture.reader.read(sample, range, ReadSession())
                    return bytes == sample[range]
                }
            }
            #expect(await eventually { fixture.store.runningCount == 1 })
            fixture.store.gate.open(to: .max)
            for await isRight in group { #expect(isRight) }
        }
        #expect(fixture.store.requests == [0..<sample.content.size])
    }

    @Test("equal random reads at the same time are one request")
    func sharedRandom() async throws {
        let sample = Sample(size: 40 * mebibyte, seed: 21)
        let fixture = try Fixture([sample])
        let sessions = (0..<5).map { _ in ReadSession() }
        for session in sessions {
            for place in [0, 9, 17, 25, 33] as [Int64] {
                _ = session.note(place << 20..<place << 20 + 10)
            }
        }
        fixture.store.gate.open(to: 0)
        let range = Int64(37 << 20)..<Int64(37 << 20) + 4096
        await withTaskGroup(of: Bool.self) { group in
            for session in sessions {
                group.addTask {
                    (try? await fixture.reader.read(sample, range, session)) == sample[range]
                }
            }
            #expect(await eventually { fixture.store.runningCount == 1 })
            fixture.store.gate.open(to: .max)
            for await isRight in group { #expect(isRight) }
        }
        #expect(fixture.store.requests.count == 1)
        #expect(fixture.store.requestedBytes <= step)
    }

    @Test("a reader of a large file is served as soon as his bytes are here")
    func servedEarly() async throws {
        let sample = Sample(size: 9 * mebibyte, seed: 22)
        let fixture = try Fixture([sample])
        fixture.store.gate.open(to: step)
        let bytes = try await fixture.reader.read(sample, 0..<step, ReadSession())
        #expect(bytes == sample[0..<step])
        #expect(fixture.store.runningCount == 1)
        fixture.store.gate.open(to: .max)
    }

    @Test("a file of one block is not served before it is here whole and checked")
    func servedWhole() async throws {
        let sample = Sample(size: 1 * mebibyte, seed: 23)
        let fixture = try Fixture([sample])
        fixture.store.gate.open(to: sample.content.size - 1 - 65536)
        let isServed = Mutex(false)
        let task = Task {
            let bytes = try? await fixture.reader.read(sample, 0..<step, ReadSession())
            isServed.withLock { $0 = true }
            return bytes == sample[0..<step]
        }
        #expect(await eventually { fixture.store.runningCount == 1 })
        for _ in 0..<50 { await Task.yield() }
        #expect(!isServed.withLock { $0 })
        #expect(fixture.reader.cachedBytes(of: sample.content, range: 0..<step) == nil)
        fixture.store.gate.open(to: .max)
        #expect(await task.value)
    }

    @Test("one who leaves does not harm the others")
    func cancelledWaiter() async throws {
        let sample = Sample(size: 3 * mebibyte, seed: 24)
        let fixture = try Fixture([sample])
        fixture.store.gate.open(to: 0)
        let waiters = {
            fixture.reader.fetcher.table.withLock { table in
                table.fetches.values.joined().reduce(0) { $0 + $1.waiterCount }
            }
        }
        // The one who leaves has begun the fetch, and the other one has joined.
        let leaving = Task {
            try? await fixture.reader.read(sample, 0..<step, ReadSession())
        }
        #expect(await eventually { waiters() == 1 })
        let staying = Task {
            try? await fixture.reader.read(sample, step..<2 * step, ReadSession())
        }
        #expect(await eventually { waiters() == 2 })
        #expect(await eventually { fixture.store.runningCount == 1 })
        leaving.cancel()
        #expect(await leaving.value == nil)
        fixture.store.gate.open(to: .max)
        #expect(await staying.value == sample[step..<2 * step])
        #expect(fixture.store.cancelledCount == 0)
    }

    @Test("the last one who leaves calls the fetch off, and the next one gets his bytes")
    func lastWaiter() async throws {
        let sample = Sample(size: 3 * mebibyte, seed: 25)
        let fixture = try Fixture([sample])
        fixture.store.gate.open(to: 0)
        let task = Task {
            let session = ReadSession()
            return try? await fixture.reader.read(sample, 0..<step, session)
        }
        #expect(await eventually { fixture.store.runningCount == 1 })
        task.cancel()
        #expect(await task.value == nil)
        #expect(await eventually { fixture.store.cancelledCount == 1 })
        fixture.store.gate.open(to: .max)
        #expect(try await fixture.reader.readThrough(sample, ReadSession()))
    }

    /// They used to look again and again, and left no thread to the fetch that was to end.
    @Test("a reader of a cancelled fetch that has not ended waits, and occupies no thread")
    func endingFetch() async throws {
        let sample = Sample(size: 3 * mebibyte, seed: 29)
        let fixture = try Fixture([sample])
        fixture.store.gate.ignoreCancellation()
        fixture.store.gate.open(to: 0)
        let leaving = Task {
            try? await fixture.reader.read(sample, 0..<step, ReadSession())
        }
        #expect(await eventually { fixture.store.runningCount == 1 })
        leaving.cancel()
        #expect(await leaving.value == nil)
        let begun = Counter()
        let count = sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 2
        var readers: [Task<[UInt8]?, Never>] = []
        for _ in 0..<count {
            readers.append(
                Task {
                    begun.increment()
                    return try? await fixture.reader.read(sample, 0..<step, ReadSession())
                })
        }
        try await waitWhile { begun.count < count }
        fixture.store.gate.open(to: .max)
        for reader in readers {
            #expect(await reader.value == sample[0..<step])
        }
    }

    @Test("a closed handle cancels its read-ahead")
    func closedHandle() async throws {
        let sample = Sample(size: 60 * mebibyte, seed: 26)
        let fixture = try Fixture([sample])
        fixture.store.gate.open(to: 2 * step)
        do {
            let session = ReadSession()
            #expect(try await fixture.reader.readThrough(sample, session, 0..<2 * step))
            #expect(await eventually { fixture.store.runningCount >= 2 })
        }
        #expect(await eventually { fixture.store.cancelledCount >= 1 })
        fixture.store.gate.open(to: .max)
        #expect(await eventually { fixture.store.runningCount == 0 })
        #expect(fixture.store.requestedBytes < sample.content.size / 2)
    }

    // MARK: How much is fetched

    @Test("a read of a large file's head does not fetch the file")
    func heads() async throws {
        let samples = (0..<5).map { Sample(size: 8 * mebibyte, seed: UInt64(30 + $0)) }
        let fixture = try Fixture(samples)
        for sample in samples {
            #expect(
                try await fixture.reader.read(sample, 0..<4096, ReadSession()) == sample[0..<4096])
        }
        #expect(fixture.store.requestedBytes <= 5 * (1 << 20 + step))
    }

    @Test("random reads fetch little")
    func randomReads() async throws {
        let sample = Sample(size: 64 * mebibyte, seed: 40)
        let fixture = try Fixture([sample])
        let session = ReadSession()
        var generator = SeededRandom(seed: 41)
        var units = Set<Int64>()
        for _ in 0..<100 {
            let start = Int64.random(in: 0..<sample.content.size / 4096, using: &generator) * 4096
            let range = start..<start + 4096
            #expect(try await fixture.reader.read(sample, range, session) == sample[range])
            units.insert(start / step)
        }
        #expect(fixture.store.requestedBytes <= Int64(units.count) * step + 5 * (1 << 20 + step))
    }

    @Test("a sequential reader finds the next block on its way, all through the file")
    func ahead() async throws {
        let sample = Sample(size: 40 * mebibyte, seed: 42)
        let fixture = try Fixture([sample], memory: 16 << 20)
        let session = ReadSession()
        #expect(try await fixture.reader.readThrough(sample, session, 0..<block))
        for index in 1..<10 {
            let start = Int64(index) * block
            let isWanted = await eventually {
                fixture.store.requests.contains { $0.contains(start) }
            }
            #expect(isWanted, "block \(index) was not fetched ahead")
            #expect(try await fixture.reader.readThrough(sample, session, start..<start + block))
        }
    }

    @Test("head and tail read in turns are both fetched ahead")
    func headAndTail() async throws {
        let sample = Sample(size: 40 * mebibyte, seed: 43)
        let fixture = try Fixture([sample])
        let session = ReadSession()
        let tail = Int64(24 * mebibyte)
        for number in 0..<8 {
            for base in [0, tail] {
                let range = base + Int64(number) * step..<base + Int64(number + 1) * step
                #expect(try await fixture.reader.read(sample, range, session) == sample[range])
            }
        }
        for start in [block, tail + block] {
            #expect(
                await eventually { fixture.store.requests.contains { $0.contains(start) } })
        }
    }

    // MARK: Memory

    @Test("memory and requests stay within their limits with many readers, and all get their bytes")
    func budget() async throws {
        let samples = (0..<6).map { Sample(size: 12 * mebibyte, seed: UInt64(50 + $0)) }
        let limit: Int64 = 12 << 20
        let fixture = try Fixture(samples, memory: limit, requests: 5)
        let mostBytes = Mutex(Int64(0))
        let watch = Task {
            try? await waitWhile {
                let bytes = fixture.reader.bytesInMemory
                mostBytes.withLock { $0 = max($0, bytes) }
                return true
            }
        }
        await withTaskGroup(of: Bool.self) { group in
            for sample in samples {
                group.addTask {
                    (try? await fixture.reader.readThrough(sample, ReadSession())) ?? false
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        watch.cancel()
        #expect(mostBytes.withLock { $0 } <= limit)
        #expect(fixture.store.mostRunning <= 5)
    }

    @Test("many cold heads at once do not exceed the memory")
    func manyHeads() async throws {
        let samples = (0..<30).map { Sample(size: 5 * mebibyte, seed: UInt64(60 + $0)) }
        let fixture = try Fixture(samples, memory: 8 << 20, requests: 16)
        fixture.store.gate.open(to: 0)
        await withTaskGroup(of: Bool.self) { group in
            for sample in samples {
                group.addTask {
                    (try? await fixture.reader.read(sample, 0..<step, ReadSession()))
                        == sample[0..<step]
                }
            }
            #expect(await eventually { fixture.store.runningCount == 7 })
            #expect(fixture.reader.bytesInMemory <= 8 << 20)
            fixture.store.gate.open(to: .max)
            for await isRight in group { #expect(isRight) }
        }
    }
}
