// The contract of every store that keeps old revisions.

import Core
import RemoteStore
import RemoteStoreTesting
import Testing

extension Subject {
    /// The same account as a history.
    fileprivate func history() throws -> any RemoteHistory {
        try #require(store as? any RemoteHistory)
    }
}

@Suite struct HistoryContract {
    /// Those that keep versions.
    private static let backends: [Backend] = [.memory, .dropbox, .dropboxFolder]

    @Test(
        "versions come newest first, at most so many, and say which content they have",
        arguments: backends)
    func versions(backend: Backend) async throws {
        try await backend.withStore { subject in
            let first = try await subject.put("/a", "one")
            let second = try await subject.put("/a", "second", expecting: .revision(first.revision))
            let history = try subject.history()
            let all = try await history.revisions(of: "/a", limit: 10)
            #expect(all.versions.map(\.file.revision) == [second.revision, first.revision])
            #expect(all.versions.map(\.file.size) == [6, 3])
            #expect(!all.isDeleted)
            let newest = try await history.revisions(of: "/A", limit: 1)
            #expect(newest.versions.map(\.file.revision) == [second.revision])
        }
    }

    @Test("more versions than one answer holds come all the same", arguments: backends)
    func many(backend: Backend) async throws {
        try await backend.withStore { subject in
            var file = try await subject.put("/a", "0")
            for number in 1..<130 {
                file = try await subject.put("/a", "\(number)", expecting: .revision(file.revision))
            }
            let history = try subject.history()
            #expect(try await history.revisions(of: "/a", limit: 1000).versions.count == 130)
            #expect(try await history.revisions(of: "/a", limit: 120).versions.count == 120)
        }
    }

    @Test("the id of a file tells its versions, those from before a move, too", arguments: backends)
    func byID(backend: Backend) async throws {
        try await backend.withStore { subject in
            let first = try await subject.put("/a", "one")
            let second = try await subject.put("/a", "two", expecting: .revision(first.revision))
            _ = try await subject.put("/b", "other")
            let file = RemoteReference(path: "/a", id: first.id)
            _ = try await subject.store.move(file, to: "/c")
            let told = try await subject.store.revisions(of: first.id)
            #expect(told.allSatisfy { $0.id == first.id })
            #expect(told.suffix(2).map(\.revision) == [second.revision, first.revision])
            #expect(told.last?.hash == first.hash)
            let unknown = FileID("id:none-of-this-account")
            #expect(try await subject.store.revisions(of: unknown).isEmpty)
        }
    }

    @Test("a deleted file keeps its versions, and comes back with one of them", arguments: backends)
    func deleted(backend: Backend) async throws {
        try await backend.withStore { subject in
            _ = try await subject.store.makeFolder(at: "/d")
            let first = try await subject.put("/d/a", "one")
            try await subject.store.delete("/d", revision: nil)
            let history = try subject.history()
            let known = try await history.revisions(of: "/d/a", limit: 10)
            #expect(known.isDeleted)
            #expect(known.versions.map(\.file.revision) == [first.revision])
            let restored = try await history.restore("/d/a", to: first.revision)
            #expect(try restored.file.hash == first.hash)
            #expect(try await subject.text(at: "/d/a") == "one")
            #expect(try await subject.paths() == ["/d/", "/d/a"])
        }
    }

    @Test(
        "deleted entries below a folder are listed, also if the folder is gone", arguments: backends
    )
    func deletedEntries(backend: Backend) async throws {
        try await backend.withStore { subject in
            _ = try await subject.store.makeFolder(at: "/Top")
            _ = try await subject.store.makeFolder(at: "/Top/Deep")
            for path in ["/Top/Deep/File", "/Top/kept", "/Top/single", "/other"] {
                _ = try await subject.put(RemotePath(rawValue: path), path)
            }
            try await subject.store.delete("/Top/single", revision: nil)
            try await subject.store.delete("/Top/Deep", revision: nil)
            let undo = try #require(subject.store as? any RemoteUndo)
            func deleted(below folder: RemotePath, recursive: Bool = true) async throws -> [String]
            {
                var (paths, spelled) = ([RemoteEntry](), SpelledPaths(below: folder))
                try await undo.forEachEntry(
                    below: folder, recursive: recursive,
                    begin: { (paths, spelled) = ([], SpelledPaths(below: folder)) }
                ) { entry throws(RemoteError) in
                    try spelled.note(entry)
                    if entry.kind == .deleted { paths.append(entry) }
                }
                return paths.map { spelled.path(of: $0).rawValue }.sorted()
            }
            let all = ["/Top/Deep", "/Top/Deep/File", "/Top/single"]
            #expect(try await deleted(below: .root) == all)
            #expect(try await deleted(below: "/Top") == all)
            #expect(
                try await deleted(below: "/Top", recursive: false) == ["/Top/Deep", "/Top/single"])
            #expect(try await deleted(below: "/Top/Deep") == ["/Top/Deep/File"])
            try await subject.store.delete("/Top", revision: nil)
            #expect(try await deleted(below: "/Top/Deep") == ["/Top/Deep/File"])
            #expect(
                try await deleted(below: "/Top", recursive: false)
                    == ["/Top/Deep", "/Top/kept", "/Top/single"])
            await #expect(throws: RemoteError.notFound) { _ = try await deleted(below: "/never") }
            await #expect(throws: RemoteError.notAFolder) { _ = try await deleted(below: "/other") }
        }
    }

    @Test("what a restored version takes the place of becomes an old one", arguments: backends)
    func restored(backend: Backend) async throws {
        try await backend.withStore { subject in
            let first = try await subject.put("/a", "one")
            let second = try await subject.put("/a", "second", expecting: .revision(first.revision))
            let history = try subject.history()
            let restored = try await history.restore("/a", to: first.revision).file
            #expect(restored.id == first.id)
            #expect(restored.revision != first.revision)
            #expect(try await subject.text(at: "/a") == "one")
            let all = try await history.revisions(of: "/a", limit: 10)
            #expect(
                all.versions.map(\.file.revision)
                    == [restored.revision, second.revision, first.revision])
        }
    }

    @Test("a node without versions is an error that says why", arguments: backends)
    func errors(backend: Backend) async throws {
        try await backend.withStore { subject in
            _ = try await subject.store.makeFolder(at: "/d")
            try await subject.put("/a", "one")
            let history = try subject.history()
            await #expect(throws: RemoteError.notFound) {
                _ = try await history.revisions(of: "/none", limit: 10)
            }
            await #expect(throws: RemoteError.notAFile) {
                _ = try await history.revisions(of: "/d", limit: 10)
            }
            await #expect(throws: RemoteError.notFound) {
                _ = try await history.restore("/a", to: Revision("0123456789abcdef"))
            }
            #expect(try await subject.text(at: "/a") == "one")
        }
    }
}
