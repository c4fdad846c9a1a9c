// Work that was lost, on the server or here, because a request named a place whose occupant others
// had changed and the delta was late, or because a folder took more with it than its user had seen.

import ContentHashing
import Core
import Foundation
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import TestSupport
import Testing

@testable import Sync

@Suite struct LostWorkTests {
    /// A mount that knows these files, and gets no deltas until `hearAll`.
    private func deaf(
        _ files: [String: String], folders: [String] = [], forgetsIDs: Bool = false
    ) async throws -> Harness {
        let harness = try Harness()
        for folder in folders { try await harness.putFolder(folder) }
        for (path, text) in files.sorted(by: { $0.key < $1.key }) {
            try await harness.put(path, text)
        }
        try await harness.settle()
        try await harness.finishFeed()
        harness.faulty.inject(.failBefore(.server("late")), times: nil) {
            [.listAfter, .waitForChange].contains($0.operation)
        }
        harness.faulty.forgetsIDs = forgetsIDs
        return harness
    }

    private func hearAll(_ harness: Harness) async throws -> [String: String?] {
        harness.faulty.removeFaults()
        try await harness.settle()
        // The search of a deleted folder follows its step, and may bring files back.
        try await harness.finishSearches()
        try await harness.settle()
        try await harness.checkInvariants()
        await harness.stop()
        let tree = try await harness.serverTree()
        #expect(!tree.keys.contains { $0.contains(".dbxfs-rename") }, "\(harness.history.text)")
        return tree
    }

    @Test("an empty folder's deletion takes nothing that others have moved into it")
    func movedIn() async throws {
        let harness = try await deaf(
            ["/work/thesis.txt": "thesis", "/work/sub/data": "data"], folders: ["/dir"])
        try await harness.relocate("/work", to: "/dir/work")
        try await harness.put("/dir/work/new.txt", "new")
        try await harness.delete("/dir")
        try await harness.move("/work", to: "/work2")
        try await harness.drain()
        let tree = try await hearAll(harness)
        #expect(
            tree == [
                "/work2": nil, "/work2/thesis.txt": "thesis", "/work2/new.txt": "new",
                "/work2/sub": nil, "/work2/sub/data": "data",
            ], "\(harness.history.text)")
    }

    @Test("nor does it if the delta comes between the decision and the deletion")
    func movedInMeanwhile() async throws {
        let harness = try await deaf(["/work/thesis.txt": "thesis"], folders: ["/dir"])
        await harness.stop()
        try await harness.relocate("/work", to: "/dir/work")
        try await harness.delete("/dir")
        try await harness.move("/work", to: "/work2")
        #expect(
            try await hearAll(harness) == ["/work2": nil, "/work2/thesis.txt": "thesis"],
            "\(harness.history.text)")
    }

    @Test(
        "a move takes the node that was meant, and a deletion its revision",
        arguments: [true, false])
    func moveOfOther(isEdit: Bool) async throws {
        let harness = try await deaf(["/x": "X", "/y": "Y"])
        try await harness.put("/x", "X, a day of work")
        try await harness.relocate("/y", to: "/w")
        try await harness.relocate("/x", to: "/y")
        if isEdit {
            try await harness.write("/x", "X, edited here")
        } else {
            try await harness.delete("/x")
        }
        try await harness.move("/y", to: "/z")
        try await harness.drain()
        let tree = try await hearAll(harness)
        let texts = tree.values.compactMap(\.self).sorted()
        let edit = isEdit ? ["X, edited here"] : []
        #expect(texts == (["X, a day of work", "Y"] + edit).sorted(), "\(harness.history.text)")
        #expect(tree["/z"] == "Y", "\(harness.history.text)")
    }

    @Test("where the service takes no ids, a move that took another node loses nothing")
    func moveOfOtherByPath() async throws {
        let harness = try await deaf(["/x": "X", "/y": "Y"], forgetsIDs: true)
        try await harness.put("/x", "X, a day of work")
        try await harness.relocate("/y", to: "/w")
        try await harness.relocate("/x", to: "/y")
        try await harness.delete("/x")
        try await harness.move("/y", to: "/z")
        try await harness.drain()
        let texts = try await hearAll(harness).values.compactMap(\.self)
        #expect(Set(texts) == ["X, a day of work", "Y"], "\(harness.history.text)")
    }

    @Test("a folder's rename takes that folder, not another one that others have made in its place")
    func renameOfOther() async throws {
        let harness = try await deaf(["/p/old1": "1", "/p/sub/old2": "2"])
        try await harness.remove("/p")
        try await harness.putFolder("/p")
        try await harness.put("/p/theirs", "theirs")
        try await harness.move("/p", to: "/q")
        _ = try await hearAll(harness)
        // Kept where users moved it, from the revisions that were there.
        #expect(
            try await harness.tree() == [
                "/p": nil, "/p/theirs": "theirs", "/q": nil, "/q/old1": "1", "/q/sub": nil,
                "/q/sub/old2": "2",
            ], "\(harness.history.text)")
    }

    @Test("a folder that was moved here and deleted there keeps all that was in it")
    func movedAndDeleted() async throws {
        let harness = try await deaf(
            ["/docs/one": "1", "/docs/sub/two": "2"], folders: ["/archive", "/docs/empty"])
        try await harness.move("/docs", to: "/archive/docs")
        try await harness.remove("/docs")
        #expect(
            try await hearAll(harness) == [
                "/archive": nil, "/archive/docs": nil, "/archive/docs/empty": nil,
                "/archive/docs/one": "1", "/archive/docs/sub": nil, "/archive/docs/sub/two": "2",
            ], "\(harness.history.text)")
    }

    @Test("what others edit or store in a folder while it is deleted comes back")
    func storedMeanwhile() async throws {
        let harness = try await deaf(["/a/1": "1", "/a/2": "2", "/a/b/3": "3"])
        // Nothing of the deletion is sent before the edit is there.
        harness.faulty.isOffline = true
        try await harness.delete("/a")
        try await harness.put("/a/1", "1, edited")
        harness.noteChange()
        // The edit brings the folder back; its user deletes it again, having seen that.
        harness.faulty.removeFaults()
        harness.faulty.isOffline = false
        try await harness.settle()
        #expect(
            try await harness.tree() == ["/a": nil, "/a/1": "1, edited"], "\(harness.history.text)")
        harness.faulty.inject(.stall, times: 1) {
            $0.operation == .delete && !$0.subject.contains("/a/1")
        }
        try await harness.delete("/a")
        harness.noteChange()
        try await waitWhile {
            try await harness.engine?.beginDraining()
            return harness.faulty.stalledCount == 0
        }
        try await harness.put("/a/new", "stored in the last moment")
        harness.faulty.releaseStalled()
        #expect(
            try await hearAll(harness) == ["/a": nil, "/a/new": "stored in the last moment"],
            "\(harness.history.text)")
    }

    @Test("a node made in a folder that others had moved, and then deleted, is shown nowhere")
    func madeInMovedFolder() async throws {
        let harness = try await deaf(["/p/q/f": "F"], folders: ["/p/q/s"])
        try await harness.relocate("/p/q", to: "/x")
        try await harness.write("/p/q/s/c", "c")
        try await harness.makeFolder("/p/q/s/d")
        harness.noteChange()
        try await harness.drain()
        // The mount gets the folder's place before any other delta.
        try await harness.write("/p/q/f", "edit")
        try await harness.drain()
        try await harness.remove("/p")
        #expect(
            try await hearAll(harness) == ["/x": nil, "/x/f": "edit", "/x/s": nil],
            "\(harness.history.text)")
    }

    @Test(
        "a node moved into a folder that others had moved, and then deleted, is shown nowhere",
        arguments: [false, true])
    func movedIntoMovedFolder(isRestarted: Bool) async throws {
        let harness = try await deaf(
            ["/p/q/f": "F", "/m": "M", "/n/o": "O"], folders: ["/p/q/s"])
        try await harness.relocate("/p/q", to: "/x")
        try await harness.move("/m", to: "/p/q/s/m")
        try await harness.move("/n", to: "/p/q/s/n")
        harness.noteChange()
        try await harness.drain()
        if isRestarted {
            await harness.stop()
            try await harness.start(knowingAll: true)
        }
        // The mount gets the folder's place before any other delta.
        try await harness.write("/p/q/f", "edit")
        harness.noteChange()
        try await harness.drain()
        try await harness.remove("/p")
        #expect(
            try await hearAll(harness) == ["/x": nil, "/x/f": "edit", "/x/s": nil],
            "\(harness.history.text)")
    }

    @Test("an edit follows a folder that others have moved, however late the delta is")
    func editInMovedFolder() async throws {
        let harness = try await deaf(["/p/f": "F", "/p/g": "G"], folders: ["/x"])
        try await harness.write("/p/f", "edit")
        try await harness.relocate("/p", to: "/x/p")
        try await harness.drain()
        #expect(
            try await harness.serverTree() == [
                "/x": nil, "/x/p": nil, "/x/p/f": "edit", "/x/p/g": "G",
            ], "\(harness.history.text)")
        #expect(
            try await hearAll(harness) == [
                "/x": nil, "/x/p": nil, "/x/p/f": "edit", "/x/p/g": "G",
            ])
    }

    @Test(
        "a file that is saved in a folder between two moves of another client goes with the folder")
    func savedBetweenMoves() async throws {
        let harness = try await deaf(["/proj/x": "x"])
        harness.faulty.removeFaults()
        // With a fast clock, the mount soon makes the second move itself.
        harness.faulty.inject(.failBefore(.server("early")), times: nil) { $0.operation == .move }
        try await harness.relocate("/proj", to: "/.dbxfs-rename-2-1-proj")
        try await waitWhile {
            try await harness.store.read { try $0.remoteNode(foldedPath: "/proj") } != nil
        }
        try await harness.write("/proj/report.txt", "report")
        harness.noteChange()
        try await harness.relocate("/.dbxfs-rename-2-1-proj", to: "/Proj")
        try await harness.finishDeltas()
        #expect(
            try await hearAll(harness) == [
                "/Proj": nil, "/Proj/x": "x", "/Proj/report.txt": "report",
            ],
            "\(harness.history.text)")
    }

    @Test("a second move that never comes is made by another mount", arguments: [true, false])
    func abandonedBetweenMoves(isKnown: Bool) async throws {
        let harness = try Harness()
        try await harness.put("/proj/x", "x")
        if isKnown { try await harness.settle() }
        try await harness.relocate("/proj", to: "/.dbxfs-rename-2-1-proj")
        try await harness.put("/.dbxfs-rename-9-1", "too long a name")
        let tree = try await hearAll(harness)
        #expect(tree["/proj/x"] == "x", "\(harness.history.text)")
        #expect(tree.values.contains("too long a name"))
    }

    @Test(
        "a commit that the server finishes after the process has ended is this mount's own",
        arguments: [true, false])
    func lateCommit(isRenamed: Bool) async throws {
        // With a fast clock, the quarter of an hour for which the commit is known is nine seconds.
        let harness = try Harness(clock: SystemClock())
        try await harness.settle()
        harness.faulty.inject(.failBefore(.timedOut), into: .upload)
        let inode = try await harness.write("/file", "text")
        let modified = try #require(try await harness.store.read { try $0.node(inode)?.modified })
        harness.noteChange()
        try await harness.waitForCall(.upload)
        await harness.stop()
        if isRenamed {
            try await harness.move("/file", to: "/file.new")
        } else {
            try await harness.delete("/file")
        }
        try await harness.settle()
        let commit = RemoteCommit(
            path: "/file", expectation: .absent(strict: true),
            clientModified: modified, hash: nil)
        _ = try await harness.server.upload(MemorySource("text"), commit: commit)
        #expect(
            try await hearAll(harness) == (isRenamed ? ["/file.new": "text"] : [:]),
            "\(harness.history.text)")
    }

    @Test("nothing is sent before the first deltas after a start")
    func catchesUpFirst() async throws {
        let harness = try await deaf(["/a": "1"])
        await harness.stop()
        try await harness.move("/a", to: "/b")
        let before = harness.faulty.calls.count
        try await harness.start()
        try await harness.engine?.beginDraining()
        try await waitWhile { harness.faulty.calls.count < before + 5 }
        #expect(!harness.faulty.calls.dropFirst(before).contains { $0.operation.isChange })
        #expect(try await hearAll(harness) == ["/b": "1"])
    }

    @Test("the pieces of a file are not sent after its deletion")
    func deletedWhileSent() async throws {
        let harness = try await deaf([:])
        harness.faulty.removeFaults()
        let size = 7 * PieceLayout.pieceSize
        harness.faulty.inject(.stall, times: nil) { $0.operation == .append }
        try await harness.store.write { transaction in
            let inode = try transaction.insert(
                .file, at: try transaction.place("/big"), local: LocalFacts(modified: .now()))
            let file = try harness.staging.begin(
                inode, base: nil, size: 0, in: transaction)
            _ = try file.truncate(to: size, now: .now())
            try file.persist(in: transaction)
        }
        harness.noteChange()
        try await harness.waitForCall(.append)
        try await harness.delete("/big")
        harness.faulty.removeFaults()
        harness.faulty.releaseStalled()
        #expect(try await hearAll(harness).isEmpty)
        let pieces = harness.faulty.calls.filter { $0.operation == .append }.count
        #expect(pieces <= SessionSender.concurrentPieces, "\(pieces)")
        #expect(!harness.faulty.calls.contains { $0.operation == .finishUpload })
    }
}
