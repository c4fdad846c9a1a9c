// The folder itself: its users, its permissions, and the targets of its names.

import BlockCache
import ContentHashing
import Foundation
import Glibc
import LocalFiles
import TestSupport
import Testing

@Suite("The folder")
struct FolderTests {
    @Test("a second opening is refused while the first lasts")
    func lock() throws {
        let folder = try TemporaryFolder()
        do {
            let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 20)
            #expect(throws: BlockCacheError.inUse(folder.path)) {
                try DiskBlockCache(directory: folder.path, limit: 1 << 20)
            }
            #expect(cache.usedBytes == 0)
        }
        _ = try DiskBlockCache(directory: folder.path, limit: 1 << 20)
    }

    @Test(
        "a folder that is deleted under the cache begins anew, with its lock and without its bytes")
    func deleted() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/dbxfs/account/blocks"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let cache = try DiskBlockCache(directory: path, limit: 1 << 30)
        let (first, second) = (Sample(size: 70_000, seed: 1), Sample(size: 90_000, seed: 2))
        let losses = Counter()
        cache.observeLosses { losses.increment() }
        cache.pin(second.hash, true)
        cache.store(first)
        #expect(cache.checkFolder() && losses.count == 0)
        try FileManager.default.removeItem(atPath: folder.path + "/dbxfs")
        cache.store(second)
        #expect(losses.count == 1)
        #expect(cache.bytes(of: second.hash, size: 90_000, range: 0..<90_000) == second.bytes)
        #expect(cache.bytes(of: first.hash, size: 70_000, range: 0..<70_000) == nil)
        #expect(cache.usedBytes < 140_000 && cache.pinnedBytes == cache.usedBytes)
        #expect(mode(path) == 0o700)
        #expect(throws: BlockCacheError.inUse(path)) {
            try DiskBlockCache(directory: path, limit: 1 << 20)
        }
    }

    @Test("content that was deleted counts as cached no longer, also where the lock is left")
    func deletedContent() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let losses = Counter()
        cache.observeLosses { losses.increment() }
        let sample = Sample(size: 70_000, seed: 1)
        cache.store(sample)
        try FileManager.default.removeItem(atPath: folder.path + "/content")
        #expect(!cache.checkFolder())
        #expect(!cache.contains(sample.hash, size: sample.size, range: sample.whole))
        #expect(cache.usedBytes == 0 && losses.count == 0)
        cache.store(sample)
        #expect(cache.checkFolder() && losses.count == 1)
        #expect(cache.bytes(of: sample) == sample.bytes)
        #expect(throws: BlockCacheError.inUse(folder.path)) {
            try DiskBlockCache(directory: folder.path, limit: 1 << 20)
        }
    }

    @Test("folders and files are for their user only")
    func modes() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/cache"
        let cache = try DiskBlockCache(directory: path, limit: 1 << 30)
        let sample = Sample(size: 70_000, seed: 1)
        cache.store(sample)
        let fan = "\(path)/content/\(sample.hash.hex.prefix(2))"
        for folder in [path, path + "/content", fan] {
            #expect(mode(folder) == 0o700)
        }
        for name in folderNames(in: fan) {
            #expect(mode("\(fan)/\(name)") == 0o600)
        }
        #expect(mode(path + "/lock") == 0o600)
    }

    @Test("a folder that others may write is closed to them, or refused")
    func openToOthers() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/cache"
        #expect(mkdir(path, 0o700) == 0 && chmod(path, 0o777) == 0)
        let cache = try? DiskBlockCache(directory: path, limit: 1 << 20)
        #expect(cache == nil || mode(path) == 0o700)
    }

    @Test("a folder of another user is refused", .enabled(if: geteuid() == 0))
    func foreign() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/cache"
        #expect(mkdir(path, 0o700) == 0 && chown(path, 65534, 65534) == 0)
        #expect(throws: BlockCacheError.self) {
            try DiskBlockCache(directory: path, limit: 1 << 20)
        }
    }

    @Test("a symbolic link or a file in the folder's place is refused")
    func links() throws {
        let folder = try TemporaryFolder()
        let elsewhere = folder.path + "/elsewhere"
        #expect(mkdir(elsewhere, 0o700) == 0)
        let link = folder.path + "/link"
        #expect(symlink(elsewhere, link) == 0)
        Files.write([1], to: folder.path + "/file")
        let inner = folder.path + "/inner"
        #expect(mkdir(inner, 0o700) == 0 && symlink(elsewhere, inner + "/content") == 0)
        for path in [link, folder.path + "/file", inner] {
            #expect(throws: BlockCacheError.self) {
                try DiskBlockCache(directory: path, limit: 1 << 20)
            }
        }
        #expect(folderNames(in: elsewhere) == [])
    }

    @Test("symbolic links in place of a content's files are not followed")
    func linkedFiles() throws {
        for suffix in ["", ".index"] {
            let folder = try TemporaryFolder()
            let sample = Sample(size: 70_000, seed: 2)
            let path = folder.path + "/cache"
            let cache = try DiskBlockCache(directory: path, limit: 1 << 30)
            let fan = "\(path)/content/\(sample.hash.hex.prefix(2))"
            #expect(mkdir(fan, 0o700) == 0)
            let victim = folder.path + "/victim"
            Files.write([1, 2, 3], to: victim)
            #expect(symlink(victim, "\(fan)/\(sample.hash.hex)\(suffix)") == 0)
            #expect(cache.store(sample) == .accepted)
            #expect(cache.bytes(of: sample) == nil || cache.bytes(of: sample) == sample.bytes)
            cache.remove(sample.hash)
            #expect(Files.read(victim) == [1, 2, 3])
        }
    }

    @Test("a symbolic link in place of an inner folder is not followed")
    func linkedFolder() throws {
        let folder = try TemporaryFolder()
        let sample = Sample(size: 70_000, seed: 3)
        let path = folder.path + "/cache"
        let elsewhere = folder.path + "/elsewhere"
        #expect(mkdir(elsewhere, 0o700) == 0)
        let cache = try DiskBlockCache(directory: path, limit: 1 << 30)
        #expect(symlink(elsewhere, "\(path)/content/\(sample.hash.hex.prefix(2))") == 0)
        cache.store(sample)
        cache.countContents()
        #expect(folderNames(in: elsewhere) == [])
    }

    @Test("a folder that cannot be made says which and why")
    func impossible() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/missing/cache"
        #expect(throws: BlockCacheError.system(path, ENOENT)) {
            try DiskBlockCache(directory: path, limit: 1 << 20)
        }
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }
}
