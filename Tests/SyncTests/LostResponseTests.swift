// Commits that the server has made and of which this mount does not know, because the response was
// lost or the process ended: after all changes of users before the delta, they are this mount's
// own.

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

@Suite struct LostResponseTests {
    /// A mount whose process ends when the server has made a commit, before it says so. Others have
    /// made `files`.
    private func killed(
        after operation: RemoteOperation, files: [String: String] = [:],
        _ prepare: (Harness) async throws -> Void
    ) async throws -> Harness {
        let harness = try Harness()
        for (path, text) in files.sorted(by: { $0.key < $1.key }) {
            try await harness.put(path, text)
        }
        try await harness.settle()
        await harness.stop()

        try await prepare(harness)
        try await harness.runUntilLost(operation, knowingAll: true)
        return harness
    }

    /// A mount that has moved `/a` to `/b` and does not know it, because the answer was an error.
    private func unsureOfMove() async throws -> Harness {
        let harness = try Harness()
        try await harness.put("/a/inner/file", "1")
        try await harness.settle()
        await harness.stop()
        harness.faulty.inject(.failAfter(.server("test"))) { $0.operation == .move }
        // So that the delta does not name it.
        harness.faulty.inject(.failBefore(.server("test")), times: 3) { $0.operation == .listAfter }
        try await harness.move("/a", to: "/b")
        return harness
    }

    @Test(
        "a commit that arrives late is known again, however the date is set after a start",
        arguments: [86_400, -86_400] as [Double])
    func late(shift: Double) async throws {
        // With a fast clock, the quarter of an hour for which the commit is known is nine seconds.
        let clock = ShiftedClock(of: SystemClock())
        let harness = try Harness(clock: clock)
        try await harness.settle()
        await harness.stop()
        // The request is on its way when the process ends.
        harness.faulty.inject(.failBefore(.offline("test")), times: nil) {
            $0.operation == .makeFolder
        }
        try await harness.makeFolder("/a")
        try await harness.start(knowingAll: true)
        try await harness.waitForCall(.makeFolder)
        await harness.stop()
        harness.faulty.removeFaults()
        try await harness.delete("/a")
        clock.setDate(by: shift)
        try await harness.start()
        try await harness.put("/other", "text")
        try await harness.finishDeltas()
        try await harness.putFolder("/a")
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.serverTree() == ["/other": "text"], "\(harness.history.text)")
    }

    @Test(
        "a node that users moved away and back is where they put it, if others' delta is the response",
        arguments: ["/a", "/folder"])
    func movedBack(path: String) async throws {
        let harness = try await killed(
            after: .move, files: ["/a": "1", "/folder/inner": "2", "/other/c": "3"]
        ) { harness in
            try await harness.move(path, to: "/other/b")
        }
        try await harness.move("/other/b", to: path)
        try await harness.settle()
        await harness.stop()
        try await expect(
            ["/a": "1", "/folder": nil, "/folder/inner": "2", "/other": nil, "/other/c": "3"],
            of: harness)
    }

    /// Copies a file as the filesystem does, without its bytes.
    private func copy(_ path: String, to target: String, in harness: Harness) async throws {
        try await harness.store.write { [staging = harness.staging] transaction in
            let facts = try transaction.existing(transaction.place(path)).facts
            let base = try #require(StagedContent.Base(whole: facts))
            let inode = try transaction.insert(
                .file, at: transaction.place(target), local: LocalFacts(modified: .now()))
            _ = try staging.begin(inode, base: base, size: base.size, in: transaction)
        }
        harness.noteChange()
    }

    @Test("what others put where a copy was to be that never arrived is theirs")
    func foreignAtCopy() async throws {
        let harness = try Harness()
        try await harness.put("/a", "one")
        try await harness.put("/other", "two")
        try await harness.settle()
        await harness.stop()
        harness.faulty.inject(.failBefore(.offline("test")), times: nil) { $0.operation == .copy }
        try await copy("/a", to: "/b", in: harness)
        try await harness.start(knowingAll: true)
        try await harness.waitForCall(.copy)
        await harness.stop()
        harness.faulty.removeFaults()
        try await harness.put("/b", "two", modified: 1_000_000_001)
        try await harness.settle()
        let tree = try await harness.serverTree()
        #expect(tree["/b"] == "two", "\(harness.history.text)")
        #expect(tree.count == 4 && tree.values.count { $0 == "one" } == 2)
        await harness.stop()
    }

    @Test("a copy that arrived unnoticed, of what others had changed, can be deleted")
    func deletedCopy() async throws {
        let harness = try await killed(after: .copy, files: ["/a": "one"]) { harness in
            // The mount does not learn of the change before it has sent the copy.
            harness.faulty.inject(.failBefore(.server("test")), times: nil) {
                $0.operation == .listAfter
            }
            try await harness.put("/a", "changed")
            try await copy("/a", to: "/b", in: harness)
        }
        try await harness.delete("/b")
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.serverTree() == ["/a": "changed"], "\(harness.history.text)")
    }

    @Test("content that users set back to the server's, after other content was sent, is sent")
    func contentSetBack() async throws {
        let harness = try await killed(after: .upload, files: ["/a": "one"]) { harness in
            try await harness.write("/a", "two")
        }
        try await harness.write("/a", "one")
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.serverTree() == ["/a": "one"], "\(harness.history.text)")
        #expect(try await harness.tree() == ["/a": "one"])
    }

    @Test("an intent is forgotten once its commit can no longer arrive")
    func tooLate() async throws {
        let harness = try Harness()
        let start = WallTime.now()
        let ages = IntentAges()
        let inode = try await harness.write("/a", "text")
        let context = harness.deltaContext
        func intents(after seconds: Double) async throws -> Int {
            try await harness.store.write { transaction in
                try ages.noteCaughtUp(at: start.adding(seconds: seconds), in: transaction)
                try DeltaApplier(transaction: transaction, context: context).feedCaughtUp()
                return try transaction.hasIntent(withHash: .empty, for: inode) ? 1 : 0
            }
        }
        try await harness.store.write { transaction in
            _ = try transaction.noteIntent(
                inode, at: nil, hash: .empty, modified: nil, sent: start.adding(seconds: -10_000))
        }
        #expect(try await intents(after: 0) == 1)
        #expect(try await intents(after: 800) == 1)
        #expect(try await intents(after: 901) == 0)
    }

    @Test("a change in a folder whose move may have arrived goes where the folder is")
    func changedInMoved() async throws {
        let harness = try await unsureOfMove()
        try await harness.write("/b/inner/file", "2")
        try await expect(["/b": nil, "/b/inner": nil, "/b/inner/file": "2"], of: harness)
    }

    @Test("a new node in a folder whose move may have arrived goes where the folder is")
    func newInMoved() async throws {
        let harness = try await unsureOfMove()
        try await harness.write("/b/inner/new", "2")
        try await harness.makeFolder("/b/made")
        try await expect(
            [
                "/b": nil, "/b/inner": nil, "/b/inner/file": "1", "/b/inner/new": "2",
                "/b/made": nil,
            ], of: harness)
    }

    @Test("a big file that was on its way into such a folder goes where the folder is")
    func bigInMoved() async throws {
        let harness = try Harness()
        let faulty = harness.faulty
        let text = String(repeating: "0123456789abcdef", count: (5 << 20) / 16)
        try await harness.put("/a/file", "1")
        try await harness.settle()
        await harness.stop()
        faulty.inject(.stall, times: nil) { $0.operation == .append }
        try await harness.write("/a/big", text)
        try await harness.start(knowingAll: true)
        try await harness.waitForCall(.append)
        faulty.inject(.failAfter(.server("test"))) { $0.operation == .move }
        faulty.inject(.failBefore(.server("test")), times: nil) {
            [.entry, .listAfter].contains($0.operation)
        }
        try await harness.move("/a", to: "/b")
        harness.noteChange()
        try await harness.waitForCall(.move)
        faulty.releaseStalled()
        try await waitWhile {
            faulty.stalledCount == 0
                && !faulty.calls.contains { $0.operation == .finishUpload }
        }
        faulty.removeFaults()
        faulty.releaseStalled()
        try await expect(["/b": nil, "/b/file": "1", "/b/big": text], of: harness)
    }

    @Test("a folder whose move may have arrived is found after a restart, too, and moved on")
    func movedOn() async throws {
        let harness = try await unsureOfMove()
        try await harness.start(knowingAll: true)
        try await harness.waitForCall(.move)
        await harness.stop()
        try await harness.move("/b", to: "/c")
        try await harness.write("/c/inner/new", "2")
        try await expect(
            ["/c": nil, "/c/inner": nil, "/c/inner/file": "1", "/c/inner/new": "2"], of: harness)
    }

    @Test("a file that is changed before the delta is no conflict")
    func changed() async throws {
        let harness = try await killed(after: .upload) { try await $0.write("/a", "1") }
        try await harness.write("/a", "2")
        try await expect(["/a": "2"], of: harness)
    }

    @Test("a file that is deleted before the delta does not come back")
    func deleted() async throws {
        let harness = try await killed(after: .upload) { try await $0.write("/a", "1") }
        try await harness.delete("/a")
        try await expect([:], of: harness)
    }

    @Test("a file that is renamed before the delta is one file")
    func renamed() async throws {
        let harness = try await killed(after: .upload) { try await $0.write("/a", "1") }
        try await harness.move("/a", to: "/b")
        try await expect(["/b": "1"], of: harness)
    }

    @Test("a file that took another one's place does not come back after its deletion there")
    func deletedAfterReplacing() async throws {
        let harness = try await killed(after: .upload, files: ["/a": "1"]) {
            try await $0.write("/n", "2")
        }
        try await harness.move("/n", to: "/a")
        try await harness.delete("/a")
        try await harness.drainBeforeDeltas()
        try await expect([:], of: harness)
    }

    @Test("a file that takes another one's place before the delta does not come back")
    func renamedOver() async throws {
        let harness = try await killed(after: .upload, files: ["/b": "0"]) {
            try await $0.write("/a", "1")
        }
        try await harness.move("/a", to: "/b")
        try await expect(["/b": "1"], of: harness)
    }

    @Test("a file whose place another one takes before the delta is that one's earlier revision")
    func replaced() async throws {
        let harness = try await killed(after: .upload) { try await $0.write("/a", "1") }
        try await harness.write("/b", "2")
        try await harness.move("/b", to: "/a")
        try await expect(["/a": "2"], of: harness)
    }

    @Test("a revision that is changed again before the delta is no conflict")
    func revision() async throws {
        let harness = try await killed(after: .upload, files: ["/a": "0"]) {
            try await $0.write("/a", "1")
        }
        try await harness.write("/a", "2")
        try await expect(["/a": "2"], of: harness)
    }

    @Test("a revision that is deleted before the delta does not come back")
    func deletedRevision() async throws {
        let harness = try await killed(after: .upload, files: ["/a": "0"]) {
            try await $0.write("/a", "1")
        }
        try await harness.delete("/a")
        try await expect([:], of: harness)
    }

    @Test("a folder that is deleted before the delta does not come back")
    func deletedFolder() async throws {
        let harness = try await killed(after: .makeFolder) { try await $0.makeFolder("/a") }
        try await harness.delete("/a")
        try await expect([:], of: harness)
    }

    @Test("a folder that is renamed before the delta is one folder")
    func renamedFolder() async throws {
        let harness = try await killed(after: .makeFolder) { try await $0.makeFolder("/a") }
        try await harness.move("/a", to: "/b")
        try await expect(["/b": nil], of: harness)
    }

    /// Everything in a moved folder has another revision than before.
    @Test("a node deleted in a folder whose move was not answered does not come back")
    func deletedInMovedFolder() async throws {
        let harness = try await killed(after: .move, files: ["/a/file": "1"]) { harness in
            try await harness.move("/a", to: "/b")
        }
        try await harness.delete("/b/file")
        try await expect(["/b": nil], of: harness)
    }

    /// The feed names it by the place that the folder had then.
    @Test("what others deleted in a folder before this mount moved it goes")
    func deletedThereBeforeMove() async throws {
        let harness = try Harness()
        let faulty = harness.faulty
        try await harness.put("/a/file", "1")
        try await harness.put("/a/other", "2")
        try await harness.settle()
        await harness.stop()
        try await harness.remove("/a/file")
        try await harness.move("/a", to: "/b")
        // The move comes before the delta.
        faulty.inject(.failBefore(.server("test")), into: .listAfter)
        try await expect(["/b": nil, "/b/other": "2"], of: harness)
    }

    /// The feed names it by a place in a folder that is gone.
    @Test("what others deleted in a folder goes when this mount moves it, and deletes where it was")
    func deletedThereBeforeMoveAndDeletion() async throws {
        let harness = try Harness()
        try await harness.put("/a/b/c/file", "1")
        try await harness.put("/a/b/c/other", "2")
        try await harness.settle()
        await harness.stop()
        try await harness.remove("/a/b/c/file")
        try await harness.move("/a/b/c", to: "/c")
        try await harness.delete("/a")
        try await harness.drainBeforeDeltas()
        try await expect(["/c": nil, "/c/other": "2"], of: harness)
    }

    /// The feed names it by a place that this mount has never seen.
    @Test("what others deleted in a folder that they had moved goes when this mount moves it on")
    func deletedThereBetweenMoves() async throws {
        let harness = try Harness()
        try await harness.put("/a/file", "1")
        try await harness.put("/a/in/file", "2")
        try await harness.put("/a/other", "3")
        try await harness.settle()
        await harness.stop()
        try await harness.relocate("/a", to: "/between")
        try await harness.remove("/between/file")
        try await harness.remove("/between/in")
        try await harness.move("/a", to: "/b")
        try await harness.drainBeforeDeltas()
        try await expect(["/b": nil, "/b/other": "3"], of: harness)
    }

    @Test("what lives in a moved folder stays when a new folder of its old name loses its namesake")
    func namesakeInNewFolder() async throws {
        let harness = try Harness()
        let faulty = harness.faulty
        try await harness.put("/a/x", "1")
        try await harness.settle()
        await harness.stop()
        // No deltas before all of this has been sent.
        faulty.inject(.failBefore(.server("test")), times: nil) { $0.operation == .listAfter }
        try await harness.move("/a", to: "/b")
        try await harness.start(knowingAll: true)
        try await harness.drain()
        try await harness.makeFolder("/a")
        try await harness.write("/a/x", "2")
        try await harness.drain()
        try await harness.move("/a/x", to: "/a/y")
        try await harness.drain()
        faulty.removeFaults()
        try await expect(
            ["/a": nil, "/a/y": "2", "/b": nil, "/b/x": "1"], of: harness)
    }

    /// A metadata read finds the folder where it was moved to, before the delta.
    @Test("what others deleted in a folder before this mount's move, which was not answered, goes")
    func deletedThereBeforeUnansweredMove() async throws {
        let harness = try await killed(after: .move, files: ["/a/file": "1", "/a/other": "2"]) {
            try await $0.remove("/a/file")
            try await $0.move("/a", to: "/b")
        }
        harness.faulty.inject(.failBefore(.server("test")), into: .listAfter)
        try await expect(["/b": nil, "/b/other": "2"], of: harness)
    }

    @Test("after a new listing, what lives in a moved folder stays when its namesake goes")
    func namesakeAfterListing() async throws {
        let harness = try Harness()
        let faulty = harness.faulty
        try await harness.put("/a/x", "1")
        try await harness.settle()
        await harness.stop()
        faulty.inject(.failBefore(.server("test")), times: nil) { $0.operation == .listAfter }
        try await harness.move("/a", to: "/b")
        try await harness.start(knowingAll: true)
        try await harness.drain()
        await harness.stop()
        faulty.removeFaults()
        harness.server.resetCursors()
        // The listing is applied, the first deltas after it are not.
        faulty.inject(.stall) { $0.operation == .listAfter && $0.subject.contains("\"epoch\":1") }
        try await harness.start(knowingAll: true)
        try await waitWhile { faulty.stalledCount == 0 }
        try await harness.put("/a/x", "2")
        try await harness.relocate("/a/x", to: "/y")
        faulty.releaseStalled()
        try await expect(["/a": nil, "/b": nil, "/b/x": "1", "/y": "2"], of: harness)
    }

    @Test("content that others stored in a file that is moved before the delta is not overwritten")
    func editedThereBeforeMove() async throws {
        let harness = try Harness()
        try await harness.put("/f", "0")
        try await harness.settle()
        await harness.stop()
        try await harness.write("/f", "ours")
        try await harness.move("/f", to: "/g")
        try await harness.put("/f", "theirs")
        try await harness.drainBeforeDeltas()
        try await harness.settle()
        await harness.stop()
        try await harness.checkInvariants()
        let texts = try await harness.tree().values.compactMap(\.self).sorted()
        #expect(texts == ["ours", "theirs"], "\(harness.history.text)")
    }

    @Test("an edit is sent when the move of its file is refused")
    func editOfRefusedMove() async throws {
        let harness = try Harness()
        try await harness.put("/a", "0")
        try await harness.settle()
        await harness.stop()
        try await harness.write("/a", "1")
        try await harness.move("/a", to: "/b")
        harness.faulty.inject(.failBefore(.forbidden("test"))) { $0.operation == .move }
        try await harness.start(knowingAll: true)
        try await harness.drain()
        await harness.stop()
        try await harness.checkInvariants()
        #expect(try await harness.serverTree() == ["/a": "1"])
    }
}
