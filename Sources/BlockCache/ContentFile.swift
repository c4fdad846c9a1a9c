// One content on disk: a sparse file with its bytes, and an index of the chunks present with their
// checksums. Not responsible for retention.

import CXXHash
import ContentHashing
import Core
import Glibc
import LocalFiles
import Saturating
import Synchronization

/// The layout of an index: a header, one digest per block, one checksum per chunk.
///
/// A digest or checksum of zeros means that the block or chunk is absent. Bytes are written before
/// their checksum, so after a crash a chunk is either valid or absent; a chunk torn by a power cut
/// does not match its checksum, which is the same as absent.
struct ContentLayout: Hashable, Sendable {
    /// Unit of verification: a small read must not have to verify a whole block.
    static let chunkSize: Int64 = 64 * 1024
    static var blockSize: Int64 { Int64(clamping: ContentHasher.blockSize) }
    static let digestSize = 32
    /// XXH64: enough against bit rot, which is no adversary, at a fraction of SHA-256's cost.
    static let sumSize = 8
    /// "DBXC", the version, the size, the hash. The hash binds the files to their name: files that
    /// a repair or a copy has given another content's name must not be accepted.
    static let headerSize = 48
    private static let magic: [UInt8] = [0x44, 0x42, 0x58, 0x43, 3, 0, 0, 0]

    let hash: ContentHash
    let size: Int64

    var chunkCount: Int { Self.units(in: size, of: Self.chunkSize) }
    var blockCount: Int { Self.units(in: size, of: Self.blockSize) }

    /// How many units of a size the bytes need, rounded up.
    private static func units(in bytes: Int64, of size: Int64) -> Int {
        Int(clamping: (max(0, bytes) +| (size -| 1)).divided(by: size))
    }

    var header: [UInt8] {
        var header = Self.magic
        withUnsafeBytes(of: size.littleEndian) { header.append(contentsOf: $0) }
        header.append(contentsOf: hash.bytes)
        return header
    }

    func digestOffset(_ block: Int) -> Int64 {
        Int64(clamping: Self.headerSize +| block *| Self.digestSize)
    }

    func sumOffset(_ chunk: Int) -> Int64 {
        digestOffset(blockCount) +| Int64(clamping: chunk *| Self.sumSize)
    }

    /// The bytes of a chunk; empty past the end of the content.
    func chunkRange(_ chunk: Int) -> Range<Int64> {
        let start = Int64(clamping: chunk) *| Self.chunkSize
        return start..<max(start, min(start +| Self.chunkSize, size))
    }

    func chunks(of range: Range<Int64>) -> Range<Int> {
        let first = Int(clamping: range.lowerBound / Self.chunkSize)
        return first..<max(first, Self.units(in: range.upperBound, of: Self.chunkSize))
    }
}

/// An open content. Reads and writes may run concurrently: chunks are written before their
/// checksums.
final class ContentFile: Sendable {
    let layout: ContentLayout
    private let data: Int32
    private let index: Int32
    /// The data file opened a second time, bypassing the page cache.
    private let direct: DirectFile?
    private let buffer: DirectFile.Buffer
    /// Bytes in chunks that were found damaged and dropped, since the last `takeLost`. Lock: a
    /// leaf, held while a checksum is cleared, so that a chunk is counted once.
    private let lost = Mutex<Int64>(0)
    /// Number of leading blocks whose digests are recorded. Lock: a leaf.
    private let notedBlocks = Mutex(0)
    /// Digests that are read at once: memory use does not depend on the size that a content claims.
    private static let digestsAtOnce = 128

    /// Opens the two files, creating them if `creates`; nil if they are missing or foreign.
    init?(
        dataPath: String, indexPath: String, hash: ContentHash, size: Int64, creates: Bool,
        buffer: DirectFile.Buffer
    ) {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (creates ? O_CREAT : 0)
        let data = open(dataPath, flags, 0o600)
        guard data >= 0 else { return nil }
        let index = open(indexPath, flags, 0o600)
        guard index >= 0 else {
            close(data)
            return nil
        }
        self.layout = ContentLayout(hash: hash, size: size)
        self.data = data
        self.index = index
        self.buffer = buffer
        direct = size >= DiskBlockCache.directSize ? DirectFile(data) : nil
        let header = layout.header
        let known = Self.read(index, at: 0, count: header.count)
        if known == header { return }
        // New, or an index of another version, or a torn one: its entries are invalid.
        guard creates, ftruncate(index, 0) == 0, Self.write(index, header, at: 0) else {
            return nil
        }
    }

    deinit {
        close(data)
        close(index)
    }

    /// Verified bytes of the content; nil when any of them is absent or damaged.
    func bytes(_ range: Range<Int64>) -> [UInt8]? {
        guard range.lowerBound >= 0, range.upperBound <= layout.size, !range.isEmpty else {
            return range.isEmpty ? [] : nil
        }
        let chunks = layout.chunks(of: range)
        guard
            let sums = Self.read(
                index, at: layout.sumOffset(chunks.lowerBound),
                count: chunks.count *| ContentLayout.sumSize)
        else { return nil }
        let start = layout.chunkRange(chunks.lowerBound).lowerBound
        let end = layout.chunkRange(chunks.upperBound -| 1).upperBound
        // Absent chunks are detected before the read, which would first read their holes.
        for number in 0..<chunks.count where Self.sum(sums, number).allSatisfy({ $0 == 0 }) {
            return nil
        }
        guard let bytes = read(at: start, count: Int(clamping: end -| start)) else {
            forgetUnreadable(chunks)
            return nil
        }
        for (number, chunk) in chunks.enumerated() {
            let part = layout.chunkRange(chunk)
            let found = Self.sum(of: Self.slice(of: bytes[...], at: start, part))
            guard found.elementsEqual(Self.sum(sums, number)) else {
                forget(chunk)
                return nil
            }
        }
        if start == range.lowerBound && end == range.upperBound { return bytes }
        return Array(Self.slice(of: bytes[...], at: start, range))
    }

    /// Whether all chunks of a range are present; they are not read.
    func contains(_ range: Range<Int64>) -> Bool {
        guard range.lowerBound >= 0, range.upperBound <= layout.size else { return range.isEmpty }
        return layout.chunks(of: range).allSatisfy(isPresent)
    }

    /// Stores whole chunks from an offset; a partial last chunk is left out. Returns how many bytes
    /// are new, or nil when a write failed.
    func store(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Int64? {
        let end = offset +| Int64(clamping: bytes.count)
        let chunks = layout.chunks(of: offset..<end).filter {
            let range = layout.chunkRange($0)
            return offset <= range.lowerBound && range.upperBound <= end
        }
        guard let first = chunks.first, let last = chunks.last else { return 0 }
        let start = layout.chunkRange(first).lowerBound
        let whole = Self.slice(of: bytes, at: offset, start..<layout.chunkRange(last).upperBound)
        let known = Self.read(
            index, at: layout.sumOffset(first), count: chunks.count *| ContentLayout.sumSize)
        var sums: [UInt8] = []
        sums.reserveCapacity(chunks.count *| ContentLayout.sumSize)
        var added: Int64 = 0
        for (number, chunk) in chunks.enumerated() {
            let range = layout.chunkRange(chunk)
            sums.append(contentsOf: Self.sum(of: Self.slice(of: bytes, at: offset, range)))
            let isPresent = known.map { Self.sum($0, number).contains { $0 != 0 } }
            // An index that ends before these checksums has none of them.
            if !(isPresent ?? self.isPresent(chunk)) { added +|= Int64(clamping: range.count) }
        }
        // The bytes before their checksum, which declares them valid.
        guard write(whole, at: start),
            Self.write(index, sums, at: layout.sumOffset(first))
        else { return nil }
        return added
    }

    /// The bytes of a range of the content, out of bytes that begin at an offset.
    private static func slice(
        of bytes: ArraySlice<UInt8>, at offset: Int64, _ range: Range<Int64>
    ) -> ArraySlice<UInt8> {
        bytes.dropFirst(Int(clamping: max(0, range.lowerBound -| offset))).prefix(range.count)
    }

    /// Records the checksums of chunks whose bytes are in the file already. Returns whether the
    /// write succeeded.
    func note(sums: [UInt8], from chunk: Int) -> Bool {
        Self.write(index, sums, at: layout.sumOffset(chunk))
    }

    /// Records a whole block's digest, for the check of the whole content.
    func noteDigest(_ digest: ContentHash, of block: Int) {
        _ = Self.write(index, digest.bytes, at: layout.digestOffset(block))
    }

    /// Whether all blocks are present and do not match the hash. A digest recorded by an earlier
    /// process may be torn, and unlike bytes it has no checksum, so the bytes are then rehashed.
    func contradicts(_ hash: ContentHash) -> Bool {
        guard let noted = notedHash, noted != hash else { return false }
        return renewDigests().map { $0 != hash } ?? false
    }

    /// Whether all blocks have digests. Resumes where the last check ended, so that storing a block
    /// does not check all the others.
    private var hasAllDigests: Bool {
        var first = notedBlocks.withLock { $0 }
        defer { notedBlocks.withLock { $0 = first } }
        while first < layout.blockCount {
            let count = min(Self.digestsAtOnce, layout.blockCount -| first)
            // An index that ends here has no further digests.
            let bytes =
                Self.read(
                    index, at: layout.digestOffset(first), count: count *| ContentLayout.digestSize)
                ?? Self.read(index, at: layout.digestOffset(first), count: ContentLayout.digestSize)
            guard let bytes else { return false }
            for start in stride(from: 0, to: bytes.count, by: ContentLayout.digestSize) {
                let digest = bytes[start...].prefix(ContentLayout.digestSize)
                if digest.allSatisfy({ $0 == 0 }) { return false }
                first +|= 1
            }
        }
        return true
    }

    private var notedHash: ContentHash? {
        guard hasAllDigests else { return nil }
        let count = layout.blockCount *| ContentLayout.digestSize
        guard let bytes = Self.read(index, at: layout.digestOffset(0), count: count) else {
            return nil
        }
        var digests: [ContentHash] = []
        for start in stride(from: 0, to: count, by: ContentLayout.digestSize) {
            let digest = bytes[start...].prefix(ContentLayout.digestSize)
            guard !digest.allSatisfy({ $0 == 0 }), let hash = ContentHash(bytes: digest) else {
                return nil
            }
            digests.append(hash)
        }
        return ContentHash(blockDigests: digests)
    }

    /// Recomputes the digests of the blocks present, and returns the hash if all of them are.
    private func renewDigests() -> ContentHash? {
        defer { notedBlocks.withLock { $0 = 0 } }
        var digests: [ContentHash] = []
        for block in 0..<layout.blockCount {
            let start = Int64(clamping: block) *| ContentLayout.blockSize
            let range = start ..<| min(start +| ContentLayout.blockSize, layout.size)
            guard let bytes = bytes(range) else {
                _ = Self.write(
                    index, [UInt8](repeating: 0, count: ContentLayout.digestSize),
                    at: layout.digestOffset(block))
                continue
            }
            let digest = bytes.withUnsafeBytes { ContentHasher.blockDigest($0) }
            noteDigest(digest, of: block)
            digests.append(digest)
        }
        return digests.count == layout.blockCount ? ContentHash(blockDigests: digests) : nil
    }

    /// Counts the chunks present and the damaged ones among them, which are dropped.
    func verify() -> (checked: Int, damaged: Int) {
        var checked = 0
        var damaged = 0
        for chunk in 0..<layout.chunkCount where isPresent(chunk) {
            checked +|= 1
            if bytes(layout.chunkRange(chunk)) == nil { damaged +|= 1 }
        }
        return (checked, damaged)
    }

    private func isPresent(_ chunk: Int) -> Bool {
        let sum = Self.read(index, at: layout.sumOffset(chunk), count: ContentLayout.sumSize)
        return sum.map { !$0.allSatisfy { $0 == 0 } } ?? false
    }

    /// Bytes dropped since the last call.
    func takeLost() -> Int64 {
        lost.withLock { lost in
            defer { lost = 0 }
            return lost
        }
    }

    private func forget(_ chunk: Int) {
        lost.withLock { lost in
            guard isPresent(chunk) else { return }
            let isForgotten = Self.write(
                index, [UInt8](repeating: 0, count: ContentLayout.sumSize),
                at: layout.sumOffset(chunk))
            if isForgotten { lost +|= Int64(clamping: layout.chunkRange(chunk).count) }
        }
    }

    /// Drops the chunks whose bytes the file lacks.
    private func forgetUnreadable(_ chunks: Range<Int>) {
        for chunk in chunks {
            let range = layout.chunkRange(chunk)
            if Self.read(data, at: range.lowerBound, count: range.count) == nil { forget(chunk) }
        }
    }

    // MARK: Bytes

    private static func sum(_ sums: [UInt8], _ number: Int) -> ArraySlice<UInt8> {
        sums[(number *| ContentLayout.sumSize)...].prefix(ContentLayout.sumSize)
    }

    static func sum(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        let hash = bytes.withUnsafeBytes { cxxhash_64($0.baseAddress, $0.count) }
        // Zeros mean absent; one checksum in 2^64 is changed to 1.
        return withUnsafeBytes(of: max(1, hash).littleEndian) { Array($0) }
    }

    /// Exactly `count` bytes, or nil.
    static func read(_ descriptor: Int32, at offset: Int64, count: Int) -> [UInt8]? {
        guard count > 0 else { return [] }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let wanted = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
            initialized = FileBytes.read(into: wanted, at: offset, from: descriptor)
        }
        return bytes.count == count ? bytes : nil
    }

    /// Writes to the data file: large pieces bypass the page cache if possible.
    private func write(_ bytes: ArraySlice<UInt8>, at offset: Int64) -> Bool {
        guard let direct, bytes.count >= DiskBlockCache.directSize else {
            return Self.write(data, bytes, at: offset)
        }
        let done = bytes.withUnsafeBytes { direct.write($0, at: offset, by: buffer) }
        guard done < bytes.count else { return true }
        return Self.write(
            data, bytes.dropFirst(done), at: offset +| Int64(clamping: done))
    }

    /// Reads from the data file: large pieces bypass the page cache if possible.
    private func read(at offset: Int64, count: Int) -> [UInt8]? {
        if count >= DiskBlockCache.directSize, let bytes = direct?.read(at: offset, count: count) {
            return bytes
        }
        return Self.read(data, at: offset, count: count)
    }

    private static func write(
        _ descriptor: Int32, _ bytes: some Collection<UInt8>, at offset: Int64
    ) -> Bool {
        let done: Bool? = bytes.withContiguousStorageIfAvailable { buffer in
            FileBytes.write(UnsafeRawBufferPointer(buffer), at: offset, to: descriptor)
                == buffer.count
        }
        return done ?? false
    }
}
