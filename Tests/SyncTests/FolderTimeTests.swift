// The times of folders in which others change names.

import Core
import MetadataStore
import RemoteStore
import Testing

@testable import Sync
@testable import Tree

@Suite struct FolderTimeTests {
    private func folders(_ harness: Harness) async throws -> [String: LocalFacts] {
        let nodes = try await harness.store.read { try $0.allNodes() }
        var folders: [String: LocalFacts] = [:]
        for (path, node) in nodes where node.kind == .folder { folders[path] = node.local }
        return folders
    }

    /// The folders whose times a batch changes.
    private func touched(
        by entries: [RemoteEntry], _ harness: Harness
    ) async throws -> Set<String> {
        let before = try await folders(harness)
        try await harness.apply(entries)
        let after = try await folders(harness)
        for (path, former) in before {
            guard let facts = after[path], facts != former else { continue }
            #expect(facts.modified != nil && facts.modified == facts.changed)
        }
        return Set(before.keys.filter { before[$0] != after[$0] })
    }

    @Test("a name that others add, remove, rename or move changes the times of its folders")
    func names() async throws {
        let harness = try Harness()
        try await harness.apply([
            .folder("/d", "D"), .file("/d/x", "X"), .folder("/d/s", "S"), .folder("/e", "E"),
        ])
        #expect(try await touched(by: [.file("/d/y", "Y")], harness) == ["/d"])
        #expect(try await touched(by: [.folder("/e/t", "T")], harness) == ["/e"])
        #expect(
            try await touched(by: [.deleted("/d/y"), .file("/d/z", "Y")], harness) == ["/d"])
        #expect(
            try await touched(by: [.deleted("/d/x"), .file("/d/s/x", "X")], harness)
                == ["/d", "/d/s"])
        #expect(try await touched(by: [.deleted("/d/z")], harness) == ["/d"])
        #expect(try await harness.store.read { try $0.journalEntries(limit: 9) }.isEmpty)
    }

    @Test("content, and what this mount has changed itself, changes no times of folders")
    func others() async throws {
        let harness = try Harness()
        try await harness.apply([
            .folder("/d", "D"), .file("/d/x", "X"), .file("/d/y", "Y"), .folder("/e", "E"),
        ])
        let entry = try RemoteEntry.file("/d/x", "X", revision: "2")
        #expect(try await touched(by: [entry], harness).isEmpty)
        #expect(try await touched(by: [.folder("/d", "D"), entry], harness).isEmpty)
        // The responses to a move and to a deletion come before the deltas.
        let inode = try #require(try await harness.inode("/d/x"))
        try await harness.move("/d/x", to: "/e/z")
        try await harness.store.write { transaction in
            try transaction.setRemotePlace(inode, try transaction.place("/e/z"))
        }
        try await harness.delete("/d/y")
        let echoes = [
            try RemoteEntry.deleted("/d/x"), try .file("/e/z", "X", revision: "2"),
            try .deleted("/d/y"),
        ]
        #expect(try await touched(by: echoes, harness).isEmpty)
        #expect(try await harness.paths() == ["/d", "/e", "/e/z"])
    }

    @Test("before the tree is complete, and so before programs have read it, no time changes")
    func firstListing() async throws {
        let harness = try Harness()
        var context = harness.deltaContext
        context.isTreeComplete = false
        try await harness.store.write { [context] transaction in
            var applier = try DeltaApplier(transaction: transaction, context: context)
            try applier.apply([.folder("/d", "D"), .file("/d/x", "X")])
        }
        #expect(try await folders(harness)["/d"]?.modified == nil)
    }
}
