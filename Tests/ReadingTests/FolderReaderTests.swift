// Folders that are fetched as a whole: the files that come, their verification, and the results for
// waiting readers.

import BlockCache
import ContentHashing
import Core
import Foundation
import Logging
import MetadataStore
import RemoteStore
import RemoteStoreTesting
@testable import Sync
import Synchronization
import TestSupport
import Testing

@testable import FileSystem

/// Folders by their inodes, in the order in which they were fetched.
final class FetchedFolders: Sendable {
    private let folders = Mutex<[InodeID]>([])

    var all: [InodeID] { folders.withLock { $0 } }

    func note(_ folder: InodeID) { folders.withLock { $0.append(folder) } }
}

@Suite struct FolderReaderTests {
    /// An account with one folder of small files, known to the mount.
    private final class Account: Sendable {
        let server = InMemoryStore()
        let faulty: FaultInjectingStore
        let store: MetadataStore
        let cache: DiskBlockCache
        let reader: FolderReader
        /// The folders that were told as fetched.
        let fetched = FetchedFolders()
        private let folder = NSTemporaryDirectory() + "dbxfs-folders-" + UUID().uuidString

        init(cacheSize: Int64 = 1 << 30, progressTimeout: Duration = .seconds(60)) throws {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            faulty = FaultInjectingStore(server)
            store = try MetadataStore(path: folder + "/tree.sqlite")
            cache = try DiskBlockCache(directory: folder + "/cache", limit: cacheSize)
            var log = Logger(label: "test")
            log.logLevel = .critical
            reader = FolderReader(
                store: store, cache: cache, remote: faulty, log: log,
                progressTimeout: progressTimeout,
                noteFetched: { [fetched] in fetched.note($0) })
        }

        deinit {
            try? FileManager.default.removeItem(atPath: folder)
        }

        /// Puts a file there and into the tree; returns its node.
        func put(_ name: String, _ bytes: [UInt8], in parent: InodeID) async throws -> InodeID {
            let entry = try await server.upload(
                MemorySource(bytes),
                commit: RemoteCommit(
                    path: RemotePath(rawValue: "/folder/" + name),
                    expectation: .absent(strict: false), clientModified: WallTime(seconds: 1),
                    hash: nil))
            guard case .file(let file) = entry.kind else { throw CancellationError() }
            return try await store.write { transaction in
                let place = Place(parent: parent, name: try FileName(name))
                let inode = try transaction.insert(.file, at: place, local: LocalFacts())
                var facts = RemoteFacts()
                facts.id = file.id
                facts.revision = file.revision
                facts.hash = file.hash
                facts.size = file.size
                try transaction.setFacts(facts, of: inode)
                try transaction.setRemotePlace(inode, place)
                return inode
            }
        }

        func makeFolder() async throws -> InodeID {
            try await store.write { transaction in
                let place = Place(parent: .root, name: try FileName("folder"))
                let inode = try transaction.insert(.folder, at: place, local: LocalFacts())
                try transaction.setRemotePlace(inode, place)
                return inode
            }
        }

        func content(of inode: InodeID) async throws -> FileVersion {
            let node = try await store.read { try $0.node(inode) }
            return try #require(node.flatMap { FileVersion(of: $0) })
        }

        func prepare(_ inode: InodeID) async throws {
            await reader.prepare(try await content(of: inode), of: inode)
        }

        func isHere(_ inode: InodeID) async throws -> Bool {
            let content = try await content(of: inode)
            return cache.contains(content.hash, size: content.size, range: 0..<content.size)
        }

        var archives: Int { faulty.calls.count { $0.operation == .download } }
    }

    private func files(_ count: Int, _ account: Account) async throws -> [InodeID] {
        let folder = try await account.makeFolder()
        var files: [InodeID] = []
        for number in 0..<count {
            let bytes = Array("file \(number)".utf8)
            files.append(try await account.put("\(number)", bytes, in: folder))
        }
        return files
    }

    @Test("with the third file, all of them come, in one request")
    func walk() async throws {
        let account = try Account()
        let files = try await files(20, account)
        try await account.prepare(files[0])
        try await account.prepare(files[1])
        #expect(account.archives == 0)
        try await account.prepare(files[2])
        #expect(try await account.isHere(files[2]))
        for file in files.dropFirst(3) { try await account.prepare(file) }
        for file in files { #expect(try await account.isHere(file)) }
        #expect(account.archives == 1)
        let folder = try await account.store.read { try $0.node(files[0])?.place?.parent }
        #expect(await eventually { account.fetched.all == [folder].compactMap(\.self) })
    }

    @Test("all who want a file of the folder wait for the one archive")
    func together() async throws {
        let account = try Account()
        let files = try await files(20, account)
        account.faulty.inject(.stall) { $0.operation == .download }
        await withThrowingTaskGroup(of: Void.self) { group in
            for file in files { group.addTask { try await account.prepare(file) } }
            while account.faulty.stalledCount == 0 { await Task.yield() }
            account.faulty.releaseStalled()
        }
        #expect(account.archives == 1)
    }

    @Test("a file that has changed on the server since is not taken for what it was")
    func changed() async throws {
        let account = try Account()
        let files = try await files(10, account)
        _ = try await account.server.delete("/folder/5", revision: nil)
        for file in files { try await account.prepare(file) }
        #expect(try await !account.isHere(files[5]))
        #expect(try await account.isHere(files[6]))
    }

    @Test("a waiting reader goes on when the archive fails, and it is not requested again at once")
    func failure() async throws {
        let account = try Account()
        let files = try await files(10, account)
        account.faulty.inject(.failBefore(.server("test")), times: nil) {
            $0.operation == .download
        }
        for file in files { try await account.prepare(file) }
        #expect(account.archives == 1)
        for file in files { #expect(try await !account.isHere(file)) }
        #expect(account.fetched.all.isEmpty)
    }

    @Test("what the cache does not keep is not fetched again for every file")
    func notKept() async throws {
        let account = try Account()
        let files = try await files(10, account)
        for file in files {
            try await account.prepare(file)
            _ = account.cache.clear()
        }
        #expect(account.archives == 1)
    }

    @Test("an archive that does not come is not waited for, nor another one soon")
    func slow() async throws {
        let account = try Account(progressTimeout: .milliseconds(50))
        let files = try await files(10, account)
        account.faulty.inject(.stall) { $0.operation == .download }
        for file in files { try await account.prepare(file) }
        // The readers' timeout may be over before the request has begun.
        try await waitWhile { account.faulty.stalledCount == 0 }
        #expect(account.archives == 1)
        account.faulty.releaseStalled()
        // Late, and kept.
        try await waitWhile { try await !account.isHere(files[9]) }
    }

    @Test("an interrupted reader leaves at once")
    func cancelled() async throws {
        let account = try Account()
        let files = try await files(10, account)
        try await account.prepare(files[0])
        try await account.prepare(files[1])
        account.faulty.inject(.stall) { $0.operation == .download }
        let waiting = Task { try await account.prepare(files[2]) }
        while account.faulty.stalledCount == 0 { await Task.yield() }
        waiting.cancel()
        _ = try? await waiting.value
        account.faulty.releaseStalled()
    }

    @Test("a folder of much more than was read is not fetched as a whole")
    func large() async throws {
        let account = try Account()
        let folder = try await account.makeFolder()
        var files: [InodeID] = []
        for number: UInt8 in 0..<6 {
            let bytes = [UInt8](repeating: number, count: 1 << 20)
            files.append(try await account.put("\(number)", bytes, in: folder))
        }
        let big = [UInt8](repeating: 9, count: 3 << 20)
        for number in 6..<12 {
            _ = try await account.put("\(number)", big + [UInt8(number)], in: folder)
        }
        for file in files.prefix(4) { try await account.prepare(file) }
        #expect(account.archives == 0, "24 MiB, of which 4 were read")
        for file in files { try await account.prepare(file) }
        #expect(account.archives == 1)
    }

    @Test("what would fill the cache is not fetched")
    func smallCache() async throws {
        let account = try Account(cacheSize: 300)
        for file in try await files(20, account) { try await account.prepare(file) }
        #expect(account.archives == 0)
    }

    @Test("a folder of which most is here is not fetched again")
    func mostlyHere() async throws {
        let account = try Account()
        let files = try await files(20, account)
        for file in files.prefix(15) {
            let content = try await account.content(of: file)
            let bytes =
                try await account.server.download(content.revision, range: 0..<content.size)
                .next() ?? []
            _ = account.cache.insert(block: 0, of: content.hash, size: content.size, bytes: bytes)
        }
        for file in files.suffix(5) { try await account.prepare(file) }
        #expect(account.archives == 0)
    }

    @Test("a pinned folder of small files comes as a whole, without files that are not pinned")
    func pins() async throws {
        let account = try Account()
        let files = try await files(40, account)
        let pinned = files.dropFirst(10)
        let cache = account.cache
        var log = Logger(label: "test")
        log.logLevel = .critical
        let pinner = Pinner(
            store: account.store, cache: cache,
            reader: ContentReader(remote: account.faulty, cache: cache, log: log),
            folders: FolderReader(
                store: account.store, cache: cache, remote: account.faulty, log: log,
                progressTimeout: .seconds(60), isWanted: { cache.isPinned($0) }),
            sync: {
                var status = SyncStatus()
                status.connection = .online
                return status
            }, log: log)
        // A few by themselves, until it shows; then the archive, for which more of them wait here.
        let isArchive: @Sendable (RemoteCall) -> Bool = {
            $0.operation == .download && $0.subject.hasPrefix("/")
        }
        account.faulty.inject(.stall, times: nil) {
            $0.operation == .download && !isArchive($0) && $0.number > 3
        }
        let running = Task { await pinner.run() }
        try await pinner.setPins(true, of: Array(pinned))
        #expect(await eventually { account.faulty.calls.contains(where: isArchive) })
        account.faulty.removeFaults()
        #expect(
            await eventually {
                account.faulty.releaseStalled()
                let totals = pinner.summary.totals
                return totals.files == pinned.count && totals.missingFiles == 0
            })
        for (number, file) in files.enumerated() {
            let isHere = try await account.isHere(file)
            #expect(isHere == (number >= 10))
        }
        #expect(account.archives < 10)
        running.cancel()
        await running.value
    }
}
