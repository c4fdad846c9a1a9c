// A tree whose paths start from another root: the person has changed teams.

import Core
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync

@Suite struct RootTests {
    /// A mount that knows `/old`, `/both` and `/folder`, with edits that are not sent, at the
    /// moment at which the root becomes another one.
    private func moved() async throws -> Harness {
        let harness = try Harness()
        try await harness.put("/old", "old")
        try await harness.put("/both", "mine")
        try await harness.put("/folder/file", "file")
        try await harness.settle()
        await harness.stop()
        try await harness.write("/new", "not sent")
        try await harness.write("/both", "edited")
        try await harness.delete("/folder")
        harness.server.changeRoot()
        harness.faulty.isRootStale = true
        try await harness.put("/both", "theirs")
        try await harness.put("/folder/precious", "precious")
        return harness
    }

    private func expectAdopted(_ harness: Harness) async throws {
        try await harness.settle()
        await harness.stop()
        try await harness.checkInvariants()
        let tree = try await harness.tree()
        #expect(tree["/old"] == nil, "what the new root does not have is gone")
        #expect(tree["/both"] == "theirs", "what it has is there")
        #expect(tree["/new"] == "not sent", "and what was queued is a part of it")
        #expect(
            tree["/folder/precious"] == "precious", "nothing of it is deleted for another's sake")
        let copy = tree.keys.first { $0.hasPrefix("/both (here's conflicted copy") }
        #expect(copy.flatMap { tree[$0] } == "edited", "\(tree)")
        #expect(tree.count == 5, "\(tree)")
    }

    /// Makes the server answer a cursor from before with a reset, in place of the root's change.
    private func resetCursors(of harness: Harness) {
        harness.faulty.inject(.failBefore(.cursorReset), times: nil) { $0.operation == .listAfter }
    }

    @Test("another root takes the place of the old one, and the queue is kept")
    func adopted() async throws {
        let harness = try await moved()
        try await expectAdopted(harness)
    }

    @Test("a listing after a reset finds that there is another root")
    func adoptedAfterReset() async throws {
        let harness = try await moved()
        resetCursors(of: harness)
        try await harness.start()
        try await waitWhile { harness.faulty.isRootStale }
        harness.faulty.removeFaults()
        try await expectAdopted(harness)
    }

    @Test(
        "the comparison with another root goes on after a restart, and nothing is sent before its end"
    )
    func restarted() async throws {
        let harness = try await moved()
        harness.faulty.inject(.failBefore(.server("test")), times: nil) { $0.operation == .list }
        try await harness.start()
        try await waitWhile { harness.faulty.isRootStale }
        try await harness.finishPass()
        await harness.stop()
        #expect(try await harness.serverTree().keys.contains("/new") == false)
        harness.faulty.removeFaults()
        try await expectAdopted(harness)
    }

    @Test(
        "a mounted folder that is gone takes sent nodes with it, and unsent ones wait for another",
        arguments: [false, true])
    func missing(afterReset: Bool) async throws {
        let harness = try await moved()
        harness.faulty.missingRoot = "/gone"
        if afterReset { resetCursors(of: harness) }
        try await harness.start()
        try await waitWhile { harness.engine?.status.missingFolder == nil }
        harness.faulty.removeFaults()
        #expect(try await harness.tree() == ["/new": "not sent", "/both": "edited"])
        #expect(harness.engine?.status.lastProblem?.contains("/gone") == true)
        // It is as gone after a restart, where nothing may be sent either.
        await harness.stop()
        try await harness.start()
        #expect(harness.engine?.status.isRootNew == true)
        try await waitWhile { harness.engine?.status.missingFolder == nil }
        #expect(try await harness.serverTree().keys.contains("/new") == false)
        #expect(try await harness.tree() == ["/new": "not sent", "/both": "edited"])
        harness.faulty.missingRoot = nil
        try await expectAdopted(harness)
        #expect(harness.engine?.status.missingFolder == nil)
    }

    @Test("a root that is out of reach for good changes nothing here")
    func lost() async throws {
        let harness = try Harness()
        try await harness.put("/file", "text")
        try await harness.settle()
        await harness.stop()
        harness.faulty.inject(.failBefore(.rootChanged), times: nil) { $0.operation != .account }
        try await harness.start()
        try await waitWhile { harness.faulty.calls.filter({ $0.operation == .space }).count < 4 }
        #expect(!harness.isOnline)
        await harness.stop()
        harness.faulty.removeFaults()
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.tree() == ["/file": "text"])
    }
}
