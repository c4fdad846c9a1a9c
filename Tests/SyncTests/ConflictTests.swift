// The conflict table of docs/semantics.md, row by row: this mount's unsent changes, against changes
// that another client has made since. The outcome must not depend on which side gets the other's
// change first, so each row runs as it comes: uploads and the feed race. `ConflictRows` has one
// example of each row.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import Synchronization
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct ConflictTests {
    private func harness(
        _ files: [String: String], folders: [String] = [], clock: any SyncClock = FastClock()
    ) async throws -> Harness {
        try await .knowing(files, folders: folders, clock: clock)
    }

    private func outcome(_ harness: Harness) async throws -> [String: String?] {
        try await harness.settle()
        await harness.stop()
        return try await harness.tree()
    }

    private func copies(_ tree: [String: String?]) -> [String] {
        tree.keys.filter { $0.contains("(here's conflicted copy ") }.sorted()
    }

    @Test("edited there: the new content shows, in the same inode")
    func remoteEdit() async throws {
        let harness = try await harness(["/a": "1"])
        let inode = try await harness.inode("/a")
        try await harness.put("/a", "2")
        #expect(try await outcome(harness) == ["/a": "2"])
        #expect(try await harness.inode("/a") == inode)
    }

    @Test("edited here in a folder moved there, and sent before the delta: one file, there")
    func editInMovedFolder() async throws {
        let harness = try await harness(["/a/f": "1"])
        try await harness.relocate("/a", to: "/b")
        try await harness.write("/a/f", "2")
        let faulty = harness.faulty
        // The delta comes after the first metadata read, and before the next try.
        let hasLooked = Mutex(false)
        faulty.inject(.failBefore(.server("test")), times: nil) { call in
            if call.operation == .entry { hasLooked.withLock { $0 = true } }
            return call.operation == .listAfter && !hasLooked.withLock { $0 }
        }
        faulty.inject(.failBefore(.rateLimited(retryAfter: 1)), times: nil) {
            $0.operation == .upload && $0.number > 1
        }
        try await harness.start(knowingAll: true)
        try await waitWhile { try await harness.inode("/b") == nil }
        faulty.removeFaults()
        #expect(try await outcome(harness) == ["/b": nil, "/b/f": "2"])
    }

    @Test("edited there while open here, and then written here: ours steps aside")
    func lateWrite() async throws {
        let harness = try await harness(["/a": "1"])
        let inode = try #require(try await harness.inode("/a"))
        harness.openFiles.open.withLock { _ = $0.insert(inode) }
        try await harness.put("/a", "2")
        try await harness.settle()
        try await harness.writeLate(inode)
        let tree = try await outcome(harness)
        #expect(tree["/a"] == "2")
        #expect(copies(tree).map { tree[$0] } == ["late"])
        try await harness.checkInvariants()
    }

    @Test("deleted there while open here, and then written here: a new file")
    func lateWriteToDeleted() async throws {
        let harness = try await harness(["/a": "1"])
        let inode = try #require(try await harness.inode("/a"))
        harness.openFiles.open.withLock { _ = $0.insert(inode) }
        try await harness.remove("/a")
        try await harness.settle()
        try await harness.writeLate(inode)
        #expect(try await outcome(harness) == ["/a": "late"])
        try await harness.checkInvariants()
    }

    @Test("deleted there with its folder while open here, and then written here: in the root")
    func lateWriteWithoutFolder() async throws {
        let harness = try await harness(["/d/a": "1"])
        let inode = try #require(try await harness.inode("/d/a"))
        harness.openFiles.open.withLock { _ = $0.insert(inode) }
        try await harness.remove("/d")
        try await harness.settle()
        try await harness.writeLate(inode)
        let tree = try await outcome(harness)
        #expect(tree.count == 1)
        #expect(copies(tree).map { tree[$0] } == ["late"])
    }

    @Test("deleted here while open here: later writes go with it")
    func writeToDeleted() async throws {
        let harness = try await harness(["/a": "1"])
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
        let harness = try await harness(["/a": "1"])
        let inode = try #require(try await harness.inode("/a"))
        let revision = try await harness.store.read { try $0.node(inode)?.facts.revision }
        harness.openFiles.open.withLock { _ = $0.insert(inode) }
        try await harness.put("/a", "2")
        #expect(try await outcome(harness) == ["/a": "2"])
        #expect(try await harness.inode("/a") != inode)
        #expect(
            try await harness.store.read { try $0.node(inode)?.facts.revision } == revision)
    }

    @Test("a pinned file stays pinned under its name, whichever inode that gets")
    func pinFollowsName() async throws {
        let harness = try await harness(["/open": "1", "/edited": "1", "/saved": "1"])
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
        _ = try await outcome(harness)
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
        let harness = try await harness(["/a": "1"])
        let inode = try #require(try await harness.inode("/a"))
        try await harness.store.write { try $0.setPin(true, of: inode) }
        await harness.stop()
        try await harness.put("/a", "theirs")
        try await harness.remove("/a")
        try await harness.write("/a", "ours")
        try await harness.move("/a", to: "/b")
        #expect(try await outcome(harness) == ["/b": "ours"])
        #expect(try await pins(of: harness) == [["b"]])
    }

    @Test(
        "an open file that others deleted comes back with its pin")
    func pinOfDetachedFile() async throws {
        let harness = try await harness(["/a": "1"])
        let inode = try #require(try await harness.inode("/a"))
        try await harness.store.write { try $0.setPin(true, of: inode) }
        harness.openFiles.open.withLock { _ = $0.insert(inode) }
        try await harness.put("/a", "2")
        try await harness.settle()
        try await harness.remove("/a")
        try await harness.settle()
        #expect(try await pins(of: harness) == [])
        try await harness.writeLate(inode)
        #expect(try await outcome(harness) == ["/a": "late"])
        #expect(try await pins(of: harness) == [["a"]])
    }

    @Test("a folder moved there moves here, and everything in it keeps its inode")
    func remoteMove() async throws {
        let harness = try await harness(["/a/x": "1", "/a/b/y": "2"])
        let inode = try await harness.inode("/a/b/y")
        try await harness.relocate("/a", to: "/c")
        #expect(
            try await outcome(harness) == ["/c": nil, "/c/x": "1", "/c/b": nil, "/c/b/y": "2"])
        #expect(try await harness.inode("/c/b/y") == inode)
    }

    @Test("deleted there: gone here, with everything below")
    func remoteDelete() async throws {
        let harness = try await harness(["/a/x": "1", "/b": "2"])
        try await harness.remove("/a")
        #expect(try await outcome(harness) == ["/b": "2"])
    }

    @Test("a folder that users deleted does not come back for a file that is gone again by then")
    func passingFile() async throws {
        let harness = try await harness(["/d/e/a": "1"])
        try await harness.delete("/d")
        try await harness.put("/d/e/new", "2")
        try await harness.remove("/d/e/new")
        #expect(try await outcome(harness) == [:])
    }

    @Test("new on both sides: theirs keeps the name, ours stands beside it")
    func bothNew() async throws {
        let harness = try await harness([:])
        try await harness.write("/a.txt", "ours")
        try await harness.put("/a.txt", "theirs")
        let tree = try await outcome(harness)
        #expect(tree["/a.txt"] == "theirs")
        #expect(copies(tree).map { tree[$0] } == ["ours"])
        #expect(copies(tree).first?.hasSuffix(").txt") == true)
    }

    @Test("the same bytes new on both sides are one file")
    func bothNewAndEqual() async throws {
        let harness = try await harness([:])
        try await harness.write("/a", "same")
        try await harness.put("/a", "same")
        #expect(try await outcome(harness) == ["/a": "same"])
    }

    @Test("a folder new on both sides is one folder")
    func bothNewFolders() async throws {
        let harness = try await harness([:])
        try await harness.makeFolder("/a")
        try await harness.write("/a/x", "ours")
        try await harness.put("/a/y", "theirs")
        #expect(try await outcome(harness) == ["/a": nil, "/a/x": "ours", "/a/y": "theirs"])
    }

    @Test("our new file where their new folder is steps aside")
    func fileAgainstFolder() async throws {
        let harness = try await harness([:])
        try await harness.write("/a", "ours")
        try await harness.put("/a/y", "theirs")
        let tree = try await outcome(harness)
        #expect(tree["/a/y"] == "theirs")
        #expect(copies(tree).map { tree[$0] } == ["ours"])
    }

    @Test("our new folder where their new file is steps aside, with its content")
    func folderAgainstFile() async throws {
        let harness = try await harness([:])
        try await harness.makeFolder("/a")
        try await harness.write("/a/x", "ours")
        try await harness.put("/a", "theirs")
        let tree = try await outcome(harness)
        #expect(tree["/a"] == "theirs")
        #expect(tree.filter { $0.key.hasSuffix("/x") }.map(\.value) == ["ours"])
    }

    @Test("edited on both sides: theirs keeps the name, ours stands beside it")
    func bothEdited() async throws {
        let harness = try await harness(["/a.txt": "0"])
        try await harness.write("/a.txt", "ours")
        try await harness.put("/a.txt", "theirs")
        let tree = try await outcome(harness)
        #expect(tree["/a.txt"] == "theirs")
        #expect(copies(tree).map { tree[$0] } == ["ours"])
        #expect(tree.count == 2)
    }

    @Test("edited here, deleted there: the edit is kept")
    func editAgainstDelete() async throws {
        let harness = try await harness(["/d/a": "0"])
        try await harness.write("/d/a", "ours")
        try await harness.remove("/d")
        #expect(try await outcome(harness) == ["/d": nil, "/d/a": "ours"])
    }

    @Test("edited here, moved there: our content goes to the new place")
    func editAgainstMove() async throws {
        let harness = try await harness(["/a": "0"])
        try await harness.write("/a", "ours")
        try await harness.relocate("/a", to: "/b")
        let tree = try await outcome(harness)
        #expect(tree.values.contains("ours"))
        #expect(tree["/b"] == "ours" || tree == ["/a": "ours", "/b": "0"])
    }

    @Test("moved here, edited there: moved, with their content")
    func moveAgainstEdit() async throws {
        let harness = try await harness(["/a": "0"])
        try await harness.move("/a", to: "/b")
        try await harness.put("/a", "theirs")
        #expect(try await outcome(harness) == ["/b": "theirs"])
    }

    @Test("moved here, moved there: it is where we moved it")
    func moveAgainstMove() async throws {
        // With a fast clock, milliseconds decide whether the delta comes first.
        let harness = try await harness(["/a": "0"], clock: SystemClock())
        try await harness.move("/a", to: "/b")
        try await harness.relocate("/a", to: "/c")
        #expect(try await outcome(harness) == ["/b": "0"])
    }

    @Test("moved here, deleted there: kept where we moved it")
    func moveAgainstDelete() async throws {
        let harness = try await harness(["/a": "0"])
        try await harness.move("/a", to: "/b")
        try await harness.remove("/a")
        #expect(try await outcome(harness) == ["/b": "0"])
    }

    @Test("moved here onto a name that is new there: ours steps aside")
    func moveAgainstNew() async throws {
        let harness = try await harness(["/a": "0"])
        try await harness.move("/a", to: "/b")
        try await harness.put("/b", "theirs")
        let tree = try await outcome(harness)
        #expect(tree["/b"] == "theirs")
        #expect(copies(tree).map { tree[$0] } == ["0"])
    }

    @Test("deleted here, edited there: the edit is kept")
    func deleteAgainstEdit() async throws {
        let harness = try await harness(["/a": "0"])
        try await harness.delete("/a")
        try await harness.put("/a", "theirs")
        #expect(try await outcome(harness) == ["/a": "theirs"])
    }

    @Test("deleted on both sides is deleted")
    func bothDeleted() async throws {
        let harness = try await harness(["/a/x": "0", "/b": "1"])
        try await harness.delete("/a")
        try await harness.remove("/a")
        #expect(try await outcome(harness) == ["/b": "1"])
    }

    @Test("a folder deleted here with something new in it there comes back with that")
    func folderDeleteAgainstNew() async throws {
        let harness = try await harness(["/d/a": "0", "/d/e/b": "1"])
        try await harness.delete("/d")
        try await harness.put("/d/e/new", "theirs")
        #expect(
            try await outcome(harness) == ["/d": nil, "/d/e": nil, "/d/e/new": "theirs"])
    }

    @Test("a folder deleted there with unsent work in it here stays, with that work")
    func unsentWorkAgainstFolderDelete() async throws {
        let harness = try await harness(["/d/a": "0", "/d/b": "1"])
        try await harness.write("/d/new", "ours")
        try await harness.write("/d/a", "edited")
        try await harness.remove("/d")
        #expect(
            try await outcome(harness) == ["/d": nil, "/d/a": "edited", "/d/new": "ours"])
    }

    @Test("folders moved into each other by both sides end in a tree, with nothing lost")
    func movesIntoEachOther() async throws {
        let harness = try await harness(["/a/x": "0", "/b/y": "1"])
        try await harness.move("/a", to: "/b/a")
        try await harness.relocate("/b", to: "/a/b")
        let tree = try await outcome(harness)
        #expect(tree.values.compactMap { $0 }.sorted() == ["0", "1"])
    }

    @Test("a batch waits for the hash of unsent content of the same name and size")
    func unhashed() async throws {
        let harness = try Harness()
        let inode = try await harness.write("/a", "one")
        func apply(expectsHashes: Bool) async throws -> [String] {
            var context = harness.deltaContext
            context.expectsHashes = expectsHashes
            let file = RemoteFile(
                id: FileID("id:1"), revision: Revision("1"), hash: ContentHasher.hash([1]),
                size: 3, clientModified: WallTime(seconds: 1), serverModified: WallTime(seconds: 1))
            let entry = RemoteEntry(
                foldedPath: RemotePath(rawValue: "/a"), name: try FileName("a"), kind: .file(file))
            return try await harness.store.write { [context] transaction in
                var applier = try DeltaApplier(transaction: transaction, context: context)
                try applier.apply([entry], isFeed: true)
                return applier.outcome.conflicts
            }
        }
        await #expect(throws: UnhashedContent.self) { try await apply(expectsHashes: true) }
        #expect(try await harness.inode("/a") == inode)
        #expect(try await apply(expectsHashes: false).count == 1)
    }

    /// Where a move names paths, the server moves the node at that path at that moment.
    @Test("what others put in the place of a moved file or folder is not taken for it")
    func movedAnother() async throws {
        for isFolder in [false, true] {
            let harness = try Harness()
            harness.faulty.forgetsIDs = true
            try await harness.put(isFolder ? "/f/old" : "/f", "one")
            try await harness.settle()
            harness.faulty.inject(.stall) { $0.operation == .move }
            try await harness.move("/f", to: "/g")
            harness.noteChange()
            try await waitWhile { harness.faulty.stalledCount == 0 }
            try await harness.remove("/f")
            try await harness.put(isFolder ? "/f" : "/f/inner", "theirs")
            // The deltas come when it is back: those of the in-memory server name every step on the
            // way, and the mount would follow them.
            harness.faulty.inject(.failBefore(.server("test")), times: nil) {
                $0.operation == .listAfter
            }
            harness.faulty.releaseStalled()
            try await waitWhile { harness.faulty.calls.count(where: { $0.operation == .move }) < 2 }
            harness.faulty.removeFaults()
            try await harness.settle()
            await harness.stop()
            try await harness.checkInvariants()
            let tree = try await harness.tree()
            let text = "\(tree)\n\(harness.history.text)"
            #expect(tree[isFolder ? "/f" : "/f/inner"] == "theirs", "\(text)")
            // As deltas that name every step on the way may leave it, beside the name.
            #expect(isFolder || tree.values.contains("one"), "\(text)")
            #expect(!tree.keys.contains { $0.contains(".dbxfs-rename") }, "\(text)")
        }
    }
}
