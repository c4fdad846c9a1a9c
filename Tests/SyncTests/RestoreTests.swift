// Going back to old versions: the paths that the server is asked about, refusals, and the result
// for users.

import Core
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync

@Suite struct RestoreTests {
    private func names(_ path: String) throws -> [FileName] {
        try path.split(separator: "/").map { try FileName(String($0)) }
    }

    private func restore(
        _ path: String, to revision: Revision? = nil, in harness: Harness
    ) async throws -> RemoteFile {
        let engine = try #require(harness.engine)
        return try await engine.restore(
            try names(path), to: revision, from: harness.server)
    }

    private func revisions(_ path: String, in harness: Harness) async throws -> [Revision] {
        let engine = try #require(harness.engine)
        let found = try await engine.revisions(
            of: try names(path), limit: 10, from: harness.server)
        return found.versions.map(\.file.revision)
    }

    @Test("an old version is current at once, without waiting for the delta, in the same inode")
    func old() async throws {
        let harness = try Harness()
        try await harness.put("/a", "1")
        try await harness.put("/a", "2")
        try await harness.settle()
        let inode = try await harness.inode("/a")
        let versions = try await revisions("/a", in: harness)
        #expect(versions.count == 2)
        harness.faulty.inject(.failBefore(.server("test")), times: nil) {
            $0.operation == .listAfter
        }
        _ = try await restore("/a", to: versions[1], in: harness)
        #expect(try await harness.tree() == ["/a": "1"])
        harness.faulty.removeFaults()
        try await harness.settle()
        #expect(try await harness.tree() == ["/a": "1"])
        #expect(try await harness.serverTree() == ["/a": "1"])
        #expect(try await harness.inode("/a") == inode)
        await harness.stop()
    }

    @Test("a deleted file comes back with its folder, deleted here or by others")
    func deleted() async throws {
        let harness = try Harness()
        try await harness.putFolder("/d")
        try await harness.put("/d/a", "1")
        try await harness.put("/b", "2")
        try await harness.settle()
        try await harness.delete("/b")
        try await harness.remove("/d")
        try await harness.settle()
        #expect(try await harness.tree() == [:])
        _ = try await restore("/d/a", in: harness)
        _ = try await restore("/b", in: harness)
        #expect(try await harness.tree() == ["/d": nil, "/d/a": "1", "/b": "2"])
        try await harness.settle()
        #expect(try await harness.tree() == ["/d": nil, "/d/a": "1", "/b": "2"])
        #expect(try await harness.serverTree() == ["/d": nil, "/d/a": "1", "/b": "2"])
        await harness.stop()
    }

    @Test("a node with unsent changes is refused, and so are those below it")
    func unsent() async throws {
        let harness = try Harness()
        try await harness.putFolder("/d")
        try await harness.putFolder("/f")
        for path in ["/a", "/b", "/d/c", "/f/c"] { try await harness.put(path, "1") }
        try await harness.put("/a", "2")
        try await harness.settle()
        let version = try await revisions("/a", in: harness)[1]
        harness.faulty.isOffline = true
        try await harness.remove("/f")
        try await harness.write("/a", "mine")
        try await harness.delete("/b")
        try await harness.delete("/f")
        try await harness.move("/d", to: "/e")
        await #expect(throws: HistoryError.unsentChanges) {
            _ = try await restore("/a", to: version, in: harness)
        }
        // Its deletion is still to be sent.
        await #expect(throws: HistoryError.unsentChanges) {
            _ = try await restore("/b", in: harness)
        }
        await #expect(throws: HistoryError.unsentChanges) {
            _ = try await restore("/e/c", to: version, in: harness)
        }
        // The deletion of its folder would take it along.
        let deleted = try await revisions("/f/c", in: harness)[0]
        await #expect(throws: HistoryError.unsentChanges) {
            _ = try await restore("/f/c", to: deleted, in: harness)
        }
        // Where the server has it is known all the same.
        #expect(try await revisions("/e/c", in: harness).count == 1)
        harness.faulty.isOffline = false
        try await harness.settle()
        #expect(try await harness.tree() == ["/a": "mine", "/e": nil, "/e/c": "1"])
        await harness.stop()
    }

    @Test("another file whose name differs in case is not taken for the named one")
    func otherCase() async throws {
        let harness = try Harness()
        try await harness.put("/README", "1")
        try await harness.put("/README", "2")
        try await harness.settle()
        let old = try await revisions("/README", in: harness)[1]
        await #expect(throws: HistoryError.unknown) {
            _ = try await revisions("/readme", in: harness)
        }
        await #expect(throws: HistoryError.unknown) {
            _ = try await restore("/readme", to: old, in: harness)
        }
        let engine = try #require(harness.engine)
        let found = try await engine.revisions(
            of: try names("/readme"), folding: true, limit: 10, from: harness.server)
        #expect(found.versions.count == 2)
        #expect(try await harness.serverTree() == ["/README": "2"])
        await harness.stop()
    }

    @Test("an edit that comes while a version is restored stays, as a conflicted copy")
    func editMeanwhile() async throws {
        let harness = try Harness()
        try await harness.put("/a", "1")
        try await harness.put("/a", "2")
        try await harness.settle()
        let version = try await revisions("/a", in: harness)[1]
        let history = EditingHistory(base: harness.server) {
            _ = try? await harness.write("/a", "mine")
        }
        let engine = try #require(harness.engine)
        _ = try await engine.restore(try names("/a"), to: version, from: history)
        try await harness.settle()
        let tree = try await harness.tree()
        #expect(tree["/a"] == "1")
        #expect(tree.values.contains("mine"))
        #expect(tree.count == 2)
        #expect(try await harness.serverTree() == tree)
        await harness.stop()
    }

    @Test("what others store after a version was restored is not hidden by the answer")
    func lateAnswer() async throws {
        let harness = try Harness()
        try await harness.put("/a", "1")
        try await harness.put("/a", "2")
        try await harness.settle()
        let version = try await revisions("/a", in: harness)[1]
        let history = EditingHistory(base: harness.server) {
            _ = try? await harness.put("/a", "3")
            // The delta may come now, or have to wait.
            try? await waitWhile(limit: .milliseconds(200)) {
                try await harness.tree() != ["/a": "3"]
            }
        }
        let engine = try #require(harness.engine)
        _ = try await engine.restore(try names("/a"), to: version, from: history)
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.tree() == ["/a": "3"])
    }

    @Test("what cannot be restored is an error that says why")
    func errors() async throws {
        let harness = try Harness()
        try await harness.putFolder("/d")
        try await harness.put("/a", "1")
        try await harness.settle()
        await #expect(throws: HistoryError.notDeleted) { _ = try await restore("/a", in: harness) }
        await #expect(throws: HistoryError.isFolder) { _ = try await revisions("/d", in: harness) }
        await #expect(throws: HistoryError.isFolder) { _ = try await revisions("/", in: harness) }
        await #expect(throws: HistoryError.unknown) {
            _ = try await revisions("/no/such", in: harness)
        }
        await #expect(throws: HistoryError.unknown) { _ = try await revisions("/a/b", in: harness) }
        await #expect(throws: HistoryError.noSuchVersion) {
            _ = try await restore("/a", to: Revision("000000000"), in: harness)
        }
        await harness.stop()
    }
}

/// A server with another client that makes changes just when a version was restored.
private struct EditingHistory: RemoteHistory {
    let base: InMemoryStore
    let edit: @Sendable () async -> Void

    func revisions(of path: RemotePath, limit: Int) async throws(RemoteError) -> RemoteRevisions {
        try await base.revisions(of: path, limit: limit)
    }

    func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(RemoteError) -> RemoteEntry {
        let entry = try await base.restore(path, to: revision)
        await edit()
        return entry
    }
}
