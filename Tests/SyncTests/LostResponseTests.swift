// Commits that the server has made and of which this mount does not know, because the response was
// lost or the process ended: after all changes of users before the delta, they are this mount's
// own. Not responsible for moves (`MoveBeforeDeltaTests`).

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import Testing

@testable import Sync
@testable import Tree

@Suite struct LostResponseTests {
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
        let harness = try await Harness.killed(after: .copy, files: ["/a": "one"]) { harness in
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
        let harness = try await Harness.killed(after: .upload, files: ["/a": "one"]) { harness in
            try await harness.write("/a", "two")
        }
        try await harness.write("/a", "one")
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.serverTree() == ["/a": "one"], "\(harness.history.text)")
        #expect(try await harness.tree() == ["/a": "one"])
    }

    @Test("what others restored is theirs, although an edit of it was sent, and arrived unnoticed")
    func restored() async throws {
        let harness = try Harness()
        let (one, two) = (ContentHasher.hash([1]), ContentHasher.hash([2]))
        try await harness.apply([.file("/a", "X", hash: one)])
        let inode = try await harness.write("/a", "an edit")
        try await harness.store.write { transaction in
            // The first content's response was lost as well.
            for hash in [one, two] {
                _ = try transaction.noteIntent(
                    inode, at: nil, hash: hash, modified: nil, sent: .now())
            }
        }
        try await harness.apply([
            .file("/a", "X", revision: "2", hash: two), .file("/a", "X", revision: "3", hash: one),
        ])
        // The edit of this mount is no change of the restored content: it steps aside.
        let shown = try #require(try await harness.inode("/a"))
        let node = try #require(try await harness.store.read { try $0.node(shown) })
        #expect(shown != inode && node.staged == nil && node.facts.hash == one)
    }

    @Test("what others restored stays, although neither the response nor a delta told of the edit")
    func restoredUntold() async throws {
        let harness = try Harness(server: InMemoryStore(compaction: .nodes))
        try await harness.put("/a", "one")
        try await harness.settle()
        await harness.stop()
        try await harness.write("/a", "two")
        try await harness.runUntilLost(.upload, knowingAll: true)
        #expect(try await harness.serverTree() == ["/a": "two"])
        try await harness.put("/a", "one")
        try await harness.settle()
        await harness.stop()
        let stored = try await harness.serverTree()
        #expect(stored["/a"] == "one", "\(harness.history.text)")
        #expect(stored.values.contains("two"))
        #expect(try await harness.tree() == stored)
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
                var applier = try DeltaApplier(transaction: transaction, context: context)
                try applier.feedCaughtUp()
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

    @Test("a file that is changed before the delta is no conflict")
    func changed() async throws {
        let harness = try await Harness.killed(after: .upload) { try await $0.write("/a", "1") }
        try await harness.write("/a", "2")
        try await expect(["/a": "2"], of: harness)
    }

    @Test("a file that is deleted before the delta does not come back")
    func deleted() async throws {
        let harness = try await Harness.killed(after: .upload) { try await $0.write("/a", "1") }
        try await harness.delete("/a")
        try await expect([:], of: harness)
    }

    @Test("a file that is renamed before the delta is one file")
    func renamed() async throws {
        let harness = try await Harness.killed(after: .upload) { try await $0.write("/a", "1") }
        try await harness.move("/a", to: "/b")
        try await expect(["/b": "1"], of: harness)
    }

    @Test("a file that took another one's place does not come back after its deletion there")
    func deletedAfterReplacing() async throws {
        let harness = try await Harness.killed(after: .upload, files: ["/a": "1"]) {
            try await $0.write("/n", "2")
        }
        try await harness.move("/n", to: "/a")
        try await harness.delete("/a")
        try await harness.drainBeforeDeltas()
        try await expect([:], of: harness)
    }

    @Test("a file that takes another one's place before the delta does not come back")
    func renamedOver() async throws {
        let harness = try await Harness.killed(after: .upload, files: ["/b": "0"]) {
            try await $0.write("/a", "1")
        }
        try await harness.move("/a", to: "/b")
        try await expect(["/b": "1"], of: harness)
    }

    @Test("a file whose place another one takes before the delta is that one's earlier revision")
    func replaced() async throws {
        let harness = try await Harness.killed(after: .upload) { try await $0.write("/a", "1") }
        try await harness.write("/b", "2")
        try await harness.move("/b", to: "/a")
        try await expect(["/a": "2"], of: harness)
    }

    @Test("a revision that is changed again before the delta is no conflict")
    func revision() async throws {
        let harness = try await Harness.killed(after: .upload, files: ["/a": "0"]) {
            try await $0.write("/a", "1")
        }
        try await harness.write("/a", "2")
        try await expect(["/a": "2"], of: harness)
    }

    @Test("a revision that is deleted before the delta does not come back")
    func deletedRevision() async throws {
        let harness = try await Harness.killed(after: .upload, files: ["/a": "0"]) {
            try await $0.write("/a", "1")
        }
        try await harness.delete("/a")
        try await expect([:], of: harness)
    }

    @Test("a folder that is deleted before the delta does not come back")
    func deletedFolder() async throws {
        let harness = try await Harness.killed(after: .makeFolder) { try await $0.makeFolder("/a") }
        try await harness.delete("/a")
        try await expect([:], of: harness)
    }

    @Test("a folder that is renamed before the delta is one folder")
    func renamedFolder() async throws {
        let harness = try await Harness.killed(after: .makeFolder) { try await $0.makeFolder("/a") }
        try await harness.move("/a", to: "/b")
        try await expect(["/b": nil], of: harness)
    }
}
