// Deltas that arrive together: places that change hands within one batch, and steps that wait for
// each other. Each began as a random history that did not end well.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct DeltaBatchTests {
    private func harness(_ files: [String: String]) async throws -> Harness {
        try await .knowing(files)
    }

    private func outcome(_ harness: Harness) async throws -> [String: String?] {
        try await harness.settle()
        try await harness.checkInvariants()
        await harness.stop()
        return try await harness.tree()
    }

    @Test("files that changed places there change places here, with their inodes")
    func swap() async throws {
        let harness = try await harness(["/a": "1", "/b": "2"])
        let (a, b) = (try await harness.inode("/a"), try await harness.inode("/b"))
        try await harness.relocate("/a", to: "/t")
        try await harness.relocate("/b", to: "/a")
        try await harness.relocate("/t", to: "/b")
        #expect(try await outcome(harness) == ["/a": "2", "/b": "1"])
        #expect(try await harness.inode("/a") == b)
        #expect(try await harness.inode("/b") == a)
    }

    @Test("an edit here follows its file into a ring of moves there")
    func editInRing() async throws {
        let harness = try await harness(["/a": "1", "/b": "2"])
        try await harness.relocate("/a", to: "/t")
        try await harness.relocate("/b", to: "/a")
        try await harness.relocate("/t", to: "/b")
        let inode = try await harness.inode("/a")
        try await harness.write("/a", "1 edited")
        let tree = try await outcome(harness)
        // In either order, the edit is the edited file's or a copy beside it.
        #expect(tree.values.contains("1 edited"))
        #expect(tree.values.contains("2"))
        let path = tree.first { $0.value == "1 edited" }?.key
        #expect(try await harness.inode(path ?? "/none") == inode)
    }

    @Test("a place that a deleted file left there, and that was used again, is free here")
    func reusedPlace() async throws {
        let harness = try await harness(["/c": "1"])
        try await harness.delete("/c")
        try await harness.relocate("/c", to: "/a")
        try await harness.putFolder("/c")
        try await harness.remove("/c")
        let tree = try await outcome(harness)
        #expect(tree["/c"] == nil)
    }

    @Test("a new file here keeps its name if the batch that has a file there deletes it, too")
    func deletedInSameBatch() async throws {
        let harness = try Harness()
        let own = try await harness.write("/a", "new")
        try await harness.apply([.file("/a", "X"), .deleted("/a")])
        #expect(try await harness.paths() == ["/a"])
        #expect(try await harness.inode("/a") == own)
        // Deleted and made anew, it is there, and a second file needs a second name.
        try await harness.apply([.file("/a", "Y"), .deleted("/a"), .file("/a", "Z")])
        let paths = try await harness.paths()
        #expect(paths.count == 2 && paths.contains("/a"), "\(paths)")
        #expect(try await harness.inode("/a") != own)
        let name = try await harness.store.read { try $0.node(id: FileID("Z"))?.place?.name.string }
        #expect(name == "a")
    }

    @Test("deleted here, moved and edited there: the edit shows where it was moved to")
    func deletedMovedEdited() async throws {
        let harness = try await harness(["/a": "1"])
        try await harness.delete("/a")
        try await harness.relocate("/a", to: "/b")
        try await harness.put("/b", "2")
        #expect(try await outcome(harness) == ["/b": "2"])
    }

    @Test("a folder deleted on both sides and made there anew has its new spelling")
    func spelledAnew() async throws {
        let harness = try await harness(["/a/x": "1"])
        try await harness.delete("/a")
        try await harness.remove("/a")
        try await harness.putFolder("/A")
        try await harness.put("/A/y", "2")
        #expect(try await outcome(harness) == ["/A": nil, "/A/y": "2"])
    }

    @Test("a node that was seen before the first listing and is gone when it comes, goes")
    func goneBeforeListing() async throws {
        let harness = try Harness()
        try await harness.put("/a", "theirs")
        try await harness.write("/a", "ours")
        harness.faulty.inject(.failBefore(.offline("test")), times: nil) { $0.operation == .list }
        try await harness.start(knowingAll: true)
        // The refused upload reads the metadata there.
        try await waitWhile { try await harness.store.read({ try $0.allNodes().count }) < 2 }
        try await harness.remove("/a")
        harness.faulty.removeFaults()
        let tree = try await outcome(harness)
        #expect(tree.count == 1)
        #expect(tree.values.first == "ours")
    }

    // MARK: Steps that wait for each other

    @Test("a file becomes a folder of its own name that it is in")
    func fileIntoFolder() async throws {
        let harness = try await harness(["/a": "1"])
        let inode = try await harness.inode("/a")
        try await harness.move("/a", to: "/t")
        try await harness.makeFolder("/a")
        try await harness.move("/t", to: "/a/x")
        #expect(try await outcome(harness) == ["/a": nil, "/a/x": "1"])
        #expect(try await harness.inode("/a/x") == inode)
    }

    @Test("a new folder takes the old one's content, and then its name")
    func folderReplaced() async throws {
        let harness = try await harness(["/a/x": "1", "/a/y": "2"])
        try await harness.makeFolder("/new")
        try await harness.move("/a/x", to: "/new/x")
        try await harness.delete("/a")
        try await harness.move("/new", to: "/a")
        #expect(try await outcome(harness) == ["/a": nil, "/a/x": "1"])
    }

    @Test("two files each become folders that hold the other")
    func crossed() async throws {
        let harness = try await harness(["/a": "1", "/b": "2"])
        try await harness.move("/a", to: "/s")
        try await harness.move("/b", to: "/t")
        try await harness.makeFolder("/a")
        try await harness.makeFolder("/b")
        try await harness.move("/s", to: "/b/a")
        try await harness.move("/t", to: "/a/b")
        #expect(
            try await outcome(harness) == ["/a": nil, "/a/b": "2", "/b": nil, "/b/a": "1"])
    }

    @Test("a deleted folder that made room and comes back has no temporary name")
    func roomMaker() async throws {
        let harness = try await harness(["/a/x": "1", "/a/y": "2"])
        try await harness.makeFolder("/new")
        try await harness.move("/a/x", to: "/new/x")
        try await harness.delete("/a")
        try await harness.move("/new", to: "/a")
        try await harness.put("/a/y", "theirs")
        try await harness.drainBeforeDeltas()
        let tree = try await outcome(harness)
        #expect(tree.values.contains("theirs"))
        #expect(tree.values.contains("1"))
        #expect(!tree.keys.contains { $0.contains(".dbxfs-rename") }, "\(tree)")
    }

    @Test("a file whose second move of two is refused goes back to its name")
    func refusedSecondMove() async throws {
        let harness = try await harness(["/a": "1", "/b": "2"])
        try await harness.move("/a", to: "/t")
        try await harness.move("/b", to: "/a")
        try await harness.move("/t", to: "/b")
        harness.faulty.inject(.failBefore(.forbidden("test"))) {
            $0.operation == .move && $0.subject.contains(".dbxfs-rename")
        }
        try await harness.start()
        try await harness.drain()
        let tree = try await outcome(harness)
        #expect(tree.values.compactMap(\.self).sorted() == ["1", "2"])
        #expect(!tree.keys.contains { $0.contains(".dbxfs-rename") }, "\(tree)")
    }

    @Test("a file whose way on and whose way back are refused asks for them with pauses")
    func refusedBothWays() async throws {
        let harness = try await harness(["/a": "1"])
        try await harness.move("/a", to: "/A")
        harness.faulty.inject(.failBefore(.forbidden("test")), times: 8) {
            $0.operation == .move && $0.subject.contains(".dbxfs-rename")
        }
        let start = WallTime.now()
        try await harness.start()
        try await harness.drain()
        #expect(start.adding(seconds: 0.3) < .now())
        let tree = try await outcome(harness)
        #expect(tree.values.compactMap(\.self) == ["1"], "\(harness.history.text)")
        #expect(!tree.keys.contains { $0.contains(".dbxfs-rename") }, "\(tree)")
    }

    @Test("what others store in a file whose case changes here has no temporary name")
    func storedDuringCaseChange() async throws {
        let harness = try await harness(["/foo": "0"])
        try await harness.write("/foo", "ours")
        try await harness.move("/foo", to: "/FOO")
        try await harness.put("/foo", "theirs")
        try await harness.drainBeforeDeltas()
        let tree = try await outcome(harness)
        #expect(tree.values.compactMap(\.self).sorted() == ["ours", "theirs"])
        #expect(!tree.keys.contains { $0.contains(".dbxfs-rename") }, "\(tree)")
    }

    @Test("a folder that others move into one that was moved into it comes out with its folder")
    func intoEachOther() async throws {
        let harness = try await harness(["/p/D/1": "1", "/f/2": "2"])
        try await harness.move("/p/D", to: "/f/D")
        try await harness.delete("/p")
        try await harness.relocate("/f", to: "/p/D/f")
        let tree = try await outcome(harness)
        #expect(tree.values.compactMap(\.self).sorted() == ["1", "2"], "\(harness.history.text)")
    }

    @Test("what a move took by its path goes back into a folder that was deleted here")
    func tookAnotherFromDeleted() async throws {
        let harness = try await harness(["/a/b/b": "1"])
        try await harness.move("/a/b", to: "/c")
        try await harness.delete("/a")
        try await harness.relocate("/a/b", to: "/t")
        try await harness.remove("/a")
        try await harness.relocate("/t", to: "/a")
        harness.faulty.inject(.failBefore(.server("test")), times: nil) {
            $0.operation == .listAfter
        }
        try await harness.start(knowingAll: true)
        // The deletion of the folder waits for deltas.
        let engine = try #require(harness.engine)
        try await waitWhile { try await engine.pending().operations > 1 }
        harness.faulty.removeFaults()
        // With these, all deltas are applied when both sides are equal.
        try await harness.put("/news", "2")
        let tree = try await outcome(harness)
        #expect(tree.values.compactMap(\.self).sorted() == ["1", "2"], "\(harness.history.text)")
    }

    @Test("a refused move does not take a folder into its own content")
    func refusedIntoItself() async throws {
        let harness = try await harness(["/P/D/1": "1"])
        try await harness.move("/P/D", to: "/D")
        try await harness.move("/P", to: "/D/P")
        harness.faulty.inject(.failBefore(.forbidden("test")), into: .move)
        let tree = try await outcome(harness)
        #expect(tree.values.compactMap(\.self) == ["1"], "\(harness.history.text)")
        #expect(tree.count == 3)
    }

    @Test("a folder that others move two levels into itself is not lost")
    func intoItself() async throws {
        let harness = try await harness(["/D/E/1": "1", "/f/2": "2"])
        try await harness.move("/D", to: "/f/D")
        try await harness.move("/f/D/E", to: "/f/D/E2")
        try await harness.relocate("/f", to: "/D/E/f")
        let tree = try await outcome(harness)
        #expect(tree.values.compactMap(\.self).sorted() == ["1", "2"], "\(harness.history.text)")
    }

    @Test("a deleted folder that may not make room is asked for with pauses")
    func refusedRoom() async throws {
        let harness = try await harness(["/a/x": "1", "/a/y": "2"])
        try await harness.makeFolder("/new")
        try await harness.move("/a/x", to: "/new/x")
        try await harness.delete("/a")
        try await harness.move("/new", to: "/a")
        harness.faulty.inject(.failBefore(.forbidden("test")), times: 8) {
            $0.operation == .move && $0.subject == "/a"
        }
        let start = WallTime.now()
        try await harness.start()
        try await harness.drain()
        // Minutes of the clock, which runs a hundred times as fast.
        #expect(start.adding(seconds: 0.3) < .now())
        let tree = try await outcome(harness)
        #expect(tree == ["/a": nil, "/a/x": "1"], "\(harness.history.text)")
    }

    @Test("another spelling of a folder's name here does not keep it when others delete it")
    func spelled() async throws {
        let harness = try Harness()
        try await harness.makeFolder("/A")
        try await harness.apply([.folder("/a", "D"), .file("/a/f", "F")])
        #expect(try await harness.paths() == ["/A", "/A/f"])
        try await harness.apply([.deleted("/a")])
        #expect(try await harness.paths() == [])
    }

    @Test("an old content that another client restores is no late upload of this mount's")
    func restored() async throws {
        let harness = try Harness()
        let first = ContentHasher.hash(Array("1".utf8))
        try await harness.apply([.file("/a", "X", revision: "2")])
        let inode = try #require(try await harness.inode("/a"))
        try await harness.store.write { transaction in
            // One of two tries whose responses were lost.
            _ = try transaction.noteIntent(
                inode, at: nil, hash: first, modified: nil, sent: .now())
            var local = try transaction.existing(inode).local
            local.modified = WallTime(seconds: 77)
            try transaction.setLocal(local, of: inode)
        }
        try await harness.apply([.file("/a", "X", revision: "3", hash: first)])
        let node = try #require(try await harness.store.read { try $0.node(inode) })
        #expect(node.facts.hash == first)
        #expect(node.local.modified == nil)
    }

    @Test("a file that users have made anew with the bytes that others store in it is one file")
    func madeAnewAlike() async throws {
        let harness = try await Harness.knowing(["/a": "1"])
        try await harness.delete("/a")
        try await harness.write("/a", "2")
        try await harness.put("/a", "2")
        try await expect(["/a": "2"], of: harness)
    }
}
