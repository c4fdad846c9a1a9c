// Uploaded content whose process was killed between the commit's record and the adoption by the
// cache.

import BlockCache
import ContentHashing
import Core
import Foundation
import Glibc
import Logging
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import Synchronization
import TestSupport
import Testing

@testable import Sync

@Suite struct LeftoverContentTests {
    /// Uploads a file for each text, named by its index, and leaves their staging files, as a
    /// process that is killed.
    private func leave(_ texts: [String]) async throws -> Harness {
        let harness = try Harness(removalDelay: 3600)
        for (index, text) in texts.enumerated() {
            try await harness.write("/\(index)", text)
        }
        try await harness.settle()
        await harness.stop()
        return harness
    }

    /// The local parts of the next process.
    private struct Next {
        let staging: StagingArea
        let engine: SyncEngine

        init(after harness: Harness, cache: any ContentCaching) throws {
            staging = try StagingArea(
                directory: harness.staging.directory, store: harness.store, removalDelay: 3600)
            engine = SyncEngine(
                configuration: .init(host: "here"), store: harness.store, staging: staging,
                remote: harness.remote, cache: cache, openFiles: harness.openFiles,
                observer: Harness.Observer(), clock: harness.clock,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }

        /// The names in the folder of staging files, once all unneeded ones are gone.
        func files() throws -> [String] {
            staging.removeUnneeded()
            return try FileManager.default.contentsOfDirectory(atPath: staging.directory)
        }
    }

    private func cache(_ harness: Harness, limit: Int64 = 1 << 30) throws -> DiskBlockCache {
        try DiskBlockCache(directory: harness.folder + "/cache", limit: limit)
    }

    private func has(_ text: String, _ cache: DiskBlockCache) -> Bool {
        let bytes = Array(text.utf8)
        let size = Int64(bytes.count)
        return cache.cachedBytes(of: ContentHasher.hash(bytes), size: size, range: 0..<size)
            == bytes
    }

    @Test("the cache has uploaded content when the next start ends, and nothing is downloaded")
    func adopted() async throws {
        // Two contents have one size.
        let texts = ["first", "other", "a longer text", String(repeating: "x", count: 5 << 20)]
        let harness = try await leave(texts)
        let cache = try cache(harness)
        let next = try Next(after: harness, cache: cache)
        #expect(next.staging.leftovers.count == texts.count)
        try await next.engine.start()
        for text in texts { #expect(has(text, cache)) }
        await next.engine.stop()
        #expect(try next.files().isEmpty)
        #expect(!harness.faulty.calls.contains { $0.operation == .download })
        // The start after that finds nothing.
        let last = try Next(after: harness, cache: NoContentCache())
        #expect(last.staging.leftovers.isEmpty && last.staging.found.isEmpty)
    }

    @Test("content that others have replaced is not adopted, nor that of a deleted file")
    func outdated() async throws {
        let harness = try await leave(["content 1", "content 2", "content 3"])
        try await harness.put("/0", "content 4")
        try await harness.remove("/1")
        try await harness.settle()
        await harness.stop()
        let cache = try cache(harness)
        let next = try Next(after: harness, cache: cache)
        #expect(next.staging.leftovers.count == 3)
        try await next.engine.start()
        await next.engine.stop()
        #expect(!has("content 1", cache) && !has("content 2", cache))
        #expect(has("content 3", cache))
        #expect(try next.files().isEmpty)
    }

    @Test("what takes long is adopted after the start")
    func later() async throws {
        let harness = try await leave(["content 1", "content 2", "content 3"])
        let cache = try cache(harness)
        func adopted() -> [Int] { (1...3).filter { has("content \($0)", cache) } }
        let limits = [(files: 1, bytes: Int64(1000)), (files: 9, bytes: 9)]
        for (index, limit) in limits.enumerated() {
            let next = try Next(after: harness, cache: cache)
            var leftovers = LeftoverContent(account: next.engine.account)
            leftovers.first = limit
            let rest = await leftovers.adoptFirst()
            #expect(rest.count == 2 - index)
            #expect(adopted() == Array(1...(index + 1)))
            // A process that is killed here leaves the others.
        }
        let next = try Next(after: harness, cache: cache)
        var leftovers = LeftoverContent(account: next.engine.account)
        leftovers.first = (files: 0, bytes: 0)
        let rest = await leftovers.adoptFirst()
        #expect(rest.count == 1 && adopted() == [1, 2])
        await leftovers.adopt(rest)
        #expect(adopted() == [1, 2, 3])
        #expect(try next.files().isEmpty)
    }

    @Test("pinned content stays in a full cache, although the pins are restored later")
    func pinned() async throws {
        let harness = try await leave(["content 1", "content 2"])
        let inode = try #require(try await harness.inode("/0"))
        try await harness.store.write { try $0.setPin(true, of: inode) }
        let cache = try cache(harness, limit: 0)
        let next = try Next(after: harness, cache: cache)
        try await next.engine.start()
        await next.engine.stop()
        #expect(has("content 1", cache) && !has("content 2", cache))
        #expect(try next.files().isEmpty)
    }

    /// A cache that reads a file until it is cancelled.
    private final class SlowCache: ContentCaching {
        let hasBegun = Mutex(false)

        func cachedBytes(of hash: ContentHash, size: Int64, range: Range<Int64>) -> [UInt8]? { nil }
        func adopt(path: String, content: FileVersion) {}
        func pin(_ hash: ContentHash, _ isPinned: Bool) {}

        func adopt(
            path: String, size: Int64, anyOf: Set<ContentHash>, isCancelled: () -> Bool
        ) {
            hasBegun.withLock { $0 = true }
            while !isCancelled() { sched_yield() }
        }
    }

    @Test("a shutdown ends an adoption, whose files the next start finds again")
    func cancelled() async throws {
        let harness = try await leave(["content 1", "content 2"])
        let cache = SlowCache()
        let next = try Next(after: harness, cache: cache)
        var leftovers = LeftoverContent(account: next.engine.account)
        leftovers.first = (files: 0, bytes: 0)
        let rest = await leftovers.adoptFirst()
        let task = Task { [leftovers] in await leftovers.adopt(rest) }
        try await waitWhile { !cache.hasBegun.withLock { $0 } }
        task.cancel()
        await task.value
        #expect(try next.files().count == 2)
        let last = try Next(after: harness, cache: NoContentCache())
        #expect(last.staging.leftovers.count == 2 && last.staging.found.isEmpty)
    }
}
