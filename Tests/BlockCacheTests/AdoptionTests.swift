// Finished files that become the cache's own.

import BlockCache
import ContentHashing
import Glibc
import TestSupport
import Testing

private let chunk = 64 * 1024
private let block = 4 * 1024 * 1024

@Suite("Adoption")
struct AdoptionTests {
    @Test("a file is taken over as it is, without a copy", arguments: [1, chunk, 2 * block + 9])
    func moves(size: Int) throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path + "/cache", limit: 1 << 30)
        let sample = Sample(size: size, seed: UInt64(size) + 1)
        let path = folder.path + "/staged"
        Files.write(sample.bytes, to: path)
        let inode = Files.inode(path)
        cache.adopt(path: path, hash: sample.hash, size: sample.size)
        #expect(cache.bytes(of: sample) == sample.bytes)
        #expect(Files.size(path) == -1)
        #expect(Files.inode(cachePath(folder, sample)) == inode)
        #expect(cache.usedBytes >= sample.size)
    }

    @Test("a file that is not the content stays where it is, and is not served")
    func refusesWrong() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path + "/cache", limit: 1 << 30)
        let sample = Sample(size: 3 * chunk, seed: 1)
        var wrong = sample.bytes
        wrong[chunk] ^= 4
        let path = folder.path + "/staged"
        Files.write(wrong, to: path)
        cache.adopt(path: path, hash: sample.hash, size: sample.size)
        #expect(cache.bytes(of: sample) == nil)
        #expect(Files.read(path) == wrong)
    }

    @Test("a file may have any of several contents", arguments: [2, 5])
    func anyOf(present: Int) throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path + "/cache", limit: 1 << 30)
        let samples = (0..<5).map { Sample(size: chunk + 7, seed: UInt64($0) + 20) }
        let sample = present < 5 ? samples[present] : Sample(size: chunk + 7, seed: 19)
        let path = folder.path + "/staged"
        Files.write(sample.bytes, to: path)
        cache.adopt(path: path, size: sample.size, anyOf: Set(samples.map(\.hash))) { false }
        #expect(cache.bytes(of: sample) == (present < 5 ? sample.bytes : nil))
        #expect(Files.size(path) == (present < 5 ? -1 : sample.size))
    }

    @Test("an adoption that is cancelled leaves the file, and cached content cached")
    func cancelled() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path + "/cache", limit: 1 << 30)
        let (sample, other) = (Sample(size: 3 * block, seed: 8), Sample(size: chunk, seed: 9))
        cache.store(other)
        let path = folder.path + "/staged"
        Files.write(sample.bytes, to: path)
        var asked = 0
        cache.adopt(path: path, size: sample.size, anyOf: [sample.hash]) {
            asked += 1
            return asked == 2
        }
        #expect(asked == 2)
        #expect(Files.read(path) == sample.bytes)
        #expect(cache.bytes(of: sample) == nil && cache.bytes(of: other) == other.bytes)
        cache.adopt(path: path, hash: sample.hash, size: sample.size)
        #expect(cache.bytes(of: sample) == sample.bytes)
    }

    @Test("an index without its data does not keep a file from being adopted")
    func indexAlone() throws {
        let folder = try TemporaryFolder()
        let sample = Sample(size: block + 9, seed: 10)
        let path = folder.path + "/staged"
        do {
            let cache = try DiskBlockCache(directory: folder.path + "/cache", limit: 1 << 30)
            Files.write(sample.bytes, to: path)
            cache.adopt(path: path, hash: sample.hash, size: sample.size)
        }
        let moved = cachePath(folder, sample)
        #expect(Files.size(moved + ".index") > 0 && rename(moved, path) == 0)
        let cache = try DiskBlockCache(directory: folder.path + "/cache", limit: 1 << 30)
        #expect(cache.bytes(of: sample) == nil)
        cache.adopt(path: path, hash: sample.hash, size: sample.size)
        #expect(cache.bytes(of: sample) == sample.bytes)
        #expect(Files.size(path) == -1)
    }

    @Test("a file of another size stays where it is, and cached content stays cached")
    func refusesOtherSize() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path + "/cache", limit: 1 << 30)
        let sample = Sample(size: 3 * chunk, seed: 2)
        cache.store(sample)
        let path = folder.path + "/staged"
        Files.write(sample.bytes + [0], to: path)
        cache.adopt(path: path, hash: sample.hash, size: sample.size)
        #expect(cache.bytes(of: sample) == sample.bytes)
        #expect(Files.size(path) == sample.size + 1)
    }

    @Test("a missing file changes nothing")
    func missing() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path + "/cache", limit: 1 << 30)
        let sample = Sample(size: 3 * chunk, seed: 3)
        cache.store(sample)
        cache.adopt(path: folder.path + "/nothing", hash: sample.hash, size: sample.size)
        #expect(cache.bytes(of: sample) == sample.bytes)
    }

    @Test("a symbolic link is not taken for the file, and its place stays usable")
    func link() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path + "/cache", limit: 1 << 30)
        let sample = Sample(size: 100, seed: 4)
        let target = folder.path + "/elsewhere"
        Files.write(sample.bytes, to: target)
        let path = folder.path + "/staged"
        #expect(symlink(target, path) == 0)
        cache.adopt(path: path, hash: sample.hash, size: sample.size)
        #expect(cache.bytes(of: sample) == nil)
        cache.store(sample)
        #expect(cache.bytes(of: sample) == sample.bytes)
        #expect(Files.read(target) == sample.bytes)
    }

    @Test("a pin survives the adoption of its content")
    func pinned() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path + "/cache", limit: 1 << 30)
        let sample = Sample(size: chunk, seed: 5)
        cache.pin(sample.hash, true)
        let path = folder.path + "/staged"
        Files.write(sample.bytes, to: path)
        cache.adopt(path: path, hash: sample.hash, size: sample.size)
        _ = cache.clear()
        #expect(cache.bytes(of: sample) == sample.bytes)
    }

    static let isOtherDiskThere: Bool = {
        var (left, right) = (stat(), stat())
        return stat("/dev/shm", &left) == 0 && stat("/tmp", &right) == 0
            && left.st_dev != right.st_dev && access("/dev/shm", W_OK) == 0
    }()

    @Test(
        "a file on another disk is taken by copying, or left; cached content stays cached",
        .enabled(if: Self.isOtherDiskThere))
    func otherDisk() throws {
        let folder = try TemporaryFolder()
        let other = try TemporaryFolder(in: "/dev/shm")
        let cache = try DiskBlockCache(directory: folder.path + "/cache", limit: 1 << 30)
        let sample = Sample(size: 3 * chunk, seed: 6)
        cache.store(sample)
        let path = other.path + "/staged"
        Files.write(sample.bytes, to: path)
        cache.adopt(path: path, hash: sample.hash, size: sample.size)
        #expect(cache.bytes(of: sample) == sample.bytes)
    }

    private func cachePath(_ folder: TemporaryFolder, _ sample: Sample) -> String {
        "\(folder.path)/cache/content/\(sample.hash.hex.prefix(2))/\(sample.hash.hex)"
    }
}
