// Large pieces pass the page cache by, with the same bytes as by way of it.

@testable import BlockCache
import Glibc
import TestSupport
import Testing

@Suite("Reading and writing past the page cache")
struct DirectTests {
    private func withFile(
        in folder: TemporaryFolder, _ body: (Int32) throws -> Void
    ) throws {
        let descriptor = open("\(folder.path)/file", O_RDWR | O_CREAT, 0o600)
        #expect(descriptor >= 0)
        defer { close(descriptor) }
        try body(descriptor)
    }

    @Test(
        "written units are there, and partial units are left to others",
        arguments: [0, 1, 4095, 4096, 4097, 1 << 20, 3 << 20 + 8192, 5 << 20 + 1])
    func roundTrip(size: Int) throws {
        let sample = Sample(size: size, seed: UInt64(size))
        let folder = try TemporaryFolder()
        try withFile(in: folder) { file in
            let direct = try #require(DirectFile(file))
            let done = sample.bytes.withUnsafeBytes {
                direct.write($0, at: 8192, by: DirectFile.Buffer())
            }
            #expect(done == size / 4096 * 4096)
            #expect(ContentFile.read(file, at: 8192, count: done) == sample[0..<Int64(done)])
            if done > 0 {
                #expect(direct.read(at: 8192, count: done) == sample[0..<Int64(done)])
                #expect(direct.read(at: 8192, count: done - 1) == sample[0..<Int64(done - 1)])
                #expect(direct.read(at: 8192, count: done + 1) == nil)
            }
        }
    }

    @Test("bytes that others wrote by way of the page cache are seen, up to an odd end")
    func coherence() throws {
        let sample = Sample(size: 1 << 20 + 777, seed: 1)
        let folder = try TemporaryFolder()
        try withFile(in: folder) { file in
            let direct = try #require(DirectFile(file))
            let written = sample.bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
            #expect(written == sample.bytes.count)
            #expect(direct.read(at: 0, count: sample.bytes.count) == sample.bytes)
            #expect(direct.read(at: 4096, count: 700_000) == sample[4096..<704_096])
        }
    }

    @Test("a disk that refuses takes nothing, and says so")
    func refused() throws {
        let folder = try TemporaryFolder()
        try withFile(in: folder) { file in
            let direct = try #require(DirectFile(file))
            let bytes = [UInt8](repeating: 1, count: 1 << 20)
            let done = bytes.withUnsafeBytes {
                // No filesystem has files of that size (EFBIG).
                direct.write($0, at: .max / 4096 * 4096 - 1 << 30, by: DirectFile.Buffer())
            }
            #expect(done == 0)
        }
    }

    @Test("a cache on a filesystem without it works the same")
    func withoutIt() throws {
        let folder = try TemporaryFolder(in: "/dev/shm")
        let cache = try DiskBlockCache(directory: folder.path, limit: 1 << 30)
        let sample = Sample(size: 9 << 20 + 11, seed: 2)
        #expect(cache.store(sample) == .accepted)
        #expect(cache.bytes(of: sample) == sample.bytes)
    }
}
