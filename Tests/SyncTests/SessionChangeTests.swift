// Big files that change while a session has some of their pieces. Not responsible for sessions
// whose files stay as they are (`SessionTests`).

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

@Suite(.serialized) struct SessionChangeTests {
    private static let block = StagedFile.blockSize
    /// A piece, and less than a block.
    private static let size = PieceLayout.pieceSize + 1000
    private static let text = String(repeating: "0123456789abcde\n", count: Int(size) / 16)

    private static func text(with change: String, at offset: Int64) -> String {
        String(text.prefix(Int(offset))) + change
            + String(text.dropFirst(Int(offset) + change.count))
    }

    /// The staged content of a file, as a program has it that holds the file open.
    private func held(_ inode: InodeID, in harness: Harness) async throws -> StagedFile {
        try await harness.store.read { [staging = harness.staging] snapshot in
            let node = try #require(try snapshot.node(inode))
            return try #require(try staging.file(of: node))
        }
    }

    private func write(
        _ text: String, at offset: Int64, _ file: StagedFile, in harness: Harness
    ) async throws {
        // As FileSystem does: the row first says that its bytes may not be on the disk.
        file.invalidateFlushedRow()
        try await harness.store.write { try file.persist(in: $0, isComplete: false) }
        try file.synchronizeRow { try harness.store.synchronize() }
        try await harness.store.write { transaction in
            let outcome = try Array(text.utf8).withUnsafeBytes {
                try file.write(at: offset, $0, now: .now())
            }
            #expect(outcome == .written)
            try file.persist(in: transaction)
        }
        harness.noteChange()
    }

    @Test("bytes written while the base's blocks of a piece are fetched are sent")
    func writtenWhileFetching() async throws {
        let harness = try Harness()
        let faulty = harness.faulty
        try await harness.put("/big", Self.text)
        try await harness.settle()
        await harness.stop()
        let inode = try #require(try await harness.inode("/big"))
        let old = Array(Self.text.utf8)
        let (file, base) = try await harness.store.write {
            [staging = harness.staging] transaction in
            let (file, base) = try transaction.beginEdit(of: inode, in: staging)
            try file.fill(0..<Self.block, with: Array(old.prefix(Int(Self.block))), of: base)
            return (file, base)
        }
        try await write("early", at: 3, file, in: harness)
        faulty.inject(.stall, times: nil) { $0.operation == .download }
        try await harness.start()
        try await harness.waitForCall(.download)
        let second = Self.block..<2 * Self.block
        try file.fill(second, with: Array(old[Int(Self.block)..<Int(2 * Self.block)]), of: base)
        try await write("late", at: Self.block + 5, file, in: harness)
        faulty.removeFaults()
        faulty.releaseStalled()
        try await harness.settle()
        await harness.stop()
        var expected = old
        expected.replaceSubrange(3..<8, with: "early".utf8)
        expected.replaceSubrange(Int(Self.block) + 5..<Int(Self.block) + 9, with: "late".utf8)
        let sent = try await harness.serverTree()["/big"]
        #expect(sent.map { $0.map { Array($0.utf8) == expected } } == true)
        _ = file.size
    }

    /// A mount whose session has the file's first piece, and which has ended since.
    private func interrupted(
        by fault: Fault, _ isHit: @escaping @Sendable (RemoteCall) -> Bool
    ) async throws -> (harness: Harness, inode: InodeID) {
        let harness = try Harness()
        harness.faulty.inject(fault, times: nil, when: isHit)
        try await harness.write("/big", Self.text)
        try await harness.start()
        let inode = try #require(try await harness.inode("/big"))
        try await waitWhile {
            try await harness.store.read({ try $0.partialUpload(of: inode) })?.pieces[0] == nil
        }
        return (harness, inode)
    }

    @Test("a session that was found to have other bytes is not continued at the next try")
    func foundOtherwise() async throws {
        let (harness, inode) = try await interrupted(by: .failBefore(.server("test"))) {
            $0.operation == .append && !$0.subject.contains(" 0..<")
        }
        await harness.stop()
        let faulty = harness.faulty
        faulty.removeFaults()
        let file = try await held(inode, in: harness)
        try await write("late", at: 5, file, in: harness)
        file.endSending()
        faulty.inject(.failBefore(.server("test")), times: 1) { $0.operation == .startUpload }
        try await harness.settle()
        await harness.stop()
        let sent = try await harness.serverTree()["/big"]
        #expect(sent.map { $0 == Self.text(with: "late", at: 5) } == true)
        _ = file.size
    }

    @Test("an end that changes after its piece was sent without a response makes no conflict")
    func otherEnd() async throws {
        let (harness, inode) = try await interrupted(by: .failAfter(.offline("test"))) {
            $0.operation == .append && !$0.subject.contains(" 0..<")
        }
        try await waitWhile {
            try await harness.store.read({ try $0.partialUpload(of: inode) })?.size == nil
        }
        try await waitWhile { harness.faulty.calls.count { $0.operation == .append } < 2 }
        await harness.stop()
        harness.faulty.removeFaults()
        let file = try await held(inode, in: harness)
        let place = PieceLayout.pieceSize + 5
        try await write("late", at: place, file, in: harness)
        file.endSending()
        try await harness.settle()
        await harness.stop()
        let tree = try await harness.serverTree()
        #expect(tree.keys.sorted() == ["/big"])
        #expect(tree["/big"].map { $0 == Self.text(with: "late", at: place) } == true)
        _ = file.size
    }
}
