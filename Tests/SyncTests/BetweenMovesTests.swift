// A node between two moves of another client. Users see it under the name that it had, however the
// batch puts it there, and after the second move under the new one.

import Core
import MetadataStore
import RemoteStore
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct BetweenMovesTests {
    /// Seconds for which such a node waits at least.
    private static let pause = 20.0

    private func journalEntry(_ harness: Harness, _ path: String) async throws -> JournalEntry? {
        let inode = try #require(try await harness.inode(path))
        return try await harness.store.read { try $0.journalEntry(of: inode) }
    }

    @Test("a new file under a temporary name is shown under the one that it had, and waits")
    func new() async throws {
        let start = WallTime.now()
        let harness = try Harness()
        try await harness.apply([.file("/.dbxfs-rename-2-1-f", "F")])
        #expect(try await harness.paths() == ["/f"])
        let entry = try #require(try await journalEntry(harness, "/f"))
        #expect(entry.due > start.adding(seconds: Self.pause))
        try await harness.apply([.deleted("/.dbxfs-rename-2-1-f"), .file("/g", "F")])
        #expect(try await harness.paths() == ["/g"])
    }

    @Test(
        "a file that is seen elsewhere, and goes to a temporary name beside another one of its name"
    )
    func taken() async throws {
        let start = WallTime.now()
        let harness = try Harness()
        try await harness.apply([.folder("/d", "D"), .file("/a/f", "F"), .file("/d/f", "G")])
        // Another file is where it was; the one between two moves is shown beside it.
        try await harness.apply([
            .deleted("/a/f"), .file("/a/f", "H"), .file("/a/.dbxfs-rename-2-1-f", "F"),
        ])
        let paths = try await harness.paths()
        #expect(!paths.contains { $0.contains(".dbxfs-rename") }, "\(paths)")
        #expect(paths.contains("/a/f"))
        #expect(paths.count == 5)
        let aside = try #require(paths.first { $0.hasPrefix("/a/f (") })
        let entry = try #require(try await journalEntry(harness, aside))
        #expect(entry.due > start.adding(seconds: Self.pause))
        // Nor does it go there because a user waits for the queue.
        try await harness.store.write { try $0.makeAllDue(at: start, onlyFresh: false) }
        #expect(try await journalEntry(harness, aside)?.due == entry.due)
        // The delta of the second move comes.
        try await harness.apply([.deleted("/a/.dbxfs-rename-2-1-f"), .file("/a/g", "F")])
        #expect(try await harness.paths() == ["/a", "/a/f", "/a/g", "/d", "/d/f"])
    }

    @Test("a caller that waits for such a node leaves the second move to the other client")
    func drained() async throws {
        // By a fast one, the second move would be this mount's within the test.
        let harness = try Harness(clock: SystemClock())
        try await harness.put("/f", "1")
        try await harness.settle()
        try await harness.relocate("/f", to: "/.dbxfs-rename-2-1-f")
        try await waitWhile { try await journalEntry(harness, "/f") == nil }
        let entry = try #require(try await journalEntry(harness, "/f"))
        let engine = try #require(harness.engine)
        try await engine.drain(entry.inode)
        try await engine.drainPlaces(of: [entry.inode])
        await harness.stop()
        try await harness.store.write { try $0.makeDue(entry.inode, at: .now()) }
        #expect(try await journalEntry(harness, "/f") == entry)
        #expect(try await harness.serverTree() == ["/.dbxfs-rename-2-1-f": "1"])
    }

    @Test("a conflicted copy of a node between two moves is named after its former name")
    func copyName() async throws {
        let harness = try Harness()
        let host = ConflictName(host: "here", at: WallTime(seconds: 0))
        let name = try await harness.store.write { transaction in
            try host.freeName(
                beside: Place(parent: .root, name: FileName(".dbxfs-rename-2-1-a.txt")),
                in: transaction)
        }
        #expect(name.string == "a (here's conflicted copy 1970-01-01).txt")
    }

    @Test("a folder between two moves that another one pushes aside is still the other client's")
    func pushedAside() async throws {
        let harness = try Harness()
        try await harness.apply([.folder("/a", "A"), .file("/a/f", "F"), .folder("/c", "C")])
        try await harness.apply([
            .deleted("/a"), .folder("/.dbxfs-rename-2-1-a", "A"),
            .file("/.dbxfs-rename-2-1-a/f", "F"),
        ])
        try await harness.apply([.deleted("/c"), .folder("/a", "C")])
        #expect(try await harness.paths().count == 3)
        #expect(try await harness.inode("/a") != nil)
        // It goes on to the other place, and is deleted there before this mount knows.
        try await harness.apply([.deleted("/.dbxfs-rename-2-1-a")])
        #expect(try await harness.paths() == ["/a"])
    }
}
