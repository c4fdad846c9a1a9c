// Big files: pieces of a session, and the pieces kept when an upload does not come to its end.

import ContentHashing
import Core
import Foundation
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import Synchronization
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite(.serialized) struct SessionTests {
    private static let block = Int64(ContentHasher.blockSize)
    /// Two whole pieces, a part of one, and less than a block.
    private static let size = 2 * PieceLayout.pieceSize + Self.block + 1000

    @Test("a size that no content of Dropbox has is not laid out", arguments: [.min, -1, 0, .max])
    func impossibleLayout(size: Int64) {
        #expect(PieceLayout(size: size) == nil)
    }

    @Test(
        "pieces cover the content once, in multiples of a block, the last one a block at most",
        arguments: [1, block, block + 1, PieceLayout.pieceSize, PieceLayout.pieceSize + 1, size])
    func layout(size: Int64) throws {
        let layout = try #require(PieceLayout(size: size))
        #expect(layout.all.first?.lowerBound == 0)
        #expect(layout.all.last?.upperBound == size)
        for (left, right) in zip(layout.all, layout.all.dropFirst()) {
            #expect(left.upperBound == right.lowerBound)
        }
        #expect(layout.parallel.allSatisfy { $0.count % Int(Self.block) == 0 && !$0.isEmpty })
        #expect(layout.parallel.allSatisfy { $0.count <= Int(PieceLayout.pieceSize) })
        #expect((1...Int(Self.block)).contains(layout.last.count))
    }

    /// A store that refuses all pieces but the first, behind a mount that has staged a big file.
    private func interrupted() async throws -> (harness: Harness, faulty: FaultInjectingStore) {
        let harness = try Harness()
        let faulty = harness.faulty
        faulty.inject(.failBefore(.server("test")), times: nil) {
            $0.operation == .append && !$0.subject.contains(" 0..<")
        }
        try await harness.write("/big", Self.text)
        try await harness.start()
        let inode = try #require(try await harness.inode("/big"))
        try await waitWhile {
            try await harness.store.read({ try $0.partialUpload(of: inode) })?.pieces[0] == nil
        }
        await harness.stop()
        return (harness, faulty)
    }

    private static let text = String(repeating: "0123456789abcdef", count: Int(size) / 16)

    private func appends(_ faulty: FaultInjectingStore) -> [RemoteCall] {
        faulty.calls.filter { $0.operation == .append }
    }

    @Test("an upload goes on in its session, with the pieces that have not arrived")
    func goesOn() async throws {
        let (harness, faulty) = try await interrupted()
        let before = appends(faulty).count { $0.subject.contains(" 0..<") }
        faulty.removeFaults()
        try await harness.settle()
        #expect(faulty.calls.count { $0.operation == .startUpload } == 1)
        #expect(appends(faulty).count { $0.subject.contains(" 0..<") } == before)
        #expect(try await harness.serverTree()["/big"] == Self.text)
        let inode = try #require(try await harness.inode("/big"))
        #expect(try await harness.store.read { try $0.partialUpload(of: inode) } == nil)
        await harness.stop()
    }

    @Test("a session that the server has forgotten is begun again")
    func forgotten() async throws {
        let (harness, faulty) = try await interrupted()
        faulty.removeFaults()
        harness.server.expireSessions()
        try await harness.settle()
        #expect(faulty.calls.count { $0.operation == .startUpload } == 2)
        #expect(try await harness.serverTree()["/big"] == Self.text)
        await harness.stop()
    }

    @Test("pieces of content that was changed after their sending are not used")
    func changed() async throws {
        let (harness, faulty) = try await interrupted()
        faulty.removeFaults()
        try await harness.write("/big", "small now")
        try await harness.settle()
        #expect(try await harness.serverTree()["/big"] == "small now")
        await harness.stop()
    }

    /// A user makes a file's content that of another one, which becomes its base.
    private func clone(_ path: String, to target: String, in harness: Harness) async throws {
        try await harness.store.write { [staging = harness.staging] transaction in
            let facts = try transaction.existing(try transaction.place(path)).facts
            let content = FileVersion(
                revision: try #require(facts.revision), hash: try #require(facts.hash),
                size: facts.size)
            let node = try transaction.existing(try transaction.place(target))
            let file =
                try staging.file(of: node)
                ?? staging.begin(node.inode, base: nil, size: 0, in: transaction)
            #expect(try file.truncate(to: 0, now: .now()) == .written)
            #expect(try file.clone(content, range: 0..<content.size, now: .now()) == .written)
            try file.persist(in: transaction)
        }
        harness.noteChange()
    }

    @Test("pieces of another base are not used")
    func otherBase() async throws {
        let harness = try Harness()
        let faulty = harness.faulty
        let other = String(repeating: "fedcba9876543210", count: Int(Self.size) / 16)
        try await harness.put("/one", Self.text)
        try await harness.put("/two", other)
        try await harness.put("/big", "small")
        try await harness.settle()
        await harness.stop()
        faulty.inject(.failBefore(.server("test")), times: nil) {
            $0.operation == .append && !$0.subject.contains(" 0..<")
        }
        try await clone("/one", to: "/big", in: harness)
        try await harness.start()
        let inode = try #require(try await harness.inode("/big"))
        try await waitWhile {
            try await harness.store.read({ try $0.partialUpload(of: inode) })?.pieces[0] == nil
        }
        await harness.stop()
        faulty.removeFaults()
        try await clone("/two", to: "/big", in: harness)
        try await harness.settle()
        #expect(try await harness.serverTree()["/big"] == other)
        await harness.stop()
    }

    @Test("bytes that the local disk has lost are not taken from the session")
    func lostBytes() async throws {
        let (harness, faulty) = try await interrupted()
        faulty.removeFaults()
        let inode = try #require(try await harness.inode("/big"))
        let node = try #require(try await harness.store.read { try $0.node(inode) })
        let staged = try #require(node.staged)
        let handle = try #require(
            FileHandle(forUpdatingAtPath: harness.staging.path(of: staged.file)))
        try handle.write(contentsOf: Data("lost".utf8))
        try handle.close()
        try await harness.settle()
        #expect(faulty.calls.count { $0.operation == .startUpload } == 2)
        #expect(try await harness.serverTree()["/big"] == "lost" + Self.text.dropFirst(4))
        await harness.stop()
    }

    @Test("while a big file is on its way, files are sent and folders are moved, its own too")
    func overtaking() async throws {
        let harness = try Harness()
        let faulty = harness.faulty
        try await harness.put("/a/file", "1")
        try await harness.put("/b/file", "2")
        try await harness.settle()
        faulty.inject(.stall, times: nil) { $0.operation == .append }
        try await harness.write("/a/big", Self.text)
        await harness.stop()
        try await harness.start()
        try await waitWhile { appends(faulty).isEmpty }

        try await harness.move("/b", to: "/c")
        try await harness.move("/a", to: "/d")
        try await harness.write("/new", "3")
        let moved: [String: String?] = [
            "/c": nil, "/c/file": "2", "/d": nil, "/d/file": "1", "/new": "3",
        ]
        harness.noteChange()
        try await waitWhile { try await harness.serverTree() != moved }
        faulty.removeFaults()
        faulty.releaseStalled()
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.serverTree().keys.sorted() == (moved.keys + ["/d/big"]).sorted())
        #expect(try await harness.serverTree()["/d/big"] == Self.text)
    }

    @Test("unread parts of a big file go from its old revision into the new one")
    func overBase() async throws {
        let harness = try Harness()
        let faulty = harness.faulty
        try await harness.put("/big", Self.text)
        try await harness.settle()
        await harness.stop()
        let inode = try #require(try await harness.inode("/big"))
        let first = Array(Self.text.utf8.prefix(Int(Self.block)))
        let file = try await harness.store.write { transaction in
            let (file, base) = try transaction.beginEdit(of: inode, in: harness.staging)
            try file.fill(0..<Self.block, with: first, of: base)
            _ = try Array("new".utf8).withUnsafeBytes { try file.write(at: 3, $0, now: .now()) }
            // The last block in part, and zeros behind the rest of the base.
            _ = try file.truncate(to: base.size - 500, now: .now())
            _ = try file.truncate(to: base.size + 500, now: .now())
            try file.persist(in: transaction)
            return file
        }
        let missing = file.missingRanges
        #expect(missing.count == Int(Self.size / Self.block))

        // Up to the commit, and then from the start once more.
        faulty.inject(.failBefore(.offline("test")), times: nil) { $0.operation == .finishUpload }
        try await harness.start()
        try await harness.waitForCall(.finishUpload)
        await harness.stop()
        #expect(file.missingRanges == missing)
        let sent = appends(faulty).count
        faulty.removeFaults()
        try await harness.settle()
        await harness.stop()
        #expect(appends(faulty).count == sent)
        let expected =
            Self.text.prefix(3) + "new" + Self.text.dropFirst(6).dropLast(500)
            + String(repeating: "\0", count: 1000)
        #expect(try await harness.serverTree()["/big"] == String(expected))
    }

    @Test("bytes cut off after their piece was sent do not come back")
    func cutAfterSent() async throws {
        let harness = try Harness()
        let faulty = harness.faulty
        let old = Array(Self.text.utf8)
        let cut = 14 << 20
        try await harness.put("/big", Self.text)
        try await harness.settle()
        await harness.stop()
        let inode = try #require(try await harness.inode("/big"))
        try await harness.store.write { transaction in
            let (file, base) = try transaction.beginEdit(of: inode, in: harness.staging)
            try file.fill(0..<Self.block, with: Array(old.prefix(Int(Self.block))), of: base)
            _ = try Array("new".utf8).withUnsafeBytes { try file.write(at: 3, $0, now: .now()) }
            try file.persist(in: transaction)
        }
        faulty.inject(.stall, times: nil) {
            $0.operation == .append && !$0.subject.contains(" 0..<")
        }
        try await harness.start()
        try await waitWhile {
            try await harness.store.read({ try $0.partialUpload(of: inode) })?.pieces[0] == nil
        }
        await harness.stop()
        faulty.removeFaults()
        try await harness.store.write { transaction in
            let node = try #require(try transaction.node(inode))
            let file = try #require(try harness.staging.file(of: node))
            _ = try file.truncate(to: Int64(cut), now: .now())
            _ = try file.truncate(to: Int64(old.count), now: .now())
            try file.persist(in: transaction)
        }
        try await harness.start()
        try await harness.drain()
        await harness.stop()
        var expected = old
        expected.replaceSubrange(3..<6, with: Array("new".utf8))
        for index in cut..<expected.count { expected[index] = 0 }
        let entry = try await harness.server.entry(at: "/big")
        guard case .file(let file)? = entry?.kind else { throw Refused() }
        #expect(file.hash == ContentHasher.hash(expected))
    }

    @Test("a file that becomes a copy after its batch was chosen is not sent as zeros")
    func clonedMeanwhile() async throws {
        let harness = try Harness()
        try await harness.put("/a", "text")
        try await harness.settle()
        let source = try #require(try await harness.inode("/a"))
        let (inode, staged) = try await harness.store.write { transaction in
            let inode = try transaction.insert(
                .file, at: try transaction.place("/b"), local: LocalFacts(modified: .now()))
            _ = try harness.staging.begin(
                inode, base: nil, size: 0, in: transaction)
            try transaction.reschedule(inode, due: WallTime.now().adding(seconds: 1e9))
            return (inode, try #require(try transaction.node(inode)?.staged))
        }
        let step = UploadStep.upload(
            ContentUpload(
                path: "/b", expectation: .absent(strict: true), modified: .now(), staged: staged))
        try await harness.store.write { transaction in
            let facts = try #require(try transaction.node(source)?.facts)
            let node = try #require(try transaction.node(inode))
            let file = try #require(try harness.staging.file(of: node))
            let content = FileVersion(
                revision: try #require(facts.revision), hash: try #require(facts.hash),
                size: facts.size)
            _ = try file.clone(content, range: 0..<content.size, now: .now())
            try file.persist(in: transaction)
        }
        let engine = try #require(harness.engine)
        let failures = await BatchSender(account: engine.account).send(
            StepBatch(kind: .uploads, items: [.init(inode: inode, step: step)]))
        #expect(failures.map(\.error) == [.cancelled])
        try await harness.drain()
        await harness.stop()
        #expect(try await harness.serverTree() == ["/a": "text", "/b": "text"])
    }
}
