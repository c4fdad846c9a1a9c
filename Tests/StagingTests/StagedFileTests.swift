// Staged content against a plain array of bytes: after writes, cuts, zeros and fetches in
// any order, a read shows the bytes of a plain file. Not responsible for disks that refuse a write
// (`RefusedWriteTests`).

import ContentHashing
import Core
import Foundation
import MetadataStore
import TestSupport
import Testing

@testable import Staging

@Suite(.serialized) struct StagedFileTests {
    private static let block = Int64(ContentHasher.blockSize)

    let store: MetadataStore
    let staging: StagingArea

    init() throws {
        let folder = TemporaryFolder.make()
        store = try MetadataStore(path: folder + "/tree.sqlite")
        staging = try StagingArea(directory: folder + "/staging", store: store)
    }

    @Test("content that its node has given up does not come back with the hash of an upload")
    func givenUp() throws {
        let file = try begin(over: [1, 2, 3])
        try store.write { try $0.removeStaged(of: file.inode) }
        file.noteHash(ContentHasher.hash([1, 2, 3]), generation: file.generation)
        try store.write { try file.persist(in: $0) }
        #expect(try store.read { try $0.node(file.inode)?.staged } == nil)
    }

    @Test("random changes over a base read back as on a plain file", arguments: 0..<4)
    func randomChanges(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let baseBytes = random.bytes(Int(Self.block) + 12_345)
        var expected = baseBytes
        let file = try begin(over: baseBytes)
        for _ in 0..<40 {
            let limit = Int64(expected.count) + 100_000
            let offset = Int64.random(in: 0..<limit, using: &random)
            let count = Int.random(
                in: 0..<(Int.random(in: 0..<8, using: &random) > 0 ? 5000 : Int(Self.block) * 2),
                using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0...2:
                let bytes = random.bytes(count)
                try write(file, offset, bytes, base: baseBytes)
                expected.overwrite(at: Int(offset), with: bytes)
            case 3:
                let range = offset..<offset + Int64(count)
                let extends = Bool.random(using: &random)
                try fillUntilDone(file, base: baseBytes) {
                    try file.zero(range, extends: extends, now: .now())
                }
                let upper =
                    extends ? Int(range.upperBound) : min(Int(range.upperBound), expected.count)
                if Int(offset) < upper {
                    expected.overwrite(
                        at: Int(offset), with: [UInt8](repeating: 0, count: upper - Int(offset)))
                }
            case 4:
                #expect(try file.truncate(to: offset, now: .now()) == .written)
                if Bool.random(using: &random) { try file.trim() }
                expected.resize(Int(offset))
            default:
                let range = Int(offset)..<Int(offset) + count
                #expect(try read(file, range, base: baseBytes) == expected.slice(range))
            }
            #expect(file.size == Int64(expected.count))
        }
        #expect(try read(file, 0..<expected.count, base: baseBytes) == expected)
        for range in file.missingRanges {
            try file.fill(
                range, with: Array(baseBytes[Int(range.lowerBound)..<Int(range.upperBound)]),
                of: try #require(file.base))
        }
        var sent = [UInt8](repeating: 1, count: expected.count)
        try sent.withUnsafeMutableBytes { try file.readForUpload(at: 0, into: $0) }
        #expect(sent == expected)
    }

    @Test("zeros in a file take no space on the disk, and free the space of older bytes")
    func holes() throws {
        let file = try begin(over: [])
        let bytes = [UInt8](repeating: 7, count: 8 << 20)
        try write(file, 0, bytes, base: [])
        let before = try allocated(file)
        #expect(before >= Int64(bytes.count))
        #expect(try file.zero(1 << 20..<8 << 20, extends: false, now: .now()) == .written)
        #expect(try allocated(file) <= 2 << 20)
        // A whole tebibyte, at once.
        #expect(try file.truncate(to: 1 << 40, now: .now()) == .written)
        #expect(try file.zero(0..<1 << 40, extends: false, now: .now()) == .written)
        #expect(try file.zero(0..<1 << 41, extends: true, now: .now()) == .written)
        #expect(try allocated(file) <= 1 << 20)
        #expect(file.size == 1 << 41)
        #expect(try read(file, 0..<4096, base: []) == [UInt8](repeating: 0, count: 4096))
    }

    /// Bytes that the staging file takes on the disk.
    private func allocated(_ file: StagedFile) throws -> Int64 {
        let number = try #require(try store.read { try $0.node(file.inode)?.staged?.file })
        var status = stat()
        try #require(stat(staging.path(of: number), &status) == 0)
        return Int64(status.st_blocks) * 512
    }

    @Test("persisted content is there after the process has died, block by block")
    func persistence() throws {
        var random = SeededRandom(seed: 5)
        let baseBytes = random.bytes(Int(Self.block) + 1000)
        let file = try begin(over: baseBytes)
        try write(file, Self.block + 10, [1, 2, 3], base: baseBytes)
        try store.write { try file.persist(in: $0) }
        #expect(!file.hasUnsavedChanges)
        let other = try StagingArea(directory: staging.directory, store: store)
        let reopened = try #require(try other.existing(file.inode))
        #expect(reopened !== file)
        var expected = baseBytes
        expected.overwrite(at: Int(Self.block) + 10, with: [1, 2, 3])
        #expect(try read(reopened, 0..<expected.count, base: baseBytes) == expected)
        #expect(try store.read { try $0.node(file.inode)?.modified } != WallTime(seconds: 0))
    }

    @Test("what a dead process had written behind the base and not saved never shows in its block")
    func unsavedBehindBase() throws {
        let baseBytes: [UInt8] = [1, 2, 3]
        let file = try begin(over: baseBytes)
        let size = Self.block * 3
        _ = try file.truncate(to: size, now: .now())
        try store.write { try file.persist(in: $0) }
        try write(file, 1000, [7], base: baseBytes)
        try write(file, Self.block * 2 + 10, [8, 9], base: baseBytes)
        let other = try StagingArea(directory: staging.directory, store: store)
        let reopened = try #require(try other.existing(file.inode))
        try write(reopened, 2000, [4], base: baseBytes)
        try write(reopened, Self.block * 2 + 20, [5], base: baseBytes)
        var expected = [UInt8](repeating: 0, count: Int(size))
        expected.overwrite(at: 0, with: baseBytes)
        expected[2000] = 4
        expected[Int(Self.block) * 2 + 20] = 5
        #expect(try read(reopened, 0..<expected.count, base: baseBytes) == expected)
    }

    @Test("what a transaction that was undone has not saved is still to be saved")
    func undone() throws {
        struct DiskIsFull: Error {}
        let file = try begin(over: [])
        try write(file, 0, [1, 2, 3], base: [])
        let modified = file.modified
        #expect(throws: DiskIsFull.self) {
            try store.write { transaction in
                try file.persist(in: transaction)
                throw DiskIsFull()
            }
        }
        #expect(file.hasUnsavedChanges)
        #expect(file.modified == modified)
        try store.write { try file.persist(in: $0) }
        #expect(!file.hasUnsavedChanges)
        #expect(file.modified == nil)
        #expect(try reopened(file) == [1, 2, 3])
    }

    @Test("a cut-off end is there after the process has died before the rows were saved")
    func cutBeforeRows() throws {
        let file = try begin(over: [])
        try write(file, 0, [1, 2, 3, 4, 5], base: [])
        try store.write { try file.persist(in: $0) }
        #expect(try file.truncate(to: 2, now: .now()) == .written)
        #expect(try reopened(file) == [1, 2, 3, 4, 5])

        try store.write { try file.persist(in: $0) }
        #expect(try reopened(file) == [1, 2])
        try file.trim()
        #expect(try reopened(file) == [1, 2])
        #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == Data([1, 2]))
    }

    @Test("what a dead process had written and not saved never shows behind the end")
    func unsavedTail() throws {
        let file = try begin(over: [])
        try write(file, 0, [1, 2], base: [])
        try store.write { try file.persist(in: $0) }
        try write(file, 2, [3, 4, 5], base: [])
        let other = try StagingArea(directory: staging.directory, store: store)
        let reopened = try #require(try other.existing(file.inode))
        #expect(try reopened.truncate(to: 4, now: .now()) == .written)
        #expect(try read(reopened, 0..<4, base: []) == [1, 2, 0, 0])
    }

    @Test("bytes of a base do not get into another one that is below by the time they are here")
    func lateBytes() throws {
        let old = [UInt8](repeating: 1, count: 1000)
        let file = try begin(over: old)
        let base = try #require(file.base)
        let late = try #require(file.missingRanges.first)
        #expect(try file.truncate(to: 0, now: .now()) == .written)
        let other = FileVersion(revision: Revision("other"), hash: .empty, size: 2000)
        #expect(try file.clone(other, range: 0..<2000, now: .now()) == .written)
        try file.fill(late, with: old, of: base)
        #expect(file.missingRanges == [0..<2000])

        // Of the same base, but only a part of the base below now.
        let part = try #require(file.base)
        try file.fill(0..<1000, with: old, of: part)
        #expect(file.missingRanges == [0..<2000])
    }

    /// The content that another process finds.
    private func reopened(_ file: StagedFile) throws -> [UInt8] {
        let other = try StagingArea(directory: staging.directory, store: store)
        let reopened = try #require(try other.existing(file.inode))
        return try read(reopened, 0..<Int(reopened.size), base: [])
    }

    @Test("content that changed after it was sent is not retired")
    func retireOnlyUnchanged() throws {
        let file = try begin(over: [])
        try write(file, 0, [1], base: [])
        let generation = try #require(file.contentToSend()?.generation)
        try write(file, 0, [2], base: [])
        let content = FileVersion(revision: Revision("r"), hash: .empty, size: 1)
        #expect(!file.retire(generation: generation, as: content))
        #expect(file.retire(generation: file.generation, as: content))
        #expect(
            try [3].withUnsafeBytes { try file.write(at: 0, $0, now: .now()) } == .retired(content))
        #expect(try file.truncate(to: 0, now: .now()) == .retired(content))
        #expect(file.contentToSend() == nil)
    }

    @Test("staging files that no node names leave the folder at the next start, and no others")
    func leftovers() throws {
        let file = try begin(over: [])
        let stray = staging.directory + "/999"
        #expect(FileManager.default.createFile(atPath: stray, contents: Data([1])))
        _ = try StagingArea(directory: staging.directory, store: store)
        #expect(!FileManager.default.fileExists(atPath: stray))
        #expect(FileManager.default.fileExists(atPath: file.path))
    }

    // MARK: Steps

    private func begin(over bytes: [UInt8]) throws -> StagedFile {
        try staging.begin(over: bytes, in: store)
    }

    private func fillUntilDone(
        _ file: StagedFile, base: [UInt8], _ change: () throws -> StagedWrite
    ) throws {
        for _ in 0..<2 {
            switch try change() {
            case .written: return
            case .retired, .replaced, .vouched: Issue.record("it has ended")
            case .partly(let part): throw part.refusal
            case .needsBase(let ranges):
                for range in ranges {
                    try file.fill(
                        range, with: Array(base[Int(range.lowerBound)..<Int(range.upperBound)]),
                        of: try #require(file.base))
                }
            }
        }
        Issue.record("the base was asked for twice")
    }

    private func write(
        _ file: StagedFile, _ offset: Int64, _ bytes: [UInt8], base: [UInt8]
    ) throws {
        try fillUntilDone(file, base: base) {
            try bytes.withUnsafeBytes { try file.write(at: offset, $0, now: .now()) }
        }
    }

    private func read(_ file: StagedFile, _ range: Range<Int>, base: [UInt8]) throws -> [UInt8] {
        switch try file.read(at: Int64(range.lowerBound), count: range.count) {
        case .bytes(let bytes): return bytes
        case .retired: return []
        case .mixed(let segments):
            var result: [UInt8] = []
            for segment in segments {
                switch segment {
                case .bytes(let bytes): result += bytes
                case .zeros(let count): result += [UInt8](repeating: 0, count: count)
                case .base(let range):
                    result += base[Int(range.lowerBound)..<Int(range.upperBound)]
                }
            }
            return result
        }
    }
}
