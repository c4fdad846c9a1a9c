// Damage on disk: after any change of the files, a read gives the right bytes or a miss, and
// fetched bytes are kept again.

import BlockCache
import ContentHashing
import Glibc
import TestSupport
import Testing

private let chunk: Int64 = 64 * 1024
private let block: Int64 = 4 * 1024 * 1024

@Suite("Damage on disk")
struct DamageTests {
    /// A content of two blocks, the second short, with its files; damage is done while no reader
    /// has it open.
    private func prepare(
        size: Int64 = block + 2 * chunk + 100
    ) throws -> (TemporaryFolder, Sample) {
        let folder = try TemporaryFolder()
        let sample = Sample(size: Int(size), seed: 11)
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        cache.store(sample)
        return (folder, sample)
    }

    /// Reads chunk by chunk: each is right or a miss. Returns how many are right.
    private func rightChunks(_ cache: DiskBlockCache, _ sample: Sample) -> Int {
        var right = 0
        for start in stride(from: 0, to: sample.size, by: Int(chunk)) {
            let range = start..<min(start + chunk, sample.size)
            let bytes = cache.bytes(of: sample, range)
            #expect(bytes == nil || bytes == sample[range])
            right += bytes == nil ? 0 : 1
        }
        return right
    }

    private func heals(_ cache: DiskBlockCache, _ sample: Sample) {
        #expect(cache.store(sample) == .accepted)
        #expect(cache.bytes(of: sample) == sample.bytes)
    }

    @Test("a digest that was torn condemns no content")
    func tornDigest() throws {
        let folder = try TemporaryFolder()
        let sample = Sample(size: Int(block + 100), seed: 12)
        let files = Files(sample, in: folder)
        do {
            let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
            let first = cache.insert(
                block: 0, of: sample.hash, size: sample.size, bytes: sample.block(0))
            #expect(first == .accepted)
        }
        let layout = IndexLayout(sample, indexSize: Files.size(files.index))
        Files.flip(files.index, byte: layout.digestOffset(0) + 20, bit: 3)
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let last = cache.insert(
            block: 1, of: sample.hash, size: sample.size, bytes: sample.block(1))
        #expect(last == .accepted)
        #expect(cache.bytes(of: sample) == sample.bytes)
    }

    @Test("a flipped bit anywhere in the index gives right bytes or a miss")
    func flipsInIndex() throws {
        let (folder, sample) = try prepare(size: 3 * chunk + 100)
        let files = Files(sample, in: folder)
        let intact = try #require(Files.read(files.index))
        let layout = IndexLayout(sample, indexSize: Int64(intact.count))
        for byte in 0..<Int64(intact.count) {
            for bit in 0..<8 {
                Files.write(intact, to: files.index)
                Files.flip(files.index, byte: byte, bit: bit)
                let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
                let right = rightChunks(cache, sample)
                // A sum vouches for one chunk; the header for all of them; a digest for none.
                #expect(right >= (byte < layout.headerSize ? 0 : 3))
            }
        }
        heals(try DiskBlockCache(directory: folder.path, limit: 1 << 30), sample)
    }

    @Test("a flipped bit in the bytes costs the one chunk that it is in")
    func flipsInData() throws {
        let (folder, sample) = try prepare()
        let files = Files(sample, in: folder)
        let chunkCount = Int((sample.size + chunk - 1) / chunk)
        var generator = SeededRandom(seed: 12)
        for number in [0, 1, 30, 63, 64, 65, chunkCount - 1] {
            let start = Int64(number) * chunk
            let end = min(start + chunk, sample.size)
            for byte in [start, Int64.random(in: start..<end, using: &generator), end - 1] {
                Files.flip(files.data, byte: byte, bit: Int.random(in: 0..<8, using: &generator))
                let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
                #expect(cache.bytes(of: sample, byte..<byte + 1) == nil)
                #expect(rightChunks(cache, sample) == chunkCount - 1)
                heals(cache, sample)
            }
        }
    }

    @Test("a damaged chunk is dropped: it is a miss before it is read again")
    func dropped() throws {
        let (folder, sample) = try prepare()
        Files.flip(Files(sample, in: folder).data, byte: 5, bit: 5)
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        #expect(cache.contains(sample.hash, size: sample.size, range: 0..<1))
        #expect(cache.bytes(of: sample, 0..<1) == nil)
        #expect(!cache.contains(sample.hash, size: sample.size, range: 0..<1))
    }

    @Test("files cut at any border give right bytes or a miss, and heal")
    func truncations() throws {
        let (folder, sample) = try prepare()
        let files = Files(sample, in: folder)
        let layout = IndexLayout(sample, indexSize: Files.size(files.index))
        let data = try #require(Files.read(files.data))
        let index = try #require(Files.read(files.index))
        var indexCuts: Set<Int64> = [0, layout.headerSize, layout.digestOffset(1)]
        var dataCuts: Set<Int64> = [0, block, sample.size]
        for number in [0, 1, 31, 63, 64, 65, layout.chunkCount] {
            indexCuts.insert(layout.sumOffset(number))
            dataCuts.insert(Int64(number) * chunk)
        }
        func around(_ cuts: Set<Int64>, below limit: Int) -> [Int64] {
            Set(cuts.flatMap { [$0 - 1, $0, $0 + 1] }).filter { $0 >= 0 && $0 < limit }.sorted()
        }
        for (path, cuts) in [
            (files.index, around(indexCuts, below: index.count)),
            (files.data, around(dataCuts, below: data.count)),
        ] {
            for cut in cuts {
                Files.write(data, to: files.data)
                Files.write(index, to: files.index)
                truncate(path, off_t(cut))
                let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
                _ = rightChunks(cache, sample)
            }
        }
        heals(try DiskBlockCache(directory: folder.path, limit: 1 << 30), sample)
    }

    @Test(
        "a power cut that kept the index and lost the bytes gives no zeros",
        arguments: [Int64(1), chunk, block])
    func lostBytes(from start: Int64) throws {
        let (folder, sample) = try prepare()
        let files = Files(sample, in: folder)
        truncate(files.data, off_t(start))
        truncate(files.data, off_t(sample.size))
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        #expect(rightChunks(cache, sample) == Int(start / chunk))
        heals(cache, sample)
    }

    @Test("a content without its index, or an index without its content, is a miss and heals")
    func halves() throws {
        for isIndexLost in [true, false] {
            let (folder, sample) = try prepare()
            let files = Files(sample, in: folder)
            unlink(isIndexLost ? files.index : files.data)
            let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
            #expect(rightChunks(cache, sample) == 0)
            heals(cache, sample)
        }
    }

    @Test("an index with an unknown version counts for nothing")
    func version() throws {
        let (folder, sample) = try prepare()
        let files = Files(sample, in: folder)
        var index = try #require(Files.read(files.index))
        index[4] ^= 0x40
        Files.write(index, to: files.index)
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        #expect(rightChunks(cache, sample) == 0)
        heals(cache, sample)
    }

    @Test("garbage in place of everything is a miss, and heals")
    func garbage() throws {
        let (folder, sample) = try prepare()
        let files = Files(sample, in: folder)
        Files.write(Sample(size: 100_000, seed: 13).bytes, to: files.index)
        Files.write(Sample(size: 5_000_000, seed: 14).bytes, to: files.data)
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        #expect(rightChunks(cache, sample) == 0)
        heals(cache, sample)
    }

    @Test("the files of two contents that changed places are misses")
    func swapped() throws {
        let folder = try TemporaryFolder()
        let (one, other) = (Sample(size: 70_000, seed: 15), Sample(size: 70_000, seed: 16))
        do {
            let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
            cache.store(one)
            cache.store(other)
        }
        let (left, right) = (Files(one, in: folder), Files(other, in: folder))
        for (from, to) in [(left.data, right.data), (left.index, right.index)] {
            rename(from, folder.path + "/aside")
            rename(to, from)
            rename(folder.path + "/aside", to)
        }
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        #expect(cache.bytes(of: one) == nil)
        #expect(cache.bytes(of: other) == nil)
    }

    @Test("a check of everything finds damaged blocks, drops them, and then finds nothing")
    func verify() throws {
        let (folder, sample) = try prepare()
        let files = Files(sample, in: folder)
        Files.flip(files.data, byte: 3 * chunk + 1, bit: 0)
        Files.flip(files.data, byte: block + 1, bit: 7)
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let first = cache.verify()
        #expect(first.damaged == 2)
        #expect(first.checked == Int((sample.size + chunk - 1) / chunk))
        let second = cache.verify()
        #expect(second.damaged == 0)
        #expect(second.checked == first.checked - 2)
    }

    @Test("a check drops chunks whose bytes were cut off")
    func verifyCut() throws {
        let (folder, sample) = try prepare()
        truncate(Files(sample, in: folder).data, off_t(block))
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        #expect(cache.verify().damaged == 3)
        #expect(cache.verify().damaged == 0)
    }
}
