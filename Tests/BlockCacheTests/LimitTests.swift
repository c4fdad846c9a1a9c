// The size of the cache on disk, pins, restarts, and readers that go on while contents are evicted.

import ContentHashing
import Dispatch
import Foundation
import LocalFiles
import Synchronization
import TestSupport
import Testing

@testable import BlockCache

private let chunk = 64 * 1024

@Suite("Limits")
struct LimitTests {
    @Test("the folder stays below the limit while twenty times as much passes by")
    func large() throws {
        let folder = try TemporaryFolder()
        let limit: Int64 = 1 << 20
        let cache = try DiskBlockCache(directory: folder.path, limit: limit)
        for seed in 0..<100 {
            cache.store(Sample(size: 3 * chunk, seed: UInt64(seed)))
            #expect(cache.usedBytes <= limit)
        }
        #expect(cache.usedBytes > limit / 2)
        #expect(Files.diskUsage(folder.path + "/content") <= limit + limit / 4 + 2 << 20)
    }

    @Test("on a full disk, cached contents give way to unsent ones, and none is stored")
    func room() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let samples = (0..<8).map { Sample(size: 3 * chunk, seed: UInt64($0)) }
        cache.pin(samples[0].hash, true)
        for sample in samples { cache.store(sample) }
        let before = cache.usedBytes
        #expect(cache.makeRoom(for: Int64(3 * chunk)))
        #expect(cache.usedBytes <= before - Int64(3 * chunk) && cache.usedBytes > before / 2)
        while cache.makeRoom(for: 1) {}
        let isCached = samples.map { cache.bytes(of: $0) != nil }
        #expect(isCached == [true] + [Bool](repeating: false, count: 7))

        let hasRoom = Atomic<Bool>(false)
        cache.storeOnly { hasRoom.load(ordering: .relaxed) }
        cache.store(samples[1])
        #expect(cache.bytes(of: samples[1]) == nil)
        hasRoom.store(true, ordering: .relaxed)
        cache.store(samples[1])
        #expect(cache.bytes(of: samples[1]) == samples[1].bytes)
    }

    @Test("so many contents are open at a time, by what the process may open")
    func descriptors() throws {
        #expect(DiskBlockCache.openLimit(ofDescriptors: 1024) == 128)
        #expect(DiskBlockCache.openLimit(ofDescriptors: .max) == 128)
        #expect(DiskBlockCache.openLimit(ofDescriptors: 200) == 25)
        #expect(DiskBlockCache.openLimit(ofDescriptors: 0) == 4)

        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30, openLimit: 4)
        let samples = (0..<40).map { Sample(size: 1000, seed: UInt64($0)) }
        for sample in samples { cache.store(sample) }
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            .filter { $0.hasPrefix(folder.path + "/content") }
        #expect(!open.isEmpty && open.count <= 4 * 3)
        for sample in samples {
            #expect(cache.bytes(of: sample.hash, size: 1000, range: 0..<1000) == sample.bytes)
        }
    }

    @Test("a lower limit holds at once, but for pinned content")
    func lowered() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 4 << 20)
        let samples = (0..<10).map { Sample(size: 3 * chunk, seed: UInt64($0)) }
        cache.pin(samples[0].hash, true)
        for sample in samples { cache.store(sample) }
        let all = cache.usedBytes
        cache.setLimit(1 << 20)
        #expect(cache.limit == 1 << 20)
        #expect(cache.usedBytes <= 1 << 20)
        #expect(cache.usedBytes < all)
        #expect(cache.pinnedBytes >= Int64(3 * chunk))
        cache.setLimit(4 << 20)
        for sample in samples { cache.store(sample) }
        #expect(cache.usedBytes == all)
    }

    @Test("small contents count for what they take on disk")
    func small() throws {
        let folder = try TemporaryFolder()
        let limit: Int64 = 1 << 20
        let cache = try DiskBlockCache(directory: folder.path, limit: limit)
        for seed in 0..<1000 {
            cache.store(Sample(size: 100, seed: UInt64(seed)))
        }
        let files = folderNames(in: folder.path + "/content").reduce(Int64(0)) {
            sum, name in
            let path = "\(folder.path)/content/\(name)"
            return folderNames(in: path).reduce(sum) {
                $0 + Files.diskUsage("\(path)/\($1)")
            }
        }
        #expect(files <= limit + limit / 4)
    }

    @Test("what earlier runs left is counted, and cut to a smaller limit, oldest first")
    func restart() throws {
        let folder = try TemporaryFolder()
        let samples = (0..<20).map { Sample(size: chunk, seed: UInt64(100 + $0)) }
        do {
            let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
            for sample in samples { cache.store(sample) }
        }
        let limit = Int64(10 * chunk)
        let cache = try DiskBlockCache(directory: folder.path, limit: limit)
        cache.countContents()
        #expect(cache.usedBytes <= limit)
        let kept = samples.count { cache.bytes(of: $0) != nil }
        #expect(kept >= 5 && kept <= 10)
    }

    @Test("counting contents that are being read already counts them whole")
    func countingLate() throws {
        let folder = try TemporaryFolder()
        let sample = Sample(size: 10 * chunk, seed: 200)
        do {
            let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
            cache.insert(
                at: 0, of: sample.hash, size: sample.size,
                bytes: sample[0..<Int64(9 * chunk)])
        }
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        cache.insert(
            at: Int64(9 * chunk), of: sample.hash, size: sample.size,
            bytes: sample[Int64(9 * chunk)..<sample.size])
        cache.countContents()
        #expect(cache.usedBytes >= sample.size)
    }

    @Test("pinned content outlives any pressure, until it is unpinned")
    func pins() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 20)
        let pinned = Sample(size: 4 * chunk, seed: 300)
        cache.pin(pinned.hash, true)
        cache.store(pinned)
        for seed in 301..<360 { cache.store(Sample(size: 2 * chunk, seed: UInt64(seed))) }
        #expect(cache.bytes(of: pinned) == pinned.bytes)
        _ = cache.clear()
        #expect(cache.bytes(of: pinned) == pinned.bytes)
        cache.pin(pinned.hash, false)
        _ = cache.clear()
        #expect(cache.bytes(of: pinned) == nil)
        #expect(cache.usedBytes == 0)
    }

    @Test("pinned content goes when it is meant, and is pinned when it comes back")
    func clearPinned() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 20)
        let (pinned, other) = (Sample(size: chunk, seed: 310), Sample(size: chunk, seed: 311))
        cache.store(other)
        cache.pinOnly([pinned.hash])
        cache.store(pinned)
        #expect(cache.pinnedBytes > 0 && cache.pinnedBytes < cache.usedBytes)
        _ = cache.clear(includingPinned: true)
        #expect(cache.usedBytes == 0 && cache.pinnedBytes == 0)
        cache.store(pinned)
        #expect(cache.pinnedBytes == cache.usedBytes)
        cache.pinOnly([])
        #expect(cache.pinnedBytes == 0)
    }

    @Test("after a restart, content pinned before the count of the cache outlives a smaller limit")
    func pinnedRestart() throws {
        let folder = try TemporaryFolder()
        let samples = (0..<20).map { Sample(size: chunk, seed: UInt64(320 + $0)) }
        do {
            let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
            for sample in samples { cache.store(sample) }
        }
        let cache = try DiskBlockCache(directory: folder.path, limit: Int64(2 * chunk))
        cache.pinOnly(Set(samples[..<15].map(\.hash)))
        cache.countContents()
        #expect(samples[..<15].allSatisfy { cache.bytes(of: $0) != nil })
        #expect(samples[15...].allSatisfy { cache.bytes(of: $0) == nil })
    }

    @Test("clearing says how much went, and leaves no file")
    func clear() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        for seed in 400..<410 { cache.store(Sample(size: chunk + 1, seed: UInt64(seed))) }
        let used = cache.usedBytes
        #expect(cache.clear() == used && used >= Int64(10 * (chunk + 1)))
        let left = folderNames(in: folder.path + "/content").flatMap {
            folderNames(in: "\(folder.path)/content/\($0)")
        }
        #expect(left == [])
    }

    @Test("a chunk that was damaged and fetched again is counted once")
    func countedOnce() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let sample = Sample(size: 2 * chunk, seed: 500)
        cache.store(sample)
        let used = cache.usedBytes
        for round in 0..<3 {
            Files.flip(Files(sample, in: folder).data, byte: Int64(round), bit: 1)
            #expect(cache.bytes(of: sample) == nil)
            cache.store(sample)
        }
        #expect(cache.usedBytes == used)
    }

    @Test("content fetched ahead, and then read once, leaves content that is used often")
    func unused() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: Int64(8 * chunk))
        let daily = Sample(size: 2 * chunk, seed: 1)
        cache.store(daily)
        cache.noteUse(of: daily.hash)
        for seed: UInt64 in 100..<140 {
            let sample = Sample(size: chunk, seed: seed)
            _ = cache.insert(
                block: 0, of: sample.hash, size: sample.size, bytes: sample.bytes, unused: true)
            cache.noteUse(of: sample.hash)
        }
        #expect(cache.contains(daily.hash, size: daily.size, range: 0..<daily.size))
    }

    @Test("readers get right bytes or misses while contents come and go")
    func concurrentEviction() throws {
        let folder = try TemporaryFolder()
        let cache = try DiskBlockCache(directory: folder.path, limit: Int64(8 * chunk))
        let samples = (0..<12).map { Sample(size: 2 * chunk + 77, seed: UInt64(600 + $0)) }
        let counts = Mutex((hits: 0, misses: 0))
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            var generator = SeededRandom(seed: UInt64(thread))
            for _ in 0..<150 {
                let sample = samples[Int.random(in: 0..<samples.count, using: &generator)]
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<3:
                    #expect(cache.store(sample) == .accepted)
                case 3:
                    cache.remove(sample.hash)
                default:
                    let lower = Int64.random(in: 0..<sample.size, using: &generator)
                    let upper = Int64.random(in: lower...sample.size, using: &generator)
                    let bytes = cache.bytes(of: sample, lower..<upper)
                    #expect(bytes == nil || bytes == sample[lower..<upper])
                    counts.withLock { counts in
                        if bytes == nil { counts.misses += 1 } else { counts.hits += 1 }
                    }
                }
            }
        }
        let (hits, misses) = counts.withLock { $0 }
        #expect(hits > 0 && misses > 0)
    }
}
