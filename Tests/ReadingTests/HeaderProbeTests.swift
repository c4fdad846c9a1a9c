// Files of which only the beginnings are read.

import Core
import RemoteStore
import Testing

@testable import FileSystem

@Suite struct HeaderProbeTests {
    private let folder = InodeID(5)

    @Test("three header probes in a row make the next one expected, a whole read takes that back")
    func habit() {
        let headerProbes = HeaderProbes()
        for _ in 0..<3 {
            #expect(!headerProbes.isProbed(folder))
            headerProbes.noteClosed(in: folder, read: 16 << 10, of: 3 << 20)
        }
        #expect(headerProbes.isProbed(folder))
        #expect(!headerProbes.isProbed(InodeID(6)))
        // Says nothing: a small file, and one that the kernel had in memory.
        headerProbes.noteClosed(in: folder, read: 4096, of: 4096)
        headerProbes.noteClosed(in: folder, read: 0, of: 3 << 20)
        #expect(headerProbes.isProbed(folder))
        headerProbes.noteClosed(in: folder, read: 3 << 20, of: 3 << 20)
        #expect(!headerProbes.isProbed(folder))
    }

    @Test("the memory of folders is bounded")
    func memory() {
        let headerProbes = HeaderProbes()
        for _ in 0..<3 { headerProbes.noteClosed(in: folder, read: 1, of: 3 << 20) }
        for number: UInt64 in 100..<200 {
            headerProbes.noteClosed(in: InodeID(number), read: 1, of: 3 << 20)
        }
        #expect(!headerProbes.isProbed(folder))
    }

    @Test("a probe fetches little, and later reads are right", arguments: [3 << 20, 9 << 20])
    func little(size: Int) async throws {
        let sample = Sample(size: size, seed: 12)
        let fixture = try Fixture([sample])
        let session = ReadSession(isHeaderProbe: true)
        let head = try await fixture.reader.bytes(
            of: sample.content, range: 0..<16384, session: session)
        #expect(head == sample[0..<16384])
        #expect(fixture.store.requestedBytes == 128 << 10)
        #expect(session.furthest == 16384)
        let size = sample.content.size
        for offset: Int64 in stride(from: 16384, to: size, by: 128 << 10) {
            let range = offset..<min(offset + 128 << 10, size)
            let bytes = try await fixture.reader.bytes(
                of: sample.content, range: range, session: session)
            #expect(bytes == sample[range])
        }
        #expect(fixture.store.requestedBytes == size, "and nothing twice")
    }

    @Test("parts that are wrong are noticed when all of a small file has passed by")
    func damaged() async throws {
        let sample = Sample(size: 3 << 20, seed: 12)
        let fixture = try Fixture([sample])
        fixture.store.onRequest { number, _ in number == 0 ? .flip(5000) : nil }
        let session = ReadSession(isHeaderProbe: true)
        _ = try await fixture.reader.bytes(of: sample.content, range: 0..<16384, session: session)
        await #expect(throws: RemoteError.self) {
            for offset: Int64 in stride(from: 0, to: 3 << 20, by: 128 << 10) {
                _ = try await fixture.reader.bytes(
                    of: sample.content, range: offset..<offset + 128 << 10, session: session)
            }
        }
        let again = try await fixture.reader.bytes(
            of: sample.content, range: 0..<sample.content.size, session: ReadSession())
        let wrong = zip(again, sample.bytes).enumerated().first { $0.element.0 != $0.element.1 }?
            .offset
        #expect(wrong == nil, "\(fixture.store.requests)")
    }
}
