// The contract of every store for changes that are meant for a node, when the place that the node
// was at has another occupant by now: the change takes the node, or nothing.

import Core
import RemoteStore
import RemoteStoreTesting
import Testing

@Suite("Contract of stores: identity")
struct IdentityContract {
    /// A file and a folder that are known here, which another client has moved, with others in
    /// their places.
    private struct Replaced {
        var file: RemoteReference
        var folder: RemoteReference
        var theirFile: RemoteFile
        var revision: Revision

        init(_ subject: Subject) async throws {
            let store = subject.store
            let known = try await subject.put("/f", "ours")
            try await subject.put("/d/inside", "ours")
            file = RemoteReference(path: "/f", id: known.id)
            revision = known.revision
            folder = RemoteReference(path: "/d", id: try await store.entry(at: "/d")?.id)
            _ = try await store.move("/f", to: "/moved f")
            _ = try await store.move("/d", to: "/moved d")
            theirFile = try await subject.put("/f", "theirs")
            try await subject.put("/d/theirs", "theirs")
        }

        static let paths = ["/d/", "/d/theirs", "/f", "/moved d/", "/moved d/inside", "/moved f"]
    }

    @Test("A node with an id is found at any path", arguments: Backend.allCases)
    func lookup(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let replaced = try await Replaced(subject)
            let store = subject.store
            let file = try #require(replaced.file.id)
            #expect(try await store.entry(of: file)?.foldedPath == "/moved f")
            let folder = try #require(replaced.folder.id)
            #expect(try await store.entry(of: folder)?.foldedPath == "/moved d")
            try await store.delete("/moved f", revision: nil)
            #expect(try await store.entry(of: file) == nil)
            #expect(try await store.entry(of: FileID("id:unknown")) == nil)
        }
    }

    @Test(
        "A move that no user has asked for takes a node from its path only, once",
        arguments: Backend.allCases)
    func moveFromPath(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let store = subject.store
            let known = try await subject.put("/f", "ours")
            let file = RemoteReference(path: "/f", id: known.id, isOnlyAtPath: true)
            #expect(try await store.move(file, to: "/g").id == known.id)
            // The reply was lost.
            #expect(try await store.move(file, to: "/g").id == known.id)
            _ = try await store.move("/g", to: "/their place")
            await #expect(throws: RemoteError.notFound) { try await store.move(file, to: "/g") }
            let outcomes = try await store.moveFiles([RemoteRelocation(from: file, to: "/g")])
            #expect(outcomes == [.failure(.notFound)])
            #expect(try await subject.paths() == ["/their place"])
        }
    }

    @Test(
        "A move that no user has asked for leaves another node at the path alone",
        arguments: Backend.allCases)
    func moveFromTakenPath(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let store = subject.store
            let known = try await subject.put("/f", "ours")
            let file = RemoteReference(path: "/f", id: known.id, isOnlyAtPath: true)
            _ = try await store.move("/f", to: "/their place")
            try await subject.put("/f", "theirs")
            await #expect(throws: RemoteError.notFound) { try await store.move(file, to: "/g") }
            let outcomes = try await store.moveFiles([RemoteRelocation(from: file, to: "/g")])
            #expect(outcomes == [.failure(.notFound)])
            #expect(try await subject.paths() == ["/f", "/their place"])
        }
    }

    @Test("A move takes the node and not another in its place", arguments: Backend.allCases)
    func move(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let replaced = try await Replaced(subject)
            let store = subject.store
            #expect(try await store.move(replaced.file, to: "/to f").id == replaced.file.id)
            #expect(try await store.move(replaced.folder, to: "/to d").id == replaced.folder.id)
            let paths = try await subject.paths()
            #expect(paths == ["/d/", "/d/theirs", "/f", "/to d/", "/to d/inside", "/to f"])
        }
    }

    @Test("A deletion takes the node and not another in its place", arguments: Backend.allCases)
    func delete(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let replaced = try await Replaced(subject)
            try await subject.store.delete(replaced.file, revision: nil)
            try await subject.store.delete(replaced.folder, revision: nil)
            #expect(try await subject.paths() == ["/d/", "/d/theirs", "/f"])
        }
    }

    @Test("A guarded deletion spares a file that was moved before it", arguments: Backend.allCases)
    func guardedDelete(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let replaced = try await Replaced(subject)
            await #expect(throws: RemoteError.conflict(.file)) {
                try await subject.store.delete(replaced.file, revision: replaced.revision)
            }
            #expect(try await subject.paths() == Replaced.paths)
        }
    }

    @Test("A copy is of the node and not of another in its place", arguments: Backend.allCases)
    func copy(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let replaced = try await Replaced(subject)
            _ = try await subject.store.copy(replaced.file, to: "/copy")
            #expect(try await subject.text(at: "/copy") == "ours")
        }
    }

    @Test("A deleted node is not found, nor another in its place", arguments: Backend.allCases)
    func gone(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let replaced = try await Replaced(subject)
            let store = subject.store
            try await store.delete("/moved f", revision: nil)
            try await store.delete("/moved d", revision: nil)
            for node in [replaced.file, replaced.folder] {
                await #expect(throws: RemoteError.notFound) {
                    try await store.move(node, to: "/to")
                }
                await #expect(throws: RemoteError.notFound) {
                    try await store.copy(node, to: "/to")
                }
                await #expect(throws: RemoteError.notFound) {
                    try await store.delete(node, revision: nil)
                }
            }
            #expect(try await subject.paths() == ["/d/", "/d/theirs", "/f"])
        }
    }

    @Test(
        "A move that was done before leaves what came to the old place", arguments: Backend.allCases
    )
    func repeated(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let replaced = try await Replaced(subject)
            let store = subject.store
            let moved = try await store.move(replaced.file, to: "/moved f")
            #expect(moved.id == replaced.file.id)
            #expect(try await store.move(replaced.folder, to: "/moved d").id == replaced.folder.id)
            await #expect(throws: RemoteError.self) {
                try await store.move(replaced.file, to: "/MOVED f")
            }
            #expect(try await subject.paths() == Replaced.paths)
        }
    }

    @Test("Each change of a batch takes its node or nothing", arguments: Backend.allCases)
    func batches(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let replaced = try await Replaced(subject)
            let store = subject.store
            let there = try await subject.put("/there", "there")
            let gone = try await subject.put("/gone", "gone")
            try await store.delete("/gone", revision: gone.revision)
            try await subject.put("/gone", "another")
            let nodes: [RemoteReference] = [
                replaced.file, .init(path: "/there", id: there.id),
                .init(path: "/gone", id: gone.id),
            ]
            func relocations(_ name: String) -> [RemoteRelocation] {
                nodes.enumerated().map { index, node in
                    let target = RemotePath(rawValue: "/\(name) \(index)")
                    return RemoteRelocation(from: node, to: target)
                }
            }
            let copies = try await store.copyFiles(relocations("copy"))
            #expect(try copies[1].get().file.hash == there.hash)
            #expect(throws: RemoteError.notFound) { try copies[2].get() }
            let moves = try await store.moveFiles(relocations("move"))
            #expect(try moves[1].get().id == there.id)
            #expect(throws: RemoteError.notFound) { try moves[2].get() }
            #expect(try copies[0].get().file.size == 4)
            #expect(try moves[0].get().id == replaced.file.id)
            let now = try moves[1].get().file
            let deletions = try await store.deleteFiles([
                RemoteDeletion(replaced.file, revision: replaced.revision),
                RemoteDeletion(.init(path: "/move 1", id: now.id), revision: now.revision),
            ])
            #expect(throws: RemoteError.conflict(.file)) { try deletions[0].get() }
            #expect(throws: Never.self) { try deletions[1].get() }
            #expect(try await subject.text(at: "/f") == "theirs")
            #expect(try await subject.text(at: "/gone") == "another")
            #expect(try await store.entry(at: "/move 1") == nil)
        }
    }
}
