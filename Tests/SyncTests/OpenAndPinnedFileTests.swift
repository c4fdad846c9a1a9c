// Files that are open or pinned here when other clients change, move or delete them: the inode that
// their path leads to, late writes, and the pin. Not responsible for other rows of the conflict
// table (`ConflictTests`).

import Core
import MetadataStore
import Synchronization
import Testing

@testable import Sync
@testable import Tree

@Suite struct OpenAndPinnedFileTests {
    @Test("edited there while open here, and then written here: ours steps aside")
    func lateWrite() async throws {
        let harness = try await Harness.knowing(["/a": "1"])
        let inode = try #require(try await harness.inode("/a"))
        harness.openFiles.open.withLock { _ = $0.insert(inode) }
        try await harness.put("/a", "2")
        try await harness.settle()
        try await harness.writeLate(inode)
        let tree = try await harness.outcome()
        #expect(tree["/a"] == "2")
        #expect(tree.conflictedCopies.map { tree[$0] } == ["late"])
        try await harness.checkInvariants()
    }

    @Test("deleted there while open here, and then written here: a new file")
    func lateWriteToDeleted() async throws {
        let harness = try await Harness.knowing(["/a": "1"])
        let inode = try #require(try await harness.inode("/a"))
        harness.openFiles.open.withLock { _ = $0.insert(inode) }
        try await harness.remove("/a")
        try await harness.settle()
        try await harness.writeLate(inode)
        #expect(try await harness.outcome() == ["/a": "late"])
        try await harness.checkInvariants()
    }

    @Test("deleted there with its folder while open here, and then written here: in the root")
    func lateWriteWithoutFolder() async throws {
        let harness = try await Harness.knowing(["/d/a": "1"])
        let inode = try #require(try await harness.inode("/d/a"))
        harness.openFiles.open.withLock { _ = $0.insert(inode) }
        try await harness.remove("/d")
        try await harness.settle()
        try await harness.writeLate(inode)
        let tree = try await harness.outcome()
        #expect(tree.count == 1)
        #expect(tree.conflictedCopies.map { tree[$0] } == ["late"])
    }

    @Test("deleted here while open here: later writes go with it")
    func writeToDeleted() async throws {
        let harness = try await Harness.knowing(["/a": "1"])
        let inode = try #require(try await harness.inode("/a"))
        harness.openFiles.open.withLock { _ = $0.insert(inode) }
        try await harness.delete("/a")
        try await harness.settle()
        try await harness.store.write { transaction in
            let node = try #require(try transaction.node(inode))
            #expect(
                try ReturnedFile(node, host: "here", at: .now(), in: transaction)
                    == nil)
        }
        await harness.stop()
    }

    @Test(
        "edited there while open here: the path leads to a new inode, the old one keeps its revision"
    )
    func remoteEditOfOpenFile() async throws {
        let harness = try await Harness.knowing(["/a": "1"])
        let inode = try #require(try await harness.inode("/a"))
        let revision = try await harness.store.read { try $0.node(inode)?.facts.revision }
        harness.openFiles.open.withLock { _ = $0.insert(inode) }
        try await harness.put("/a", "2")
        #expect(try await harness.outcome() == ["/a": "2"])
        #expect(try await harness.inode("/a") != inode)
        #expect(
            try await harness.store.read { try $0.node(inode)?.facts.revision } == revision)
    }

    @Test("a pinned file stays pinned under its name, whichever inode that gets")
    func pinFollowsName() async throws {
        let harness = try await Harness.knowing(["/open": "1", "/edited": "1", "/saved": "1"])
        for path in ["/open", "/edited", "/saved"] {
            let inode = try #require(try await harness.inode(path))
            try await harness.store.write { try $0.setPin(true, of: inode) }
        }
        let open = try #require(try await harness.inode("/open"))
        harness.openFiles.open.withLock { _ = $0.insert(open) }
        try await harness.put("/open", "2")
        try await harness.write("/edited", "ours")
        try await harness.put("/edited", "theirs")
        // As editors do that put the old content aside first.
        try await harness.move("/saved", to: "/saved~")
        try await harness.write("/saved", "2")
        try await harness.delete("/saved~")
        _ = try await harness.outcome()
        let pins = try await harness.store.read { snapshot in
            try snapshot.pins().map { try snapshot.localPath(of: $0)?.map(\.string) }
        }
        #expect(Set(pins) == [["open"], ["edited"], ["saved"]])
        #expect(try await harness.inode("/open") != open)
    }

    private func pins(of harness: Harness) async throws -> [[String]?] {
        try await harness.store.read { snapshot in
            try snapshot.pins().map { try snapshot.localPath(of: $0)?.map(\.string) }
        }
    }

    @Test(
        "a pinned file that users edited and moved stays pinned"
    )
    func pinFollowsMove() async throws {
        let harness = try await Harness.knowing(["/a": "1"])
        let inode = try #require(try await harness.inode("/a"))
        try await harness.store.write { try $0.setPin(true, of: inode) }
        await harness.stop()
        try await harness.put("/a", "theirs")
        try await harness.remove("/a")
        try await harness.write("/a", "ours")
        try await harness.move("/a", to: "/b")
        #expect(try await harness.outcome() == ["/b": "ours"])
        #expect(try await pins(of: harness) == [["b"]])
    }

    @Test(
        "an open file that others deleted comes back with its pin")
    func pinOfDetachedFile() async throws {
        let harness = try await Harness.knowing(["/a": "1"])
        let inode = try #require(try await harness.inode("/a"))
        try await harness.store.write { try $0.setPin(true, of: inode) }
        harness.openFiles.open.withLock { _ = $0.insert(inode) }
        try await harness.put("/a", "2")
        try await harness.settle()
        try await harness.remove("/a")
        try await harness.settle()
        #expect(try await pins(of: harness) == [])
        try await harness.writeLate(inode)
        #expect(try await harness.outcome() == ["/a": "late"])
        #expect(try await pins(of: harness) == [["a"]])
    }
}
