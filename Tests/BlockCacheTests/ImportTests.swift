// Content from files of other programs.

import BlockCache
import ContentHashing
import Glibc
import LocalFiles
import TestSupport
import Testing

private let block = 4 * 1024 * 1024

@Suite("Import")
struct ImportTests {
    private let folder: TemporaryFolder
    private let cache: DiskBlockCache

    init() throws {
        folder = try TemporaryFolder()
        cache = try DiskBlockCache(directory: folder.path + "/cache", limit: 1 << 30)
    }

    private var path: String { folder.path + "/file" }

    /// Names beside the cached contents and the lock.
    private var leftovers: [String] {
        folderNames(in: folder.path + "/cache").filter { $0.hasPrefix("import") }
    }

    @Test("a file's content is cached, and the file stays", arguments: [1, block, 2 * block + 9])
    func copies(size: Int) throws {
        let sample = Sample(size: size, seed: UInt64(size))
        Files.write(sample.bytes, to: path)
        #expect(cache.importContent(of: path, hash: sample.hash, size: sample.size) == .cached)
        #expect(cache.bytes(of: sample) == sample.bytes)
        #expect(Files.read(path) == sample.bytes)
        #expect(cache.usedBytes >= sample.size)
        #expect(leftovers.isEmpty)
        // The content is a copy of its own.
        Files.write(Array(repeating: 0, count: size), to: path)
        #expect(cache.bytes(of: sample) == sample.bytes)
    }

    @Test("a file with a second link is copied, too")
    func linked() throws {
        let sample = Sample(size: 100, seed: 3)
        Files.write(sample.bytes, to: path)
        #expect(link(path, path + "-2") == 0)
        #expect(cache.importContent(of: path, hash: sample.hash, size: sample.size) == .cached)
    }

    @Test("other content of the same size is never served")
    func different() throws {
        let sample = Sample(size: 2 * block + 9, seed: 1)
        var wrong = sample.bytes
        wrong[2 * block] ^= 1
        Files.write(wrong, to: path)
        #expect(cache.importContent(of: path, hash: sample.hash, size: sample.size) == .different)
        #expect(cache.bytes(of: sample) == nil)
        #expect(!cache.contains(sample.hash, size: sample.size, range: 0..<1))
        #expect(leftovers.isEmpty)
    }

    @Test("only a regular file of that size is read")
    func kinds() throws {
        let sample = Sample(size: 100, seed: 2)
        let target = folder.path + "/target"
        Files.write(sample.bytes, to: target)
        #expect(symlink(target, path) == 0)
        #expect(mkfifo(folder.path + "/fifo", 0o600) == 0)
        for name in ["file", "fifo", "nothing", "cache"] {
            let path = folder.path + "/" + name
            #expect(
                cache.importContent(of: path, hash: sample.hash, size: sample.size) == .different)
        }
        #expect(cache.importContent(of: target, hash: sample.hash, size: 99) == .different)
        #expect(cache.bytes(of: sample) == nil)
    }

    @Test("the copy of an import that was killed is removed by the next start")
    func interrupted() throws {
        let other = try TemporaryFolder()
        let directory = other.path + "/cache"
        #expect(mkdir(directory, 0o700) == 0)
        Files.write([1, 2, 3], to: directory + "/import.part")
        _ = try DiskBlockCache(directory: directory, limit: 1 << 30)
        #expect(Files.size(directory + "/import.part") == -1)
    }
}
