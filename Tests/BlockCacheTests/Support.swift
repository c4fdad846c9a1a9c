// Shared by the tests of the cache: folders that go away, content that can be told apart, and
// access to the files behind the cache's back.

@testable import BlockCache
import ContentHashing
import Glibc
import LocalFiles
import TestSupport

struct SystemError: Error {
    var code: Int32
}

/// Content with a seed: no two chunks are alike.
struct Sample: Sendable {
    let bytes: [UInt8]
    let hash: ContentHash

    init(size: Int, seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size + 8)
        while bytes.count < size {
            withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
        }
        bytes.removeLast(bytes.count - size)
        self.bytes = bytes
        hash = ContentHasher.hash(bytes)
    }

    var size: Int64 { Int64(bytes.count) }
    var whole: Range<Int64> { 0..<size }
    var blockCount: Int { (bytes.count + ContentHasher.blockSize - 1) / ContentHasher.blockSize }

    func block(_ index: Int) -> [UInt8] {
        let start = index * ContentHasher.blockSize
        return Array(bytes[start..<min(start + ContentHasher.blockSize, bytes.count)])
    }

    subscript(_ range: Range<Int64>) -> [UInt8] {
        Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }
}

extension DiskBlockCache {
    /// Stores all blocks; returns what the last insertion found.
    @discardableResult
    func store(_ sample: Sample) -> Insertion {
        var result = Insertion.accepted
        for block in 0..<sample.blockCount {
            result = insert(
                block: block, of: sample.hash, size: sample.size, bytes: sample.block(block))
        }
        return result
    }

    func bytes(of sample: Sample, _ range: Range<Int64>? = nil) -> [UInt8]? {
        bytes(of: sample.hash, size: sample.size, range: range ?? sample.whole)
    }
}

/// The two files of a content, looked at behind the cache's back.
struct Files {
    let data: String
    let index: String

    init(_ sample: Sample, in folder: TemporaryFolder) {
        data = "\(folder.path)/content/\(sample.hash.hex.prefix(2))/\(sample.hash.hex)"
        index = data + ".index"
    }

    static func size(_ path: String) -> Int64 {
        var status = stat()
        return lstat(path, &status) == 0 ? Int64(status.st_size) : -1
    }

    static func inode(_ path: String) -> UInt64 {
        var status = stat()
        return lstat(path, &status) == 0 ? UInt64(status.st_ino) : 0
    }

    static func flip(_ path: String, byte: Int64, bit: Int) {
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        var value: UInt8 = 0
        pread(descriptor, &value, 1, off_t(byte))
        value ^= 1 << UInt8(bit)
        pwrite(descriptor, &value, 1, off_t(byte))
    }

    static func write(_ bytes: [UInt8], to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(descriptor) }
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return }
            done += count
        }
    }

    static func read(_ path: String) -> [UInt8]? {
        let size = size(path)
        let descriptor = open(path, O_RDONLY)
        guard size >= 0, descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        return Glibc.read(descriptor, &bytes, bytes.count) == bytes.count ? bytes : nil
    }

    /// Bytes on disk of everything in a folder.
    static func diskUsage(_ path: String) -> Int64 {
        var status = stat()
        guard lstat(path, &status) == 0 else { return 0 }
        if status.st_mode & S_IFMT != S_IFDIR { return Int64(status.st_blocks) * 512 }
        return folderNames(in: path).reduce(0) { $0 + diskUsage("\(path)/\($1)") }
    }
}

/// Copies a folder of files, two levels deep, as the cache has them.
func copyTree(_ source: String, to target: String, making parent: String) throws {
    for path in [parent, target] where mkdir(path, 0o700) != 0 && errno != EEXIST {
        throw SystemError(code: errno)
    }
    for folder in folderNames(in: source) {
        guard mkdir("\(target)/\(folder)", 0o700) == 0 else { throw SystemError(code: errno) }
        for name in folderNames(in: "\(source)/\(folder)") {
            let bytes = Files.read("\(source)/\(folder)/\(name)") ?? []
            Files.write(bytes, to: "\(target)/\(folder)/\(name)")
        }
    }
}

/// Where the parts of an index lie, reckoned from its end: digests of 32 bytes per block, then sums
/// of 8 bytes per chunk.
struct IndexLayout {
    let headerSize: Int64
    let chunkCount: Int
    private let blockCount: Int

    init(_ sample: Sample, indexSize: Int64) {
        chunkCount = (sample.bytes.count + 65535) / 65536
        blockCount = sample.blockCount
        headerSize = indexSize - Int64(32 * sample.blockCount + 8 * chunkCount)
    }

    func digestOffset(_ block: Int) -> Int64 { headerSize + Int64(32 * block) }

    func sumOffset(_ chunk: Int) -> Int64 { digestOffset(blockCount) + Int64(8 * chunk) }
}
