// The conflict table of docs/semantics.md, row by row: this mount's unsent changes, against changes
// that another client has made since. The outcome must not depend on which side gets the other's
// change first, so each row runs as it comes: uploads and the feed race. `ConflictRows` has one
// example of each row. Not responsible for files that are open or pinned
// (`OpenAndPinnedFileTests`).

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
    @Test("edited there: the new content shows, in the same inode")
    func remoteEdit() async throws {
        let harness = try await Harness.knowing(["/a": "1"])
        let inode = try await harness.inode("/a")
        try await harness.put("/a", "2")
        #expect(try await harness.outcome() == ["/a": "2"])
        #expect(try await harness.inode("/a") == inode)
    }

    @Test("edited here in a folder moved there, and sent before the delta: one file, there")
    func editInMovedFolder() async throws {
        let harness = try await Harness.knowing(["/a/f": "1"])
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
        #expect(try await harness.outcome() == ["/b": nil, "/b/f": "2"])
    }

    @Test("a folder moved there moves here, and everything in it keeps its inode")
    func remoteMove() async throws {
        let harness = try await Harness.knowing(["/a/x": "1", "/a/b/y": "2"])
        let inode = try await harness.inode("/a/b/y")
        try await harness.relocate("/a", to: "/c")
        #expect(
            try await harness.outcome() == ["/c": nil, "/c/x": "1", "/c/b": nil, "/c/b/y": "2"])
        #expect(try await harness.inode("/c/b/y") == inode)
    }

    @Test("deleted there: gone here, with everything below")
    func remoteDelete() async throws {
        let harness = try await Harness.knowing(["/a/x": "1", "/b": "2"])
        try await harness.remove("/a")
        #expect(try await harness.outcome() == ["/b": "2"])
    }

    @Test("a folder that users deleted does not come back for a file that is gone again by then")
    func passingFile() async throws {
        let harness = try await Harness.knowing(["/d/e/a": "1"])
        try await harness.delete("/d")
        try await harness.put("/d/e/new", "2")
        try await harness.remove("/d/e/new")
        #expect(try await harness.outcome() == [:])
    }

    @Test("new on both sides: theirs keeps the name, ours stands beside it")
    func bothNew() async throws {
        let harness = try await Harness.knowing([:])
        try await harness.write("/a.txt", "ours")
        try await harness.put("/a.txt", "theirs")
        let tree = try await harness.outcome()
        #expect(tree["/a.txt"] == "theirs")
        #expect(tree.conflictedCopies.map { tree[$0] } == ["ours"])
        #expect(tree.conflictedCopies.first?.hasSuffix(").txt") == true)
    }

    @Test("the same bytes new on both sides are one file")
    func bothNewAndEqual() async throws {
        let harness = try await Harness.knowing([:])
        try await harness.write("/a", "same")
        try await harness.put("/a", "same")
        #expect(try await harness.outcome() == ["/a": "same"])
    }

    @Test("a folder new on both sides is one folder")
    func bothNewFolders() async throws {
        let harness = try await Harness.knowing([:])
        try await harness.makeFolder("/a")
        try await harness.write("/a/x", "ours")
        try await harness.put("/a/y", "theirs")
        #expect(try await harness.outcome() == ["/a": nil, "/a/x": "ours", "/a/y": "theirs"])
    }

    @Test("our new file where their new folder is steps aside")
    func fileAgainstFolder() async throws {
        let harness = try await Harness.knowing([:])
        try await harness.write("/a", "ours")
        try await harness.put("/a/y", "theirs")
        let tree = try await harness.outcome()
        #expect(tree["/a/y"] == "theirs")
        #expect(tree.conflictedCopies.map { tree[$0] } == ["ours"])
    }

    @Test("our new folder where their new file is steps aside, with its content")
    func folderAgainstFile() async throws {
        let harness = try await Harness.knowing([:])
        try await harness.makeFolder("/a")
        try await harness.write("/a/x", "ours")
        try await harness.put("/a", "theirs")
        let tree = try await harness.outcome()
        #expect(tree["/a"] == "theirs")
        #expect(tree.filter { $0.key.hasSuffix("/x") }.map(\.value) == ["ours"])
    }

    @Test("edited on both sides: theirs keeps the name, ours stands beside it")
    func bothEdited() async throws {
        let harness = try await Harness.knowing(["/a.txt": "0"])
        try await harness.write("/a.txt", "ours")
        try await harness.put("/a.txt", "theirs")
        let tree = try await harness.outcome()
        #expect(tree["/a.txt"] == "theirs")
        #expect(tree.conflictedCopies.map { tree[$0] } == ["ours"])
        #expect(tree.count == 2)
    }

    @Test("edited here, deleted there: the edit is kept")
    func editAgainstDelete() async throws {
        let harness = try await Harness.knowing(["/d/a": "0"])
        try await harness.write("/d/a", "ours")
        try await harness.remove("/d")
        #expect(try await harness.outcome() == ["/d": nil, "/d/a": "ours"])
    }

    @Test("edited here, moved there: our content goes to the new place")
    func editAgainstMove() async throws {
        let harness = try await Harness.knowing(["/a": "0"])
        try await harness.write("/a", "ours")
        try await harness.relocate("/a", to: "/b")
        let tree = try await harness.outcome()
        #expect(tree.values.contains("ours"))
        #expect(tree["/b"] == "ours" || tree == ["/a": "ours", "/b": "0"])
    }

    @Test("moved here, edited there: moved, with their content")
    func moveAgainstEdit() async throws {
        let harness = try await Harness.knowing(["/a": "0"])
        try await harness.move("/a", to: "/b")
        try await harness.put("/a", "theirs")
        #expect(try await harness.outcome() == ["/b": "theirs"])
    }

    @Test("moved here, moved there: it is where we moved it")
    func moveAgainstMove() async throws {
        // With a fast clock, milliseconds decide whether the delta comes first.
        let harness = try await Harness.knowing(["/a": "0"], clock: SystemClock())
        try await harness.move("/a", to: "/b")
        try await harness.relocate("/a", to: "/c")
        #expect(try await harness.outcome() == ["/b": "0"])
    }

    @Test("moved here, deleted there: kept where we moved it")
    func moveAgainstDelete() async throws {
        let harness = try await Harness.knowing(["/a": "0"])
        try await harness.move("/a", to: "/b")
        try await harness.remove("/a")
        #expect(try await harness.outcome() == ["/b": "0"])
    }

    @Test("moved here onto a name that is new there: ours steps aside")
    func moveAgainstNew() async throws {
        let harness = try await Harness.knowing(["/a": "0"])
        try await harness.move("/a", to: "/b")
        try await harness.put("/b", "theirs")
        let tree = try await harness.outcome()
        #expect(tree["/b"] == "theirs")
        #expect(tree.conflictedCopies.map { tree[$0] } == ["0"])
    }

    @Test("deleted here, edited there: the edit is kept")
    func deleteAgainstEdit() async throws {
        let harness = try await Harness.knowing(["/a": "0"])
        try await harness.delete("/a")
        try await harness.put("/a", "theirs")
        #expect(try await harness.outcome() == ["/a": "theirs"])
    }

    @Test("deleted on both sides is deleted")
    func bothDeleted() async throws {
        let harness = try await Harness.knowing(["/a/x": "0", "/b": "1"])
        try await harness.delete("/a")
        try await harness.remove("/a")
        #expect(try await harness.outcome() == ["/b": "1"])
    }

    @Test("a folder deleted here with something new in it there comes back with that")
    func folderDeleteAgainstNew() async throws {
        let harness = try await Harness.knowing(["/d/a": "0", "/d/e/b": "1"])
        try await harness.delete("/d")
        try await harness.put("/d/e/new", "theirs")
        #expect(
            try await harness.outcome() == ["/d": nil, "/d/e": nil, "/d/e/new": "theirs"])
    }

    @Test("a folder deleted there with unsent work in it here stays, with that work")
    func unsentWorkAgainstFolderDelete() async throws {
        let harness = try await Harness.knowing(["/d/a": "0", "/d/b": "1"])
        try await harness.write("/d/new", "ours")
        try await harness.write("/d/a", "edited")
        try await harness.remove("/d")
        #expect(
            try await harness.outcome() == ["/d": nil, "/d/a": "edited", "/d/new": "ours"])
    }

    @Test("folders moved into each other by both sides end in a tree, with nothing lost")
    func movesIntoEachOther() async throws {
        let harness = try await Harness.knowing(["/a/x": "0", "/b/y": "1"])
        try await harness.move("/a", to: "/b/a")
        try await harness.relocate("/b", to: "/a/b")
        let tree = try await harness.outcome()
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
