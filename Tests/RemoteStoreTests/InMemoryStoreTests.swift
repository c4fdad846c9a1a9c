// Features of the reference alone: a second client, snapshots, determinism; and that no client that
// follows it misses anything.

import Core
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import RemoteStore

@Suite("The reference in memory")
struct InMemoryStoreTests {
    @Test("Another client's changes are there at once, and shown in a snapshot")
    func otherClient() async throws {
        let store = InMemoryStore()
        let other = store.otherClient
        try other.put("/a/f", "one")
        try other.put("/A/F", "two")
        try other.makeFolder("/d")
        try other.move("/d", to: "/e")
        try other.put("/x", "x")
        try other.delete("/x")
        #expect(
            other.snapshot.entries == [
                "/a": .folder, "/a/f": .file(Array("two".utf8)), "/e": .folder,
            ])
        #expect(try await TreeSnapshot(of: store) == other.snapshot)
        #expect(throws: RemoteError.notFound) { try other.delete("/x") }
    }

    @Test("The same calls give the same ids and revisions")
    func determinism() async throws {
        func run() async throws -> [RemoteEntry] {
            let store = InMemoryStore()
            let other = store.otherClient
            try other.put("/a/f", "one")
            try other.move("/a", to: "/b")
            try other.put("/b/f", "two")
            return try await store.list(.root, recursive: true).entries
        }
        #expect(try await run() == run())
    }

    @Test("Expired sessions are lost")
    func expiredSessions() async throws {
        let store = InMemoryStore()
        let session = try await store.startUpload(concurrent: false)
        store.expireSessions()
        await #expect(throws: RemoteError.sessionLost) {
            try await store.append(MemorySource("x"), range: 0..<1, to: session, closes: true)
        }
    }

    @Test(
        "A client that waits and lists in turns ends with the tree, during all changes by others",
        arguments: 0..<8)
    func follower(_ seed: Int) async throws {
        let store = InMemoryStore(pageSize: 3)
        let follower = Task {
            var page = try await store.list(.root, recursive: true)
            var entries = page.entries
            while !entries.contains(where: { $0.foldedPath == "/end" }) {
                if !page.hasMore {
                    _ = try await store.waitForChange(after: page.cursor, timeout: 480)
                }
                page = try await store.list(after: page.cursor)
                entries += page.entries
            }
            return entries
        }
        var random = SeededRandom(seed: UInt64(seed))
        for step in 0..<400 {
            Self.change(store.otherClient, step, &random)
            if step % 7 == 0 { await Task.yield() }
        }
        try store.otherClient.put("/end", "")
        let followed = try await TreeSnapshot(applying: try await follower.value, from: store)
        #expect(followed == store.otherClient.snapshot)
    }

    private static func change(_ other: OtherClient, _ step: Int, _ random: inout SeededRandom) {
        let names = ["a", "B", "c", "ä"]
        func path() -> String {
            (0...Int.random(in: 0..<3, using: &random)).reduce(into: "") { path, _ in
                path += "/" + (names.randomElement(using: &random) ?? "a")
            }
        }
        // An impossible call is refused and changes nothing.
        switch Int.random(in: 0..<6, using: &random) {
        case 0...2: _ = try? other.put(path(), "\(step)")
        case 3: _ = try? other.makeFolder(path())
        case 4: try? other.delete(path())
        default: _ = try? other.move(path(), to: path())
        }
    }
}
