// An upload reads the bytes that users wrote, block by block, with those of the base that were
// never fetched here.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct StagedSourceTests {
    @Test(
        "digests of a content are those of its bytes, with each block in any place",
        arguments: 0..<12 as Range<UInt64>)
    func digests(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let block = Int(StagedFile.blockSize)
        let base = random.bytes(2 * block + Int(random.next() % UInt64(block)))
        var expected = base
        let harness = try Harness()
        let file = try await harness.store.write { [staging = harness.staging] transaction in
            let inode = try transaction.insert(
                .file, at: Place(parent: .root, name: try FileName("f")), local: LocalFacts())
            let whole = StagedContent.Base(
                revision: Revision("r"), hash: ContentHasher.hash(base), size: Int64(base.count),
                limit: Int64(base.count))
            return try staging.begin(inode, base: whole, size: whole.size, in: transaction)
        }
        // A whole block needs nothing of the base.
        let written = random.bytes(block)
        let start = Int(random.next() % 2) * block
        let outcome = try written.withUnsafeBytes { bytes in
            try file.write(at: Int64(start), bytes, now: .now())
        }
        #expect(outcome == .written)
        expected.overwrite(at: start, with: written)
        let fetched = Dictionary(
            uniqueKeysWithValues: file.missingRanges.map { range in
                (range.lowerBound, base.slice(Int(range.lowerBound)..<Int(range.upperBound)))
            })
        #expect(fetched.count == 2)
        let source = StagedSource(file: file, size: Int64(expected.count), fetched: fetched)
        let digests = try source.blockDigests(of: 0..<Int64(expected.count))
        #expect(ContentHash(blockDigests: digests) == ContentHasher.hash(expected))
    }

    @Test("a small file that was cut is sent with its base's bytes, never with others")
    func cutSmall() async throws {
        let harness = try Harness()
        try await harness.put("/a", "0123456789")
        try await harness.settle()
        await harness.stop()
        let inode = try #require(try await harness.inode("/a"))
        let file = try await harness.store.write { [staging = harness.staging] transaction in
            let (file, _) = try transaction.beginEdit(of: inode, in: staging)
            _ = try file.truncate(to: 4, now: .now())
            try file.persist(in: transaction)
            return file
        }
        harness.faulty.inject(.corruptBody(at: 1), into: .download)
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.serverTree() == ["/a": "0123"])
        #expect(file.size == 4)
    }
}
