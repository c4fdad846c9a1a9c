// Moves of this mount before their deltas, with a response or without one: later changes of users
// and earlier ones of other clients apply to the nodes where they are by then. Not responsible for
// other commits (`LostResponseTests`).

import Core
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync

@Suite struct MoveBeforeDeltaTests {
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
        "a node that users moved away and back is where they put it, if others' delta is the response",
        arguments: ["/a", "/folder"])
    func movedBack(path: String) async throws {
        let harness = try await Harness.killed(
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

    /// Everything in a moved folder has another revision than before.
    @Test("a node deleted in a folder whose move was not answered does not come back")
    func deletedInMovedFolder() async throws {
        let harness = try await Harness.killed(after: .move, files: ["/a/file": "1"]) { harness in
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
        let harness = try await Harness.killed(
            after: .move, files: ["/a/file": "1", "/a/other": "2"]
        ) {
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
