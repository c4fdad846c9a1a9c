// Listing everything where the server refuses to list it in one go.

import Core
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync

@Suite struct WalkTests {
    /// A server with more folders than are listed at once, which does not list them together.
    private func refusing() async throws -> Harness {
        let harness = try Harness()
        for index in 0..<12 {
            try await harness.put("/folder \(index)/inner/deep/file", "\(index)")
            try await harness.put("/folder \(index)/file", "here")
        }
        refuse(harness)
        return harness
    }

    private func refuse(_ harness: Harness) {
        harness.faulty.inject(.failBefore(.server("too much")), times: nil) {
            $0.operation == .list && $0.subject.hasSuffix(FaultInjectingStore.below)
        }
    }

    /// One that waits for what a folder has.
    private func stalled() async throws -> Harness {
        let harness = try await refusing()
        harness.faulty.inject(.stall) { $0.operation == .list && $0.subject == "/folder 9" }
        try await harness.start()
        try await waitWhile { harness.faulty.stalledCount == 0 }
        return harness
    }

    private func listings(_ harness: Harness) -> [String] {
        harness.faulty.calls.filter { $0.operation == .list }.map(\.subject)
            .filter { !$0.hasSuffix(FaultInjectingStore.below) }
    }

    @Test("each folder is listed, once")
    func each() async throws {
        let harness = try await refusing()
        try await harness.settle()
        #expect(listings(harness).count == 37)
        #expect(Set(listings(harness)).count == 37)
        try await harness.put("/folder 3/new", "later")
        try await harness.settle()
        #expect(try await harness.tree()["/folder 3/new"] == "later")
        #expect(listings(harness).count == 37, "changes are told, not listed")
        await harness.stop()
        try await harness.checkInvariants()
    }

    @Test("a walk that is stopped goes on where it was")
    func stopped() async throws {
        let harness = try await refusing()
        harness.faulty.inject(.failBefore(.offline("test")), times: nil) {
            $0.operation == .list && $0.subject.hasSuffix("/deep")
        }
        try await harness.start()
        try await waitWhile { !listings(harness).contains(where: { $0.hasSuffix("/deep") }) }
        await harness.stop()
        harness.faulty.removeFaults()
        refuse(harness)
        // Others may have been asked for when it stopped. A folder whose own folder is asked for
        // has been listed.
        let listed = Set(listings(harness).flatMap(ancestors))
        #expect(listed.count >= 3)
        let count = harness.faulty.calls.count
        try await harness.settle()
        let after = harness.faulty.calls.dropFirst(count).filter { $0.operation == .list }
        #expect(listed.isDisjoint(with: after.map(\.subject)))
        await harness.stop()
        try await harness.checkInvariants()
    }

    /// The folders that a path is in, the root with them.
    private func ancestors(of path: String) -> [String] {
        path.indices.filter { path[$0] == "/" }.map { String(path[..<$0]) }
    }

    @Test("a folder that cannot be listed yet does not have its neighbours listed again")
    func neighbours() async throws {
        let harness = try await refusing()
        harness.faulty.inject(.failBefore(.offline("test")), times: 3) {
            $0.operation == .list && $0.subject == "/folder 5"
        }
        try await harness.settle()
        let counts = listings(harness).reduce(into: [:]) { $0[$1, default: 0] += 1 }
        #expect(counts.filter { $0.value != 1 } == ["/folder 5": 4])
        #expect(counts.count == 37)
        await harness.stop()
        try await harness.checkInvariants()
    }

    @Test("a folder that may not be listed keeps its known contents, and does not stop the walk")
    func closed() async throws {
        let harness = try await refusing()
        try await harness.settle()
        let before = try await harness.tree()
        await harness.stop()
        harness.server.resetCursors()
        refuse(harness)
        harness.faulty.inject(.failBefore(.forbidden("test")), times: nil) {
            $0.operation == .list && $0.subject == "/folder 5"
        }
        try await harness.settle()
        #expect(try await harness.tree() == before)
        await harness.stop()
        try await harness.checkInvariants()
    }

    @Test("what moves from one side of the walk to the other is there at its end")
    func movedMeanwhile() async throws {
        let harness = try await stalled()
        try await harness.relocate("/folder 9/inner", to: "/moved")
        try await harness.remove("/folder 1")
        harness.faulty.releaseStalled()
        try await harness.settle()
        #expect(try await harness.tree()["/moved/deep/file"] == "9")
        await harness.stop()
        try await harness.checkInvariants()
    }

    @Test("a folder that has become a file before the walk comes there does not stop it")
    func becameFile() async throws {
        let harness = try await stalled()
        try await harness.remove("/folder 9")
        try await harness.put("/folder 9", "a file")
        harness.faulty.releaseStalled()
        try await harness.settle()
        #expect(try await harness.tree()["/folder 9"] == "a file")
        await harness.stop()
        try await harness.checkInvariants()
    }

    @Test("after a reset, the content of folders that others have moved is there")
    func movedBefore() async throws {
        let harness = try await refusing()
        try await harness.settle()
        await harness.stop()
        harness.server.resetCursors()
        try await harness.relocate("/folder 3", to: "/moved")
        try await harness.relocate("/folder 4", to: "/folder 3")
        try await harness.settle()
        await harness.stop()
        try await harness.checkInvariants()
    }

    @Test("after a reset, the content of folders that have changed places in a folder is there")
    func movedInFolder() async throws {
        let harness = try Harness()
        try await harness.put("/f/in f", "1")
        try await harness.put("/g/in g", "2")
        refuse(harness)
        try await harness.settle()
        // Their folder is listed in a later round than they are.
        for index in 0..<10 { try await harness.putFolder("/\(index)") }
        try await harness.putFolder("/q")
        try await harness.settle()
        try await harness.relocate("/f", to: "/q/f")
        try await harness.relocate("/g", to: "/q/g")
        try await harness.settle()
        await harness.stop()
        harness.server.resetCursors()
        try await harness.relocate("/q/f", to: "/q/h")
        try await harness.relocate("/q/g", to: "/q/f")
        try await harness.settle()
        let tree = try await harness.tree()
        #expect(tree["/q/h/in f"] == "1" && tree["/q/f/in g"] == "2")
        await harness.stop()
        try await harness.checkInvariants()
    }

    @Test("after a reset, nodes that a walk does not see are gone, and changes here are kept")
    func compared() async throws {
        let harness = try await refusing()
        try await harness.settle()
        try await harness.remove("/folder 2")
        try await harness.put("/folder 4/file", "theirs")
        harness.faulty.isOffline = true
        try await harness.write("/folder 5/file", "mine")
        harness.server.resetCursors()
        harness.faulty.isOffline = false
        try await harness.settle()
        let tree = try await harness.tree()
        #expect(tree["/folder 2/file"] == nil)
        #expect(tree["/folder 4/file"] == "theirs")
        #expect(tree["/folder 5/file"] == "mine")
        await harness.stop()
        try await harness.checkInvariants()
    }
}
