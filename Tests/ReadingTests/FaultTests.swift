// A cloud that cuts, damages, refuses and lies: right bytes or an error, never wrong bytes, never
// short.

import BlockCache
@testable import FileSystem
import Core
import Logging
import RemoteStore
import Synchronization
import TestSupport
import Testing

private let block: Int64 = 4 << 20
private let step: Int64 = 128 << 10
private let mebibyte = 1 << 20

@Suite("Reading from a broken cloud", .timeLimit(.minutes(3)))
struct FaultTests {
    @Test(
        "a cut body is resumed where it was cut",
        arguments: [RemoteError.malformed("cut"), .offline("reset"), .timedOut])
    func cut(error: RemoteError) async throws {
        let sample = Sample(size: 9 * mebibyte, seed: 1)
        let fixture = try Fixture([sample])
        fixture.store.onRequest { number, _ in
            number == 0 ? .cut(after: 200_000, error) : nil
        }
        #expect(try await fixture.reader.readThrough(sample, ReadSession()))
        let first = fixture.store.requests[0]
        #expect(fixture.store.requests.contains { $0 == 200_000..<first.upperBound })
    }

    @Test("a body that ends early in silence is not taken for the whole")
    func silentEnd() async throws {
        for size in [2 * mebibyte, 9 * mebibyte] {
            let sample = Sample(size: size, seed: 2)
            let fixture = try Fixture([sample])
            fixture.store.onRequest { number, _ in number < 2 ? .endEarly(after: 65537) : nil }
            #expect(try await fixture.reader.readThrough(sample, ReadSession()))
        }
    }

    @Test("more bytes than asked for are an error of that try")
    func excess() async throws {
        let sample = Sample(size: 2 * mebibyte, seed: 3)
        let fixture = try Fixture([sample])
        fixture.store.onRequest { number, _ in number == 0 ? .excess : nil }
        #expect(try await fixture.reader.readThrough(sample, ReadSession()))
    }

    @Test("damage in a file of one block is noticed before a reader gets it, and fetched again")
    func damagedSmall() async throws {
        let sample = Sample(size: 3 * mebibyte, seed: 4)
        let fixture = try Fixture([sample])
        fixture.store.onRequest { number, _ in number < 2 ? .flip(77_777) : nil }
        #expect(try await fixture.reader.readThrough(sample, ReadSession()))
        #expect(fixture.store.requests.count == 3)
    }

    @Test("a file whose bytes are always wrong is an error, after a few tries, and is not kept")
    func alwaysWrong() async throws {
        let sample = Sample(size: 3 * mebibyte, seed: 5)
        let fixture = try Fixture([sample])
        fixture.store.onRequest { _, _ in .flip(5) }
        await #expect(throws: RemoteError.self) {
            try await fixture.reader.read(sample, 0..<step, ReadSession())
        }
        #expect((2...8).contains(fixture.store.requests.count))
        #expect(fixture.reader.cachedBytes(of: sample.content, range: 0..<step) == nil)
        fixture.store.onRequest { _, _ in nil }
        #expect(try await fixture.reader.readThrough(sample, ReadSession()))
    }

    @Test(
        "damage in a large file reaches its reader as an error before the end, and the next handle gets the file",
        arguments: [0, 1, 2, 4], [false, true])
    func damagedLarge(blockIndex: Int64, readsTailFirst: Bool) async throws {
        let sample = Sample(size: 18 * mebibyte, seed: 6)
        let fixture = try Fixture([sample])
        let place = blockIndex * block + 70_000
        fixture.store.onRequest { number, range in
            range.contains(place) ? .flip(Int(place - range.lowerBound)) : nil
        }
        let session = ReadSession()
        let size = sample.content.size
        var isComplete = true
        do throws(RemoteError) {
            var position: Int64 = 0
            if readsTailFirst {
                _ = try await fixture.reader.read(sample, size - 2 * mebibyte64..<size, session)
            }
            while position < size {
                let part = position..<min(position + step, size)
                let bytes = try await fixture.reader.read(sample, part, session)
                #expect(bytes.count == part.count)
                position = part.upperBound
            }
        } catch {
            isComplete = false
        }
        #expect(!isComplete)
        fixture.store.onRequest { _, _ in nil }
        #expect(try await fixture.reader.readThrough(sample, ReadSession()))
    }

    private let mebibyte64: Int64 = 1 << 20

    @Test("a handle that has seen wrong bytes gets errors, also when the file is right again")
    func mismatchedHandle() async throws {
        let sample = Sample(size: 9 * mebibyte, seed: 7)
        let fixture = try Fixture([sample])
        fixture.store.onRequest { _, range in range.contains(70_000) ? .flip(70_000) : nil }
        let seen = ReadSession()
        _ = try await fixture.reader.read(sample, 0..<step, seen)
        await #expect(throws: RemoteError.self) {
            try await fixture.reader.bytes(
                of: sample.content, range: 0..<sample.content.size, session: ReadSession())
        }
        fixture.store.onRequest { _, _ in nil }
        await #expect(throws: RemoteError.self) {
            try await fixture.reader.bytes(
                of: sample.content, range: step..<2 * step, session: seen)
        }
        #expect(try await fixture.reader.readThrough(sample, ReadSession()))
    }

    @Test("the filesystem learns of wrong bytes, because the kernel may have pages of them")
    func told() async throws {
        let sample = Sample(size: 9 * mebibyte, seed: 8)
        let fixture = try Fixture([sample])
        let mismatches = Mutex<[FileVersion]>([])
        let reader = ContentReader(
            remote: fixture.store, cache: fixture.cache, log: Logger(label: "test")
        ) { content in
            mismatches.withLock { $0.append(content) }
        }
        fixture.store.onRequest { _, range in range.contains(70_000) ? .flip(70_000) : nil }
        await #expect(throws: RemoteError.self) {
            try await reader.bytes(
                of: sample.content, range: 0..<sample.content.size, session: ReadSession())
        }
        #expect(mismatches.withLock { $0.first } == sample.content)
    }

    @Test(
        "a call that fails before its first byte is passed on, and not repeated",
        arguments: [
            RemoteError.offline("no route"), .notFound, .unauthorized("revoked"), .timedOut,
        ])
    func refused(error: RemoteError) async throws {
        let sample = Sample(size: 9 * mebibyte, seed: 8)
        let fixture = try Fixture([sample])
        fixture.store.onRequest { _, _ in .refuse(error) }
        await #expect(throws: error) {
            try await fixture.reader.read(sample, 0..<step, ReadSession())
        }
        #expect(fixture.store.requests.count == 1)
        fixture.store.onRequest { _, _ in nil }
        #expect(try await fixture.reader.readThrough(sample, ReadSession()))
    }

    @Test("a server error is tried again a few times, then passed on")
    func serverError() async throws {
        let sample = Sample(size: 9 * mebibyte, seed: 9)
        let fixture = try Fixture([sample])
        fixture.store.onRequest { _, _ in .refuse(.server("500")) }
        await #expect(throws: RemoteError.server("500")) {
            try await fixture.reader.read(sample, 0..<step, ReadSession())
        }
        #expect((2...8).contains(fixture.store.requests.count))
    }

    @Test("random reads through random faults are right, or errors", arguments: 0..<4)
    func randomFaults(seed: UInt64) async throws {
        let samples = [200_000, 3 * mebibyte, 11 * mebibyte].enumerated().map {
            Sample(size: $1, seed: 100 + 10 * seed + UInt64($0))
        }
        let fixture = try Fixture(samples, memory: 16 << 20, cacheSize: 8 << 20)
        fixture.store.onRequest { number, range in
            var generator = SeededRandom(seed: seed &* 1000 &+ UInt64(number))
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: return .refuse(.server("503"))
            case 1:
                return .cut(
                    after: Int.random(in: 0..<range.count, using: &generator), .offline("reset"))
            case 2: return .endEarly(after: Int.random(in: 0..<range.count, using: &generator))
            case 3: return .excess
            default: return nil
            }
        }
        let (right, wrong) = await withTaskGroup(of: (Int, Int).self) { group in
            for task in 0..<6 {
                group.addTask {
                    var generator = SeededRandom(seed: seed &* 77 &+ UInt64(task))
                    let sample = samples[task % samples.count]
                    let session = ReadSession()
                    var (right, wrong) = (0, 0)
                    for _ in 0..<30 {
                        let start = Int64.random(in: 0..<sample.content.size, using: &generator)
                        let end = min(
                            sample.content.size,
                            start + Int64.random(in: 1...400_000, using: &generator))
                        guard
                            let bytes = try? await fixture.reader.read(sample, start..<end, session)
                        else { continue }
                        if bytes == sample[start..<end] { right += 1 } else { wrong += 1 }
                    }
                    return (right, wrong)
                }
            }
            return await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
        }
        #expect(wrong == 0)
        #expect(right > 150)
        fixture.store.onRequest { _, _ in nil }
        for sample in samples {
            #expect(try await fixture.reader.readThrough(sample, ReadSession()))
        }
    }
}
