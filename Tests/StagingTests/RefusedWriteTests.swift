// Writes that the disk refuses, wholly or from a byte on: the part that it took is content, and
// nothing else is. Not responsible for flushes that fail (`FlushFailureTests`).

import ContentHashing
import Core
import Foundation
import MetadataStore
import Synchronization
import TestSupport
import Testing

@testable import Staging

@Suite(.serialized) struct RefusedWriteTests {
    private static let block = Int64(ContentHasher.blockSize)

    let store: MetadataStore
    let staging: StagingArea

    init() throws {
        let folder = TemporaryFolder.make()
        store = try MetadataStore(path: folder + "/tree.sqlite")
        staging = try StagingArea(directory: folder + "/staging", store: store)
    }

    @Test("a disk that has only the space of the database takes no content, and a removal goes on")
    func fullDisk() throws {
        let folder = TemporaryFolder.make()
        let free = Atomic<Int64>(1 << 30)
        let reserve = SpaceReserve(beside: folder + "/tree.sqlite", largest: 1 << 20) { _ in
            (free.load(ordering: .relaxed), 1 << 30)
        }
        let store = try MetadataStore(path: folder + "/tree.sqlite", reserve: reserve)
        let staging = try StagingArea(directory: folder + "/staging", store: store)
        func begin(_ name: String) throws -> StagedFile {
            try store.write { transaction in
                let inode = try transaction.insert(
                    .file, at: Place(parent: .root, name: FileName(name)), local: LocalFacts())
                var node = try #require(try transaction.node(inode))
                return try staging.beginNew(&node, in: transaction)
            }
        }
        let file = try begin("a")
        func write() throws -> StagedWrite {
            try ([1, 2] as [UInt8]).withUnsafeBytes { try file.write(at: 0, $0, now: .now()) }
        }
        #expect(try write() == .written)
        free.store(0, ordering: .relaxed)
        reserve.release()
        let error = #expect(throws: StagingError.self) { try write() }
        #expect(error?.isOfFullDisk == true && file.size == 2)
        #expect(throws: StagingError.self) { try begin("b") }
        #expect(try file.truncate(to: 0, now: .now()) == .written)
        try store.write { try file.persist(in: $0) }
        free.store(1 << 30, ordering: .relaxed)
        #expect(try write() == .written)
    }

    @Test("a write that the disk refuses leaves the base below")
    func refusedWrite() throws {
        let file = try begin(over: [1, 2, 3])
        // Open for reading only, so that every write fails.
        let sealed = StagedFile(
            inode: file.inode, content: try #require(file.contentToSend()), path: file.path,
            descriptor: open(file.path, O_RDONLY | O_CLOEXEC), flusher: file.bytes.flusher)
        #expect(throws: StagingError.self) {
            try [7, 8, 9].withUnsafeBytes { try sealed.write(at: 0, $0, now: .now()) }
        }
        #expect(sealed.missingRanges == [0..<3])
    }

    @Test("of a write that the disk takes in part, that part is content, and no other byte")
    func partialWrite() throws {
        let limit = try Self.limitFiles()
        let file = try begin(over: [])
        let generation = file.generation
        let written = try [UInt8](repeating: 7, count: 300).withUnsafeBytes {
            try file.write(at: limit - 100, $0, now: .now())
        }
        let refusal = StagingError(code: EFBIG)
        #expect(written == .partly(PartialWrite(count: 100, refusal: refusal)))
        #expect(file.size == limit)
        #expect(file.generation > generation)
        #expect(throws: refusal) {
            try [8].withUnsafeBytes { try file.write(at: limit, $0, now: .now()) }
        }
        #expect(file.size == limit)
        guard case .bytes(let end) = try file.read(at: limit - 101, count: 1000) else {
            Issue.record("the content has no base")
            return
        }
        #expect(end == [0] + [UInt8](repeating: 7, count: 100))
    }

    @Test("a block of whose base the disk takes a part only stays the base's")
    func partialBlock() throws {
        let limit = try Self.limitFiles()
        let inode = try begin(over: []).inode
        let border = limit / Self.block * Self.block
        let base = StagedContent.Base(
            revision: Revision("base"), hash: .empty, size: limit + 10, limit: limit + 10)
        let file = try store.write { transaction in
            try staging.begin(inode, base: base, size: base.size, in: transaction)
        }
        // One whole block, and all that the base has of the next one.
        let start = border - Self.block
        let bytes = [UInt8](repeating: 7, count: Int(limit + 10 - start))
        let written = try bytes.withUnsafeBytes { try file.write(at: start, $0, now: .now()) }
        let refusal = StagingError(code: EFBIG)
        #expect(written == .partly(PartialWrite(count: Int(Self.block), refusal: refusal)))
        #expect(file.missingRanges(in: start..<limit + 10) == [border..<limit + 10])
        // Nothing of such a block alone is content.
        #expect(throws: refusal) {
            try bytes.suffix(Int(limit + 10 - border)).withUnsafeBytes {
                try file.write(at: border, $0, now: .now())
            }
        }
        #expect(file.missingRanges(in: start..<limit + 10) == [border..<limit + 10])
    }

    @Test("a refused write that is no content leaves no doubt about the content before")
    func refusedAndCut() throws {
        let limit = try Self.limitFiles()
        let folder = TemporaryFolder.make()
        var local = try LocalParts(in: folder)
        let border = limit / Self.block * Self.block
        let file = try local.write("text", to: "a")
        let base = StagedContent.Base(
            revision: Revision("base"), hash: .empty, size: limit + 10, limit: limit + 10)
        let edit = try local.store.write { transaction in
            try local.staging.begin(file.inode, base: base, size: base.size, in: transaction)
        }
        let bytes = [UInt8](repeating: 7, count: Int(Self.block))
        func write(at offset: Int64, _ count: Int64) throws {
            _ = try bytes.prefix(Int(count)).withUnsafeBytes {
                try edit.write(at: offset, $0, now: .now())
            }
        }
        try write(at: border - Self.block, Self.block)
        try local.store.write { try edit.persist(in: $0) }
        let before = FileFacts(at: edit.path)
        // Some filesystems have times of four milliseconds.
        usleep(20_000)
        // All that the base has of the next block: the disk takes the first bytes.
        #expect(throws: StagingError(code: EFBIG)) { try write(at: border, limit + 10 - border) }
        let after = FileFacts(at: edit.path)
        #expect(after?.size == limit && after?.modified == before?.modified)
        try local.staging.flush()
        #expect(try local.node("a")?.staged?.isFlushed == true)
        try local.store.forgetSystem()
        local = try LocalParts(in: folder)
        #expect(local.staging.found.isEmpty)
        #expect(try local.node("a")?.staged?.file == edit.number)
    }

    /// Makes the system refuse bytes behind an offset within a block, to which no other test comes,
    /// and returns the offset.
    private static func limitFiles() throws -> Int64 {
        signal(SIGXFSZ, SIG_IGN)
        let offset = Int64(3 << 40) + 1000
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        try #require(getrlimit(resource, &limit) == 0)
        limit.rlim_cur = min(limit.rlim_max, rlim_t(offset))
        try #require(setrlimit(resource, &limit) == 0)
        return offset
    }

    private func begin(over bytes: [UInt8]) throws -> StagedFile {
        try staging.begin(over: bytes, in: store)
    }
}
