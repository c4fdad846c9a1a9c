// Bytes go in and come out: sizes around all borders, parts, restarts, and the check of the whole.

import BlockCache
import ContentHashing
import Glibc
import TestSupport
import Testing

private let chunk = 64 * 1024
private let block = 4 * 1024 * 1024

@Suite("Storing and reading")
struct StoringTests {
    @Test(
        "content of any size comes back as it was, also after a restart",
        arguments: [
            1, chunk - 1, chunk, chunk + 1, block - 1, block, block + 1, 2 * block + chunk + 17,
        ])
    func roundTrip(size: Int) throws {
        let folder = try TemporaryFolder()
        let sample = Sample(size: size, seed: UInt64(size))
        do {
            let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
            #expect(cache.bytes(of: sample) == nil)
            #expect(cache.store(sample) == .accepted)
            #expect(cache.bytes(of: sample) == sample.bytes)
        }
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        var generator = SeededRandom(seed: 1)
        for _ in 0..<50 {
            let lower = Int64.random(in: 0..<sample.size, using: &generator)
            let upper = Int64.random(in: lower...sample.size, using: &generator)
            #expect(cache.bytes(of: sample, lower..<upper) == sample[lower..<upper])
        }
    }

    @Test("random parts make exactly their whole chunks readable")
    func parts() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let sample = Sample(size: 2 * block + 3 * chunk + 5, seed: 2)
        let chunkCount = (sample.bytes.count + chunk - 1) / chunk
        var present = Set<Int>()
        var generator = SeededRandom(seed: 3)
        for _ in 0..<40 {
            let lower = Int64.random(in: 0..<sample.size, using: &generator)
            let upper = min(
                sample.size, lower + Int64.random(in: 1...Int64(5 * chunk), using: &generator))
            cache.insert(
                at: lower, of: sample.hash, size: sample.size, bytes: sample[lower..<upper])
            for number in 0..<chunkCount {
                let start = Int64(number * chunk)
                let end = min(start + Int64(chunk), sample.size)
                if lower <= start && end <= upper { present.insert(number) }
            }
        }
        #expect(!present.isEmpty && present.count < chunkCount)
        for number in 0..<chunkCount {
            let start = Int64(number * chunk)
            let range = start..<min(start + Int64(chunk), sample.size)
            let isPresent = present.contains(number)
            #expect(cache.contains(sample.hash, size: sample.size, range: range) == isPresent)
            #expect(cache.bytes(of: sample, range) == (isPresent ? sample[range] : nil))
        }
    }

    @Test("ranges outside the content are misses, and an empty range is empty")
    func ranges() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let sample = Sample(size: chunk + 1, seed: 4)
        cache.store(sample)
        for range in [0..<sample.size + 1, 0..<Int64.max, Int64.min..<1, Int64.max - 1..<Int64.max]
        {
            #expect(cache.bytes(of: sample, range) == nil)
            #expect(!cache.contains(sample.hash, size: sample.size, range: range))
        }
        #expect(cache.bytes(of: sample, 7..<7) == [])
    }

    @Test("a size that no content has is a miss, and nothing is kept of it")
    func impossibleSizes() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let sample = Sample(size: chunk, seed: 5)
        for size in [Int64.min, -1, .max] {
            cache.insert(at: 0, of: sample.hash, size: size, bytes: sample.bytes)
            cache.insert(at: .max, of: sample.hash, size: size, bytes: sample.bytes)
            for block in [Int.min, 0, .max] {
                let found = cache.insert(
                    block: block, of: sample.hash, size: size, bytes: sample.bytes)
                #expect(found == .mismatch)
            }
            #expect(cache.bytes(of: sample.hash, size: size, range: 0..<1) == nil)
            #expect(!cache.contains(sample.hash, size: size, range: 0..<1))
        }
        #expect(cache.usedBytes == 0)
    }

    @Test("one hash under another size is a miss, never other bytes")
    func otherSize() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let sample = Sample(size: 3 * chunk, seed: 5)
        cache.store(sample)
        for size in [sample.size - 1, sample.size + 1, sample.size * 2] {
            #expect(cache.bytes(of: sample.hash, size: size, range: 0..<1) == nil)
        }
        let reopened = try reopen(cache, folder)
        for size in [sample.size - 1, sample.size + 1, sample.size * 2] {
            #expect(reopened.bytes(of: sample.hash, size: size, range: 0..<1) == nil)
        }
    }

    private func reopen(
        _ cache: consuming DiskBlockCache, _ folder: TemporaryFolder
    ) throws -> DiskBlockCache {
        // A folder beside it with the same files: the first cache keeps its lock.
        let path = folder.path + "/again"
        try copyTree(folder.path + "/content", to: path + "/content", making: path)
        return try DiskBlockCache(directory: path, limit: 1 << 30)
    }

    @Test("content that is not what its hash names is noticed with its last block, and dropped")
    func mismatch() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let sample = Sample(size: 2 * block + 100, seed: 6)
        var wrong = sample.block(1)
        wrong[12345] ^= 1
        for (index, bytes) in [sample.block(0), wrong].enumerated() {
            #expect(
                cache.insert(block: index, of: sample.hash, size: sample.size, bytes: bytes)
                    == .accepted)
        }
        #expect(
            cache.insert(block: 2, of: sample.hash, size: sample.size, bytes: sample.block(2))
                == .mismatch)
        for index in 0..<3 {
            let start = Int64(index * block)
            #expect(cache.bytes(of: sample, start..<start + 10) == nil)
        }
        #expect(cache.store(sample) == .accepted)
        #expect(cache.bytes(of: sample) == sample.bytes)
    }

    @Test("wrong content of a single block is refused, and is a miss")
    func singleMismatch() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let sample = Sample(size: 1000, seed: 7)
        var wrong = sample.bytes
        wrong[0] ^= 0x80
        #expect(
            cache.insert(block: 0, of: sample.hash, size: sample.size, bytes: wrong) == .mismatch)
        #expect(cache.bytes(of: sample) == nil)
    }

    @Test("blocks beyond the content are refused")
    func beyond() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let sample = Sample(size: 10, seed: 8)
        #expect(
            cache.insert(block: 1, of: sample.hash, size: sample.size, bytes: [1, 2]) == .mismatch)
        cache.insert(
            at: 5, of: sample.hash, size: sample.size, bytes: [UInt8](repeating: 1, count: 6))
        #expect(cache.bytes(of: sample, 0..<1) == nil)
    }

    @Test("a folder whose places are taken by others is no error: nothing is kept")
    func refusingDisk() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let sample = Sample(size: 1000, seed: 9)
        Files.write([1], to: "\(folder.path)/content/\(sample.hash.hex.prefix(2))")
        #expect(cache.store(sample) == .accepted)
        #expect(cache.bytes(of: sample) == nil)
    }

    @Test("a file that claims four TiB takes no time and no memory for blocks it does not have")
    func claimedSize() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let size: Int64 = 1 << 42
        let bytes = [UInt8](repeating: 7, count: block)
        let hash = ContentHasher.hash([1])
        // The last block makes the index as long as it can be.
        for number in [1 << 20 - 1, 0, 1, 2, 3] {
            let began = processorSeconds()
            #expect(cache.insert(block: number, of: hash, size: size, bytes: bytes) == .accepted)
            #expect(processorSeconds() - began < 5)
        }
        #expect(cache.bytes(of: hash, size: size, range: 0..<100)?.count == 100)
        let beyond = cache.insert(block: 0, of: hash, size: size + 1, bytes: bytes)
        #expect(beyond == .accepted)
        #expect(cache.bytes(of: hash, size: size + 1, range: 0..<100) == nil)
    }

    /// The processor time of this thread: elapsed time says more about what else runs.
    private func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
