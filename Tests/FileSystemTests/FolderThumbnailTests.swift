// Thumbnails for folders that file managers open: requests, the files in the cache, and when there
// are none.

import Core
import Foundation
import Logging
import MetadataStore
import RemoteStore
import Synchronization
import Testing

@testable import FileSystem

@Suite struct FolderThumbnailTests {
    /// The cloud, which has a thumbnail of every revision unless a test says otherwise.
    private final class Cloud: RemoteThumbnailing {
        struct State {
            var requests: [[Revision]] = []
            var sizes: Set<RemoteThumbnail.Size> = []
            var outcomes: [Revision: RemoteOutcome<[UInt8]>] = [:]
            var failure: RemoteError?
            /// Runs while the next request is under way.
            var meanwhile: (@Sendable () throws -> Void)?
        }

        let state = Mutex(State())

        func thumbnails(
            of revisions: [Revision], size: RemoteThumbnail.Size
        ) async throws(RemoteError) -> [RemoteOutcome<[UInt8]>] {
            let (failure, outcomes, meanwhile) = state.withLock { state in
                state.requests.append(revisions)
                state.sizes.insert(size)
                defer { state.meanwhile = nil }
                return (state.failure, state.outcomes, state.meanwhile)
            }
            do { try meanwhile?() } catch { throw .server("\(error)") }
            if let failure { throw failure }
            return revisions.map { outcomes[$0] ?? .success(ThumbnailPictures.picture()) }
        }

        var counts: [Int] { state.withLock { $0.requests.map(\.count) } }
    }

    /// A mount at `/mnt/Dropbox`, its cache of thumbnails, and its cloud.
    private struct Bed {
        let fixture: Fixture
        let cloud = Cloud()
        let isOnline = Mutexed(true)
        let cache: String
        let thumbnails: FolderThumbnails

        init() throws {
            fixture = try Fixture()
            cache = fixture.folder + "/cache/thumbnails"
            let isOnline = isOnline
            thumbnails = FolderThumbnails(
                store: fixture.store, sync: fixture.sync, reader: fixture.content, remote: cloud,
                cache: ThumbnailCache(cache), mountpoint: "/mnt/Dropbox", userID: 1000,
                isOnline: { isOnline.value.withLock { $0 } },
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }

        func look(at folder: InodeID = .root, by program: String = "nautilus") async {
            thumbnails.noteVisit(at: folder, by: program)
            await thumbnails.waitUntilIdle()
        }

        /// Names and texts of all thumbnails of a size.
        func found(_ size: String = "large") throws -> [String: [String: String]] {
            let folder = cache + "/" + size
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return try Dictionary(
                uniqueKeysWithValues: names.map { name in
                    let bytes = try Data(contentsOf: URL(filePath: folder + "/" + name))
                    return (name, PNGImage.texts(inBeginning: [UInt8](bytes)))
                })
        }

        func addresses(_ size: String = "large") throws -> Set<String> {
            Set(try found(size).values.compactMap { $0["Thumb::URI"] })
        }
    }

    private final class Mutexed: Sendable {
        let value: Mutex<Bool>

        init(_ value: Bool) {
            self.value = Mutex(value)
        }
    }

    @Test(
        "a visit asks once, in batches, for uncached pictures, and writes files that desktops recognise"
    )
    func look() async throws {
        let bed = try Bed()
        let folder = try bed.fixture.remoteFolder("My photos")
        for number in 0..<60 {
            try bed.fixture.remoteFile(
                "\(number).jpg", in: folder, [UInt8(number)], isCached: false)
        }
        try bed.fixture.remoteFile("cached.jpg", in: folder, [1])
        try bed.fixture.remoteFile("text.txt", in: folder, [1], isCached: false)
        await bed.look(at: folder)
        #expect(bed.cloud.counts == [25, 25, 10])
        #expect(bed.cloud.state.withLock { $0.sizes } == [.large])
        let found = try bed.found()
        #expect(found.count == 60)
        let name = try #require(
            ThumbnailName(path: Array("/mnt/Dropbox/My photos/7.jpg".utf8)))
        #expect(
            found[name.file] == [
                "Thumb::URI": "file:///mnt/Dropbox/My%20photos/7.jpg",
                "Thumb::MTime": "1600000000", "Thumb::Size": "1", "Software": "dbxfs",
            ])
        let manager = FileManager.default
        for (path, mode) in [
            (bed.cache, 0o700), (bed.cache + "/large", 0o700),
            (bed.cache + "/large/" + name.file, 0o600),
        ] {
            let attributes = try manager.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(path)")
        }
        await bed.look(at: folder)
        await bed.look(at: folder, by: "caja")
        #expect(bed.cloud.counts.count == 3)
        // Thunar looks in the other folder.
        await bed.look(at: folder, by: "thunar")
        #expect(bed.cloud.counts.count == 6)
        #expect(try bed.found("normal").count == 60)
        #expect(bed.fixture.content.fetched.isEmpty)
    }

    @Test("a changed file gets another thumbnail in place of the one before")
    func change() async throws {
        let bed = try Bed()
        let inode = try bed.fixture.remoteFile("a.jpg", [1], isCached: false)
        try bed.fixture.remoteFile("b.jpg", [2], isCached: false)
        await bed.look()
        try await bed.fixture.store.write { transaction in
            var facts = bed.fixture.content.add([3, 4], isCached: false)
            facts.id = try transaction.node(inode)?.facts.id
            facts.clientModified = WallTime(seconds: 1_600_000_500)
            try transaction.setFacts(facts, of: inode)
        }
        await bed.look()
        #expect(bed.cloud.counts == [2, 1])
        let found = try bed.found()
        #expect(found.count == 2)
        #expect(
            Set(found.values.compactMap { $0["Thumb::MTime"] }) == ["1600000000", "1600000500"])
    }

    @Test("a change while a request is under way leaves no thumbnail of the content before")
    func changeMeanwhile() async throws {
        let bed = try Bed()
        let inode = try bed.fixture.remoteFile("a.jpg", [1], isCached: false)
        let fixture = bed.fixture
        bed.cloud.state.withLock {
            $0.meanwhile = {
                try fixture.store.write { transaction in
                    let facts = fixture.content.add([3], isCached: false)
                    try transaction.setFacts(facts, of: inode)
                }
            }
        }
        await bed.look()
        #expect(try bed.found().isEmpty)
    }

    @Test("a file that Dropbox refuses, and hostile bytes, are asked for once per revision")
    func refused() async throws {
        let bed = try Bed()
        let inode = try bed.fixture.remoteFile("refused.jpg", [1], isCached: false)
        try bed.fixture.remoteFile("hostile.jpg", [2], isCached: false)
        try bed.fixture.remoteFile("good.jpg", [3], isCached: false)
        bed.cloud.state.withLock {
            $0.outcomes = [
                Revision("rev1"): .failure(.notDownloadable),
                Revision("rev2"): .success(ThumbnailPictures.picture(4000, 4000)),
            ]
        }
        await bed.look()
        await bed.look()
        #expect(bed.cloud.counts == [3])
        #expect(try bed.addresses() == ["file:///mnt/Dropbox/good.jpg"])
        try await bed.fixture.store.write { transaction in
            let facts = bed.fixture.content.add([3, 4], isCached: false)
            try transaction.setFacts(facts, of: inode)
        }
        await bed.look()
        #expect(bed.cloud.counts == [3, 1])
        #expect(try bed.found().count == 2)
    }

    @Test("other programs, other users and a mount without a server get none")
    func notServed() async throws {
        let bed = try Bed()
        try bed.fixture.remoteFile("a.jpg", [1], isCached: false)
        await bed.look(by: "ls")
        #expect(!bed.thumbnails.serves(0) && bed.thumbnails.serves(1000))
        bed.isOnline.value.withLock { $0 = false }
        await bed.look()
        #expect(bed.cloud.counts.isEmpty)
        bed.isOnline.value.withLock { $0 = true }
        await bed.look()
        #expect(bed.cloud.counts == [1])
        await bed.thumbnails.stop()
        try bed.fixture.remoteFile("b.jpg", [1], isCached: false)
        await bed.look()
        #expect(bed.cloud.counts == [1])
    }

    @Test(
        "after a request that failed, there is none for a while",
        arguments: [
            RemoteError.rateLimited(retryAfter: 1), .offline("gone"), .server("500"),
        ])
    func failure(_ error: RemoteError) async throws {
        let bed = try Bed()
        for number in 0..<30 {
            try bed.fixture.remoteFile("\(number).jpg", [UInt8(number)], isCached: false)
        }
        bed.cloud.state.withLock { $0.failure = error }
        await bed.look()
        bed.cloud.state.withLock { $0.failure = nil }
        await bed.look()
        #expect(bed.cloud.counts == [25])
        #expect(try bed.found().isEmpty)
    }

    @Test("a folder that is not listed yet gets them when it is")
    func unlisted() async throws {
        let bed = try Bed()
        let folder = try bed.fixture.remoteFolder("folder", isListed: false)
        let facts = bed.fixture.content.add([1], isCached: false)
        bed.fixture.sync.update { $0.unlisted[folder] = [(name("a.jpg"), facts)] }
        await bed.look(at: folder)
        #expect(try bed.addresses() == ["file:///mnt/Dropbox/folder/a.jpg"])
    }

    @Test("no symbolic link is followed in the cache, and one in a thumbnail's place is replaced")
    func links() async throws {
        let bed = try Bed()
        try bed.fixture.remoteFile("a.jpg", [1], isCached: false)
        let manager = FileManager.default
        let other = bed.fixture.folder + "/other"
        try manager.createDirectory(atPath: other, withIntermediateDirectories: true)
        try manager.createDirectory(atPath: bed.cache, withIntermediateDirectories: true)
        try manager.createSymbolicLink(atPath: bed.cache + "/large", withDestinationPath: other)
        await bed.look()
        #expect(try manager.contentsOfDirectory(atPath: other).isEmpty)
        #expect(bed.cloud.counts.isEmpty)
        try manager.removeItem(atPath: bed.cache + "/large")
        try manager.createDirectory(atPath: bed.cache + "/large", withIntermediateDirectories: true)
        let name = try #require(ThumbnailName(path: Array("/mnt/Dropbox/a.jpg".utf8)))
        try manager.createSymbolicLink(
            atPath: bed.cache + "/large/" + name.file, withDestinationPath: other + "/file")
        await bed.look()
        #expect(try manager.contentsOfDirectory(atPath: other).isEmpty)
        #expect(try bed.addresses() == ["file:///mnt/Dropbox/a.jpg"])
    }

    @Test("more folders than the bound push out those that waited longest")
    func bound() async throws {
        let bed = try Bed()
        var folders: [InodeID] = []
        for number in 0..<40 {
            let folder = try bed.fixture.remoteFolder("f\(number)")
            try bed.fixture.remoteFile("a.jpg", in: folder, [UInt8(number)], isCached: false)
            folders.append(folder)
        }
        let (thumbnails, rest) = (bed.thumbnails, folders.dropFirst())
        bed.cloud.state.withLock {
            $0.meanwhile = {
                for folder in rest { thumbnails.noteVisit(at: folder, by: "nautilus") }
            }
        }
        thumbnails.noteVisit(at: folders[0], by: "nautilus")
        await bed.thumbnails.waitUntilIdle()
        let addresses = try bed.addresses()
        #expect(addresses.contains("file:///mnt/Dropbox/f0/a.jpg"))
        #expect(addresses.contains("file:///mnt/Dropbox/f39/a.jpg"))
        #expect(!addresses.contains("file:///mnt/Dropbox/f1/a.jpg"))
    }
}
