// Pins at work: a tree, a cache and a cloud, and the times of the fetches.

import BlockCache
import ContentHashing
import Core
@testable import FileSystem
import Foundation
import Logging
import MetadataStore
import RemoteStore
@testable import Sync
import Synchronization
import Testing

private let mebibyte = 1 << 20

@Suite("Pins", .timeLimit(.minutes(3)))
struct PinnerTests {
    /// A tree over the fake cloud; the pinner runs until it is stopped.
    private final class Bed: Sendable {
        let fixture: Fixture
        let store: MetadataStore
        let pinner: Pinner
        private let task = Mutex<Task<Void, Never>?>(nil)

        init(_ fixture: Fixture, path: String? = nil) throws {
            self.fixture = fixture
            store = try MetadataStore(path: path ?? fixture.folder + "/tree.sqlite")
            let connection = Connection()
            self.connection = connection
            pinner = Pinner(
                store: store, cache: fixture.cache, reader: fixture.reader,
                sync: { connection.status.withLock { $0 } },
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }

        final class Connection: Sendable {
            let status = Mutex(SyncStatus())
            init() { status.withLock { $0.connection = .online } }
        }

        let connection: Connection

        func start() {
            task.withLock { $0 = Task { [pinner] in await pinner.run() } }
        }

        func stop() async {
            let running = task.withLock { $0 }
            running?.cancel()
            await running?.value
        }

        @discardableResult
        func add(_ text: String, _ sample: Sample, in parent: InodeID = .root) throws -> InodeID {
            let facts = RemoteFacts(
                id: FileID("id:" + text), revision: sample.content.revision,
                size: sample.content.size, hash: sample.content.hash)
            let place = Place(parent: parent, name: try FileName(text))
            return try store.write { try $0.insertRemote(.file, at: place, facts: facts) }
        }

        func addFolder(_ text: String) throws -> InodeID {
            let place = Place(parent: .root, name: try FileName(text))
            return try store.write {
                try $0.insertRemote(.folder, at: place, facts: RemoteFacts())
            }
        }

        func isHere(_ sample: Sample) -> Bool {
            fixture.cache.contains(
                sample.content.hash, size: sample.content.size, range: 0..<sample.content.size)
        }

        /// Whether everything pinned is here soon.
        func isComplete(files: Int) async -> Bool {
            await eventually {
                pinner.summary.totals.files == files && pinner.summary.totals.missingFiles == 0
            }
        }
    }

    @Test("a pinned folder is fetched, each byte once, a few requests at a time, and stays")
    func fetching() async throws {
        let samples = (0..<12).map { Sample(size: 300_000 + $0, seed: UInt64($0)) }
        let large = Sample(size: 9 * mebibyte + 5, seed: 100)
        let bed = try Bed(Fixture(samples + [large], cacheSize: Int64(2 * mebibyte)))
        let folder = try bed.addFolder("folder")
        for (number, sample) in samples.enumerated() {
            try bed.add("\(number)", sample, in: folder)
        }
        try bed.add("large", large, in: folder)
        bed.start()
        try await bed.pinner.setPins(true, of: [folder])
        #expect(await bed.isComplete(files: 13))
        #expect((samples + [large]).allSatisfy { bed.isHere($0) })
        let wanted = (samples + [large]).reduce(0) { $0 + $1.content.size }
        #expect(bed.fixture.store.requestedBytes == wanted)
        #expect(bed.fixture.store.mostRunning <= FetchQueue.backgroundSlots)
        #expect(bed.pinner.summary.exceedsCache)
        #expect(try bed.pinner.totals(below: [folder]).presentBytes == wanted)
        await bed.stop()
    }

    @Test("later additions and changes come too, and earlier versions are given up")
    func later() async throws {
        let samples = (0..<3).map { Sample(size: 100_000, seed: UInt64($0)) }
        let bed = try Bed(Fixture(samples))
        let folder = try bed.addFolder("folder")
        let file = try bed.add("a", samples[0], in: folder)
        bed.start()
        try await bed.pinner.setPins(true, of: [folder])
        #expect(await bed.isComplete(files: 1))
        try bed.add("b", samples[1], in: folder)
        #expect(await bed.isComplete(files: 2))
        try await bed.store.write { transaction in
            let facts = RemoteFacts(
                id: FileID("id:a"), revision: samples[2].content.revision,
                size: samples[2].content.size, hash: samples[2].content.hash)
            try transaction.setFacts(facts, of: file)
        }
        #expect(await eventually { bed.isHere(samples[2]) })
        #expect(await bed.isComplete(files: 2))
        _ = bed.fixture.cache.clear()
        #expect(bed.isHere(samples[1]) && bed.isHere(samples[2]) && !bed.isHere(samples[0]))
        try await bed.pinner.setPins(false, of: [folder])
        _ = bed.fixture.cache.clear()
        #expect(bed.fixture.cache.usedBytes == 0)
        await bed.stop()
    }

    @Test("after a restart without the network, pins hold before the cache is cut to its size")
    func restart() async throws {
        let samples = (0..<4).map { Sample(size: mebibyte, seed: UInt64($0)) }
        let fixture = try Fixture(samples, cacheSize: Int64(mebibyte / 2))
        do {
            let bed = try Bed(fixture)
            for (number, sample) in samples.enumerated() { try bed.add("\(number)", sample) }
            bed.start()
            try await bed.pinner.setPins(true, of: [.root])
            #expect(await bed.isComplete(files: 4))
            await bed.stop()
            try bed.store.close()
        }
        fixture.cache.pinOnly([])
        fixture.store.onRequest { _, _ in .refuse(.offline("no network")) }
        let bed = try Bed(fixture)
        bed.connection.status.withLock { $0.connection = .offline }
        bed.start()
        #expect(await bed.isComplete(files: 4))
        #expect(samples.allSatisfy { bed.isHere($0) })
        #expect(fixture.store.requests.count == 4)
        await bed.stop()
    }

    @Test("offline nothing is asked for, and all comes when the network is back")
    func offline() async throws {
        let sample = Sample(size: 100_000, seed: 1)
        let bed = try Bed(Fixture([sample]))
        try bed.add("a", sample)
        bed.connection.status.withLock { $0.connection = .offline }
        bed.start()
        try await bed.pinner.setPins(true, of: [.root])
        #expect(bed.pinner.summary.totals.missingFiles == 1)
        #expect(bed.fixture.store.requests.isEmpty)
        bed.connection.status.withLock { $0.connection = .online }
        #expect(await bed.isComplete(files: 1))
        await bed.stop()
    }

    @Test("in a pause nothing is asked for, and all comes after it")
    func pause() async throws {
        let sample = Sample(size: 100_000, seed: 1)
        let bed = try Bed(Fixture([sample]))
        try bed.add("a", sample)
        bed.connection.status.withLock { $0.isPaused = true }
        bed.start()
        try await bed.pinner.setPins(true, of: [.root])
        #expect(await eventually { bed.pinner.summary.totals.missingFiles == 1 })
        #expect(bed.fixture.store.requests.isEmpty)
        bed.connection.status.withLock { $0.isPaused = false }
        // As the end of a pause does: no timer looks for it.
        bed.pinner.checkAgain()
        #expect(await bed.isComplete(files: 1))
        await bed.stop()
    }

    @Test("a failure is tried again")
    func failures() async throws {
        let sample = Sample(size: 100_000, seed: 1)
        let bed = try Bed(Fixture([sample]))
        try bed.add("a", sample)
        bed.fixture.store.onRequest { number, _ in
            number == 0 ? .refuse(.timedOut) : nil
        }
        bed.start()
        try await bed.pinner.setPins(true, of: [.root])
        #expect(await bed.isComplete(files: 1))
        #expect(bed.fixture.store.requests.count == 2)
        await bed.stop()
    }

    @Test("pinned content that was dropped is fetched again")
    func checkAgain() async throws {
        let sample = Sample(size: 5 * mebibyte, seed: 1)
        let bed = try Bed(Fixture([sample]))
        try bed.add("a", sample)
        bed.start()
        try await bed.pinner.setPins(true, of: [.root])
        #expect(await bed.isComplete(files: 1))
        _ = bed.fixture.cache.clear(includingPinned: true)
        #expect(!bed.isHere(sample))
        bed.pinner.checkAgain()
        #expect(await eventually { bed.isHere(sample) })
        await bed.stop()
    }

    @Test("pinned content comes again after the cache's folder was deleted, with no command")
    func deletedFolder() async throws {
        let (sample, other) = (
            Sample(size: 5 * mebibyte, seed: 1), Sample(size: 100_000, seed: 2)
        )
        let bed = try Bed(Fixture([sample, other]))
        let file = try bed.add("a", sample)
        bed.start()
        try await bed.pinner.setPins(true, of: [file])
        #expect(await bed.isComplete(files: 1))
        // The folder has the tree as well.
        for name in ["content", "lock"] {
            try FileManager.default.removeItem(atPath: bed.fixture.folder + "/" + name)
        }
        // A reader of something else has the folder made anew.
        _ = bed.fixture.cache.insert(
            block: 0, of: other.content.hash, size: other.content.size, bytes: other.bytes)
        #expect(await eventually { bed.isHere(sample) })
        await bed.stop()
    }

    @Test("a scan takes no content for present whose folder was deleted")
    func scanWithoutFolder() async throws {
        let samples = (0..<2).map { Sample(size: 100_000, seed: UInt64($0)) }
        let bed = try Bed(Fixture(samples))
        let files = [try bed.add("a", samples[0]), try bed.add("b", samples[1])]
        bed.start()
        try await bed.pinner.setPins(true, of: [files[0]])
        #expect(await bed.isComplete(files: 1))
        bed.connection.status.withLock { $0.connection = .offline }
        try FileManager.default.removeItem(atPath: bed.fixture.folder + "/content")
        try await bed.pinner.setPins(true, of: [files[1]])
        #expect(bed.pinner.summary.totals.missingFiles == 2)
        bed.connection.status.withLock { $0.connection = .online }
        #expect(await bed.isComplete(files: 2))
        #expect(samples.allSatisfy { bed.isHere($0) })
        await bed.stop()
    }

    @Test("pinned content of which a reader finds a part damaged is made whole again")
    func damaged() async throws {
        let sample = Sample(size: 5 * mebibyte, seed: 1)
        let bed = try Bed(Fixture([sample]))
        try bed.add("a", sample)
        bed.start()
        try await bed.pinner.setPins(true, of: [.root])
        #expect(await bed.isComplete(files: 1))
        let hex = sample.content.hash.hex
        var damaged = sample.bytes
        damaged[0] ^= 1
        try Data(damaged).write(
            to: URL(fileURLWithPath: "\(bed.fixture.folder)/content/\(hex.prefix(2))/\(hex)"))
        #expect(
            bed.fixture.cache.bytes(
                of: sample.content.hash, size: sample.content.size, range: 0..<65536) == nil)
        #expect(await eventually { bed.isHere(sample) })
        #expect(
            bed.fixture.cache.bytes(
                of: sample.content.hash, size: sample.content.size, range: 0..<65536)
                == sample[0..<65536])
        await bed.stop()
    }
}
