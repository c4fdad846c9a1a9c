// Blocks on the disk are read ahead from it, and damaged ones come from the network.

import BlockCache
import ContentHashing
@testable import FileSystem
import Core
import Glibc
import RemoteStore
import Synchronization
import Testing

private let mebibyte: Int64 = 1 << 20

@Suite("Reading ahead from the disk", .timeLimit(.minutes(3)))
struct LoadingTests {
    private func warmed(_ sample: Sample) async throws -> Fixture {
        let fixture = try Fixture([sample])
        #expect(try await fixture.reader.readThrough(sample, ReadSession()))
        return fixture
    }

    @Test("a stream finds its next blocks in memory, without a request")
    func ahead() async throws {
        let sample = Sample(size: 30 << 20, seed: 1)
        let fixture = try await warmed(sample)
        let requests = fixture.store.requests.count
        let reader = fixture.freshReader()
        let session = ReadSession()
        #expect(try await reader.read(sample, 0..<mebibyte, session) == sample[0..<mebibyte])
        #expect(await eventually { reader.bytesInMemory >= 4 * mebibyte })
        let rest = mebibyte..<sample.content.size
        #expect(try await reader.readThrough(sample, session, rest, step: mebibyte))
        #expect(fixture.store.requests.count == requests)
    }

    @Test("the read-ahead of a closed handle keeps no reader from the disk")
    func abandoned() async throws {
        let sample = Sample(size: 4 << 20, seed: 4)
        let fixture = try await warmed(sample)
        let reader = fixture.freshReader()
        let range = 0..<sample.content.size
        // As on a machine that is so busy that its turn never comes.
        let load = BlockFetch(
            id: -1, key: BlockKey(hash: sample.content.hash, index: 0), range: range,
            buffers: BlockBuffers(), isWithheld: false, isLocal: true)
        reader.fetcher.table.withLock { $0.register(load, sample.content) }
        var session: ReadSession? = ReadSession()
        session?.claim(load, for: 0)
        let isHere = reader.cachedBytes(of: sample.content, range: range) != nil
        #expect(!isHere)
        session = nil
        #expect(load.isAbandoned)
        let isRight = reader.cachedBytes(of: sample.content, range: range) == sample[range]
        #expect(isRight)
    }

    @Test("random reads load nothing ahead")
    func random() async throws {
        let sample = Sample(size: 30 << 20, seed: 2)
        let fixture = try await warmed(sample)
        let reader = fixture.freshReader()
        let session = ReadSession()
        for place in [20, 3, 11, 27, 8] as [Int64] {
            let range = place * mebibyte..<place * mebibyte + 4096
            #expect(try await reader.read(sample, range, session) == sample[range])
        }
        #expect(reader.bytesInMemory == 0)
    }

    @Test("memory that is in use by others is left to them")
    func noRoom() async throws {
        let sample = Sample(size: 30 << 20, seed: 3)
        let fixture = try Fixture([sample], memory: 2 << 20)
        for block in 0..<8 {
            try await fixture.reader.fetch(sample.content, block: block)
        }
        let requests = fixture.store.requests.count
        #expect(try await fixture.reader.readThrough(sample, ReadSession(), step: mebibyte))
        #expect(fixture.reader.bytesInMemory <= 4 << 20)
        #expect(fixture.store.requests.count == requests)
    }

    @Test("blocks with flipped bits on the disk are fetched again by the reader that finds them")
    func damaged() async throws {
        let sample = Sample(size: 30 << 20, seed: 4)
        let fixture = try await warmed(sample)
        let hex = sample.content.hash.hex
        let path = "\(fixture.folder)/content/\(hex.prefix(2))/\(hex)"
        for place in [5, 13, 22] as [Int64] { flip(path, at: place * mebibyte + 77) }
        let before = fixture.store.requestedBytes
        let reader = fixture.freshReader()
        #expect(try await reader.readThrough(sample, ReadSession(), step: mebibyte))
        let again = fixture.store.requestedBytes - before
        #expect(again >= 3 * 64 << 10 && again <= 12 << 20)
        #expect(try await fixture.freshReader().readThrough(sample, ReadSession(), step: mebibyte))
        #expect(fixture.store.requestedBytes - before == again)
    }

    @Test("many readers of partly cached content read the same bytes")
    func mixed() async throws {
        let sample = Sample(size: 37 << 20 + 5, seed: 5)
        let fixture = try Fixture([sample], memory: 24 << 20)
        for block in stride(from: 1, to: 9, by: 2) {
            try await fixture.reader.fetch(sample.content, block: block)
        }
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<6 {
                group.addTask {
                    let start = Int64(number) * 3 * mebibyte
                    let range = start..<sample.content.size
                    let right = try? await fixture.reader.readThrough(
                        sample, ReadSession(), range, step: mebibyte)
                    return right == true
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test("memory is given back without readers, and its blocks are read from the disk")
    func rest() async throws {
        let sample = Sample(size: 10 << 20, seed: 6)
        let fixture = try Fixture([sample], idleTime: .seconds(2))
        let session = ReadSession()
        for _ in 0..<2 {
            #expect(try await fixture.reader.readThrough(sample, session, step: mebibyte))
            #expect(await eventually { fixture.reader.bytesInMemory == 0 })
        }
        #expect(fixture.store.requestedBytes == sample.content.size)
    }

    private func flip(_ path: String, at offset: Int64) {
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        var byte: UInt8 = 0
        #expect(pread(descriptor, &byte, 1, off_t(offset)) == 1)
        byte ^= 4
        #expect(pwrite(descriptor, &byte, 1, off_t(offset)) == 1)
    }
}
