// The contract of every store for reads of its tree: listings in pages, changes after them, and
// waiting for more.

import Core
import RemoteStore
import RemoteStoreTesting
import Testing

extension Subject {
    /// All pages from a cursor on, and the cursor behind them.
    func changes(
        after cursor: Core.Cursor
    ) async throws -> (entries: [RemoteEntry], cursor: Core.Cursor) {
        var page = try await store.list(after: cursor)
        var entries = page.entries
        while page.hasMore {
            page = try await store.list(after: page.cursor)
            entries += page.entries
        }
        return (entries, page.cursor)
    }

    func listing(
        _ folder: RemotePath, recursive: Bool
    ) async throws -> (entries: [RemoteEntry], cursor: Core.Cursor) {
        let page = try await store.list(folder, recursive: recursive)
        guard page.hasMore else { return (page.entries, page.cursor) }
        let rest = try await changes(after: page.cursor)
        return (page.entries + rest.entries, rest.cursor)
    }

    /// Whether a client that knew `known` and applies `changes` has the tree as it is.
    func expectCurrent(_ known: [RemoteEntry], _ changes: [RemoteEntry]) async throws {
        let followed = try await TreeSnapshot(applying: known + changes, from: store)
        let actual = try await TreeSnapshot(of: store)
        #expect(followed == actual)
    }
}

@Suite("Contract of stores: listings and changes")
struct ListingContract {
    @Test("A recursive listing tells folders before their contents", arguments: Backend.allCases)
    func recursiveListing(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            for path in ["/b/z/file", "/a/file", "/b/a", "/c", "/b.txt"] as [RemotePath] {
                try await subject.put(path, "x")
            }
            let page = try await subject.store.list(.root, recursive: true)
            #expect(page.hasMore)
            let entries = try await subject.listing(.root, recursive: true).entries
            #expect(
                Set(entries.map(\.foldedPath)) == [
                    "/a", "/a/file", "/b", "/b/a", "/b/z", "/b/z/file", "/b.txt", "/c",
                ])
            #expect(entries.count == 8)
            var seen: Set<String> = [""]
            for entry in entries {
                let path = entry.foldedPath.rawValue
                #expect(
                    seen.contains(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])))
                seen.insert(path)
            }
        }
    }

    @Test("The latest cursor delivers what changes after it, anywhere", arguments: Backend.allCases)
    func latestCursor(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/a/before", "x")
            let cursor = try await subject.store.latestCursor()
            #expect(try await subject.changes(after: cursor).entries.isEmpty)
            try await subject.put("/a/after", "x")
            let changes = try await subject.changes(after: cursor).entries
            #expect(changes.last?.foldedPath == "/a/after")
            #expect(!changes.contains { $0.foldedPath == "/a/before" })
        }
    }

    @Test(
        "The cursor of deletions tells each that goes with a folder, and nothing that went before",
        arguments: Backend.allCases)
    func deletionCursor(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            for path in ["/d/before", "/d/again"] as [RemotePath] {
                let file = try await subject.put(path, "1")
                try await subject.store.delete(RemoteReference(path: path), revision: file.revision)
            }
            try await subject.put("/d/s/kept", "1")
            let cursor = try #require(try await subject.store.deletionCursor())
            #expect(try await subject.changes(after: cursor).entries.isEmpty)
            for path in ["/d/again", "/d/new", "/d/s/new"] as [RemotePath] {
                try await subject.put(path, "2")
            }
            try await subject.store.delete("/d", revision: nil)
            let told = try await subject.changes(after: cursor).entries
            let gone = told.filter { $0.kind == .deleted }.map(\.foldedPath)
            #expect(
                Set(gone) == ["/d", "/d/again", "/d/new", "/d/s", "/d/s/kept", "/d/s/new"])
            let found = try #require(try await subject.store.deletedFile(at: "/d/again"))
            let last = try #require(found.versions.first).file.revision
            let restored = try await subject.store.restore("/d/again", to: last)
            #expect(restored.foldedPath == "/d/again")
            #expect(try await subject.store.deletedFile(at: "/d/again") == nil)
            #expect(try await subject.store.deletedFile(at: "/d/never") == nil)
            #expect(try await subject.text(at: "/d/again") == "2")
        }
    }

    @Test("A recursive listing of a folder begins with the folder", arguments: Backend.allCases)
    func subfolderListing(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/A/b/c", "x")
            try await subject.put("/other", "x")
            let recursive = try await subject.listing("/a", recursive: true).entries
            #expect(recursive.map(\.foldedPath) == ["/a", "/a/b", "/a/b/c"])
            let flat = try await subject.listing("/a", recursive: false).entries
            #expect(flat.map(\.foldedPath) == ["/a/b"])
        }
    }

    @Test("A file is not listed", arguments: Backend.allCases)
    func noFolder(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/f", "x")
            await #expect(throws: RemoteError.notFound) {
                try await subject.store.list("/absent", recursive: false)
            }
            await #expect(throws: RemoteError.notAFolder) {
                try await subject.store.list("/f", recursive: false)
            }
        }
    }

    @Test("An empty account is listed, and its cursor goes on", arguments: Backend.allCases)
    func emptyAccount(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let (entries, cursor) = try await subject.listing(.root, recursive: true)
            #expect(entries.isEmpty)
            #expect(try await subject.changes(after: cursor).entries.isEmpty)
            let file = try await subject.put("/f", "x")
            let (changes, _) = try await subject.changes(after: cursor)
            #expect(try changes.map { try $0.file } == [file])
        }
    }

    @Test("Changes are listed in their order, deletes included", arguments: Backend.allCases)
    func changes(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let file = try await subject.put("/a/f", "one")
            try await subject.put("/gone/deep/f", "x")
            let (known, cursor) = try await subject.listing(.root, recursive: true)
            let second = try await subject.put("/a/f", "two", expecting: .revision(file.revision))
            try await subject.store.delete("/gone", revision: nil)
            _ = try await subject.store.makeFolder(at: "/new")
            let (entries, after) = try await subject.changes(after: cursor)
            #expect(entries.map(\.foldedPath) == ["/a/f", "/gone", "/new"])
            #expect(try entries.first?.file == second)
            #expect(entries.dropFirst().first?.kind == .deleted)
            #expect(entries.last?.folder != nil)
            try await subject.expectCurrent(known, entries)
            #expect(try await subject.changes(after: after).entries.isEmpty)
        }
    }

    @Test("Folders that a commit makes are listed before the file", arguments: Backend.allCases)
    func implicitFolders(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let (_, cursor) = try await subject.listing(.root, recursive: true)
            try await subject.put("/x/Y/f", "x")
            let (entries, _) = try await subject.changes(after: cursor)
            #expect(entries.map(\.foldedPath) == ["/x", "/x/y", "/x/y/f"])
            #expect(entries.map(\.name.string) == ["x", "Y", "f"])
        }
    }

    @Test(
        "A moved folder is one delete, and then everything at its new place",
        arguments: Backend.allCases)
    func movedFolder(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            for number in 1...5 {
                try await subject.put(RemotePath(rawValue: "/a/sub/f\(number)"), "text")
            }
            let id = try #require(try await subject.store.entry(at: "/a")?.folder?.id)
            let (known, cursor) = try await subject.listing(.root, recursive: true)
            _ = try await subject.store.move("/a", to: "/B/a")
            let (entries, _) = try await subject.changes(after: cursor)
            let deletes = entries.filter { $0.kind == .deleted }
            #expect(deletes.map(\.foldedPath) == ["/a"])
            #expect(entries.filter { $0.kind != .deleted }.count == 8)
            #expect(entries.first { $0.foldedPath == "/b/a" }?.folder?.id == id)
            try await subject.expectCurrent(known, entries)
        }
    }

    @Test("A file that is deleted and made again ends as it is", arguments: Backend.allCases)
    func deletedAndMadeAgain(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let file = try await subject.put("/f", "one")
            let (known, cursor) = try await subject.listing(.root, recursive: true)
            try await subject.store.delete("/f", revision: file.revision)
            _ = try await subject.store.makeFolder(at: "/f")
            try await subject.store.delete("/f", revision: nil)
            let again = try await subject.put("/F", "two")
            #expect(again.id != file.id)
            let (entries, _) = try await subject.changes(after: cursor)
            try await subject.expectCurrent(known, entries)
            #expect(entries.last?.name.string == "F")
        }
    }

    @Test("A change during a listing is listed after it", arguments: Backend.allCases)
    func changesDuringListing(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            for name in ["a", "b", "c", "d", "e", "f", "g"] {
                try await subject.put(RemotePath(rawValue: "/\(name)/file"), name)
            }
            let first = try await subject.store.list(.root, recursive: true)
            #expect(first.hasMore)
            // From behind the page to before it, and the other way.
            _ = try await subject.store.move("/g", to: "/0")
            _ = try await subject.store.move("/a", to: "/z")
            try await subject.store.delete("/d", revision: nil)
            try await subject.put("/c/late", "x")
            let (rest, _) = try await subject.changes(after: first.cursor)
            try await subject.expectCurrent(first.entries, rest)
        }
    }

    @Test("A flat cursor tells only entries of the folder itself", arguments: Backend.allCases)
    func flatChanges(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/a/f", "x")
            let (_, cursor) = try await subject.listing("/a", recursive: false)
            try await subject.put("/a/g", "x")
            try await subject.put("/a/sub/deep", "x")
            try await subject.put("/ab", "x")
            try await subject.store.delete("/a/f", revision: nil)
            let (entries, _) = try await subject.changes(after: cursor)
            #expect(entries.map(\.foldedPath) == ["/a/g", "/a/sub", "/a/f"])
            #expect(entries.last?.kind == .deleted)
        }
    }

    @Test("The cursor of a folder that is gone leads nowhere", arguments: Backend.allCases)
    func goneFolder(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/a/f", "x")
            let (_, cursor) = try await subject.listing("/a", recursive: true)
            try await subject.store.delete("/a", revision: nil)
            await #expect(throws: RemoteError.notFound) {
                try await subject.store.list(after: cursor)
            }
        }
    }

    @Test("A cursor can be used again", arguments: Backend.allCases)
    func repeatedCursor(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let (_, cursor) = try await subject.listing(.root, recursive: true)
            try await subject.put("/a", "x")
            try await subject.put("/b", "x")
            let once = try await subject.changes(after: cursor).entries
            #expect(try await subject.changes(after: cursor).entries == once)
            #expect(once.count == 2)
        }
    }

    @Test("Cursors expire, and a new listing works", arguments: Backend.allCases)
    func reset(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/a", "x")
            let (_, cursor) = try await subject.listing(.root, recursive: true)
            try subject.resetCursors()
            await #expect(throws: RemoteError.cursorReset) {
                try await subject.store.list(after: cursor)
            }
            await #expect(throws: RemoteError.cursorReset) {
                try await subject.store.waitForChange(after: cursor, timeout: 30)
            }
            let (entries, fresh) = try await subject.listing(.root, recursive: true)
            #expect(entries.count == 1)
            #expect(try await subject.changes(after: fresh).entries.isEmpty)
        }
    }

    @Test("A cursor that is none has expired", arguments: Backend.allCases)
    func nonsenseCursor(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            await #expect(throws: RemoteError.cursorReset) {
                try await subject.store.list(after: Core.Cursor("nonsense"))
            }
            await #expect(throws: RemoteError.cursorReset) {
                try await subject.store.waitForChange(after: Core.Cursor("nonsense"), timeout: 30)
            }
        }
    }

    // MARK: Waiting

    @Test("Waiting ends at once when something has changed", arguments: Backend.allCases)
    func alreadyChanged(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let (_, cursor) = try await subject.listing(.root, recursive: true)
            try await subject.put("/a", "x")
            let change = try await subject.store.waitForChange(after: cursor, timeout: 480)
            #expect(change.hasChanges)
        }
    }

    @Test("Waiting ends when something changes", arguments: Backend.allCases)
    func wakes(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let (_, cursor) = try await subject.listing(.root, recursive: true)
            async let change = subject.store.waitForChange(after: cursor, timeout: 480)
            try await subject.put("/a", "x")
            #expect(try await change.hasChanges)
        }
    }

    @Test("Waiting ends without a change when its time is over", arguments: Backend.allCases)
    func waitsInVain(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/a/f", "x")
            let (_, cursor) = try await subject.listing("/a", recursive: true)
            // Not in the folder that the cursor is about.
            try await subject.put("/b", "x")
            #expect(try await !subject.waitInVain(after: cursor).hasChanges)
        }
    }

    @Test("Waiting ends with its task", arguments: Backend.allCases)
    func cancelled(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let (_, cursor) = try await subject.listing(.root, recursive: true)
            let task = Task { try await subject.store.waitForChange(after: cursor, timeout: 480) }
            task.cancel()
            await #expect(throws: RemoteError.cancelled) { try await task.value }
        }
    }
}
