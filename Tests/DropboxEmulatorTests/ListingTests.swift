// Listings and cursors: a client that applies every entry in order ends with the server's tree,
// with any changes while it lists.

import TestSupport
import Testing

@testable import DropboxEmulator

/// A client that keeps a copy of a folder by the rules of files.stone, `list_folder`.
private struct Mirror {
    /// By folded path: nil for a folder, the rev for a file.
    var entries: [String: String?] = [:]

    mutating func apply(_ entry: Metadata) {
        switch entry {
        case .file(let file):
            remove(file.path.key, keepingItself: false)
            entries[file.path.key] = .some(file.rev)
        case .folder(let folder):
            entries[folder.path.key] = .some(nil)
        case .deleted(let deleted):
            remove(deleted.path.key, keepingItself: false)
        }
    }

    private mutating func remove(_ key: String, keepingItself: Bool) {
        entries = entries.filter { $0.key != key && !$0.key.hasPrefix(key + "/") }
    }
}

@Suite("Listing and cursors")
struct ListingTests {
    private var fixture = TreeFixture()

    private func cursor(
        _ path: String = "", recursive: Bool = true, deleted: Bool = false, pageSize: Int = 3
    ) throws -> Cursor {
        var scope = try fixture.tree.scope(
            path, from: .root, pageSize: pageSize, includesDeleted: deleted)
        scope.isRecursive = recursive
        scope.includesDeleted = deleted
        return fixture.tree.firstCursor(scope, account: "me")
    }

    /// Reads to the end; returns the entries and the last cursor.
    private func drain(_ cursor: Cursor) throws -> ([Metadata], Cursor) {
        var entries: [Metadata] = []
        var page = try fixture.tree.page(cursor)
        entries += page.entries
        while page.hasMore {
            page = try fixture.tree.page(page.next)
            entries += page.entries
        }
        return (entries, page.next)
    }

    private func keys(_ entries: [Metadata]) -> [String] {
        entries.map { entry in
            switch entry {
            case .file(let file): file.path.key
            case .folder(let folder): folder.path.key + "/"
            case .deleted(let deleted): "-" + deleted.path.key
            }
        }
    }

    @Test("a listing of a folder names the folder itself only if it is recursive")
    mutating func itself() throws {
        try fixture.write("1", to: "/a/b/c")
        #expect(keys(try drain(cursor("/A")).0) == ["/a/", "/a/b/", "/a/b/c"])
        #expect(keys(try drain(cursor("/A", recursive: false)).0) == ["/a/b/"])
        #expect(keys(try drain(cursor("")).0) == ["/a/", "/a/b/", "/a/b/c"])
    }

    @Test("pages are exactly as long as asked for until the last")
    mutating func pages() throws {
        for number in 10..<18 { try fixture.write("", to: "/f\(number)") }
        var page = try fixture.tree.page(cursor(pageSize: 3))
        var sizes = [page.entries.count]
        while page.hasMore {
            page = try fixture.tree.page(page.next)
            sizes.append(page.entries.count)
        }
        #expect(sizes == [3, 3, 2])
    }

    @Test("a folder's move is one deletion and then all that it holds")
    mutating func folderMove() throws {
        try fixture.write("1", to: "/a/b/c")
        try fixture.write("1", to: "/a/d")
        let (_, cursor) = try drain(cursor())
        try fixture.move("/a", "/z")
        #expect(keys(try drain(cursor).0) == ["-/a", "/z/", "/z/b/", "/z/d", "/z/b/c"])
    }

    @Test("a node that changed twice has one entry, as it is now")
    mutating func coalesced() throws {
        let (_, cursor) = try drain(cursor())
        try fixture.write("1", to: "/f")
        try fixture.write("2", to: "/f", mode: .overwrite)
        #expect(keys(try drain(cursor).0) == ["/f"])
    }

    @Test("a cursor of one level tells of its folder's own entries only")
    mutating func oneLevel() throws {
        try fixture.write("1", to: "/a/b/c")
        let (_, cursor) = try drain(cursor("/a", recursive: false))
        try fixture.write("2", to: "/a/b/c", mode: .overwrite)
        try fixture.write("3", to: "/x")
        #expect(try fixture.tree.firstNews(cursor) == nil)
        try fixture.move("/a/b/c", "/a/c")
        try fixture.delete("/a/b")
        #expect(try fixture.tree.firstNews(cursor) != nil)
        #expect(keys(try drain(cursor).0) == ["/a/c", "-/a/b"])
    }

    @Test("a name that begins with an accent is in its folder, also when it is gone")
    mutating func accent() throws {
        try fixture.write("1", to: "/a/\u{301}b")
        let (_, latest) = try drain(cursor("/a"))
        try fixture.delete("/a/\u{301}b")
        #expect(keys(try drain(latest).0) == ["-/a/\u{301}b"])
        #expect(keys(try drain(cursor("/a", deleted: true)).0) == ["/a/", "-/a/\u{301}b"])
    }

    @Test("include_deleted names the former entries")
    mutating func deleted() throws {
        try fixture.write("1", to: "/a/f")
        try fixture.write("1", to: "/a/g")
        try fixture.delete("/a/f")
        try fixture.move("/a/g", "/h")
        #expect(keys(try drain(cursor("/a", deleted: true)).0) == ["/a/", "-/a/f", "-/a/g"])
        try fixture.write("2", to: "/A/F")
        #expect(keys(try drain(cursor("/a", deleted: true)).0) == ["/a/", "/a/f", "-/a/g"])
    }

    @Test("a recursive listing of a folder by single entries has each of them once")
    mutating func singleEntries() throws {
        try fixture.write("1", to: "/a/b/c")
        try fixture.write("1", to: "/a/d")
        let all = ["/a/", "/a/b/", "/a/b/c", "/a/d"]
        #expect(keys(try drain(cursor("/a", pageSize: 1)).0) == all)
        #expect(keys(try drain(cursor("/a", pageSize: 2)).0) == all)
        try fixture.delete("/a/b")
        try fixture.delete("/a/d")
        #expect(keys(try drain(cursor("/a", pageSize: 1)).0) == ["/a/"])
    }

    @Test("a deletion of a folder is one entry, and include_deleted lists its content")
    mutating func deletedFolder() throws {
        try fixture.write("1", to: "/a/B/c")
        try fixture.write("1", to: "/a/d")
        try fixture.write("1", to: "/a/early")
        try fixture.delete("/a/early")
        let (_, latest) = try drain(cursor())
        try fixture.delete("/a")
        #expect(keys(try drain(latest).0) == ["-/a"])
        #expect(throws: LookupError.notFound) { try cursor("/a") }
        #expect(
            keys(try drain(cursor("/A", deleted: true, pageSize: 1)).0)
                == ["-/a/b", "-/a/b/c", "-/a/d", "-/a/early"])
        #expect(
            keys(try drain(cursor("/a", recursive: false, deleted: true)).0)
                == ["-/a/b", "-/a/d", "-/a/early"])
        #expect(keys(try drain(cursor("/a/b", deleted: true)).0) == ["-/a/b/c"])
        #expect(throws: LookupError.notFound) { try cursor("/a/d", deleted: true) }
    }

    @Test("a cursor with include_deleted tells each that went with a folder, however short it was")
    mutating func deletedTogether() throws {
        try fixture.write("1", to: "/a/b/c")
        try fixture.write("1", to: "/a/early")
        try fixture.delete("/a/early")
        try fixture.write("1", to: "/a/again")
        try fixture.delete("/a/again")
        let (_, latest) = try drain(cursor(deleted: true))
        let (_, below) = try drain(cursor("/a", deleted: true))
        try fixture.write("2", to: "/A/Again")
        try fixture.write("2", to: "/a/new")
        try fixture.delete("/a")
        let told = ["-/a", "-/a/again", "-/a/b", "-/a/b/c", "-/a/new"]
        #expect(keys(try drain(latest).0) == told)
        #expect(keys(try drain(below).0) == told)
        try fixture.write("3", to: "/a/new")
        #expect(
            keys(try drain(latest).0) == [
                "-/a", "-/a/again", "-/a/b", "-/a/b/c", "/a/", "/a/new",
            ])
    }

    @Test("a listing of a deleted folder goes on when the folder is there again")
    mutating func deletedFolderReturns() throws {
        try fixture.write("1", to: "/a/b")
        try fixture.delete("/a")
        let (_, latest) = try drain(cursor("/a", deleted: true))
        #expect(try fixture.tree.firstNews(latest) == nil)
        try fixture.write("2", to: "/a/c")
        let told = keys(try drain(latest).0)
        #expect(told == ["/a/", "/a/c"])
    }

    @Test("a cursor ends with a reset, or when its folder is gone")
    mutating func ends() throws {
        try fixture.write("1", to: "/a/f")
        let (_, inFolder) = try drain(cursor("/a"))
        try fixture.delete("/a")
        #expect(throws: ListingError.path(.notFound)) { try fixture.tree.page(inFolder) }
        let (_, inRoot) = try drain(cursor())
        try fixture.apply(.resetCursors)
        #expect(throws: ListingError.reset) { try fixture.tree.page(inRoot) }
        _ = try drain(cursor())
    }

    @Test("the text of a cursor says all that the cursor does")
    func text() throws {
        let scope = ListingScope(
            base: NodeID(index: 3), folderKey: "/é/x", isRecursive: true, includesDeleted: true,
            includesNonDownloadable: false, pageSize: 9)
        for phase in [
            Cursor.Phase.changes, .entries(after: ["a", "b/\""]), .tombstones(after: "/z"),
        ] {
            let cursor = Cursor(account: "me", scope: scope, phase: phase, changes: 5, epoch: 2)
            #expect(Cursor(cursor.text) == cursor)
        }
        #expect(Cursor("AAEnonsense") == nil)
        #expect(Cursor("") == nil)
    }

    @Test(
        "a client that lists during any changes ends with the server's tree",
        arguments: 1...40)
    mutating func converges(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<30 { try? change(&random) }
        var mirror = Mirror()
        var page = try fixture.tree.page(cursor(pageSize: Int.random(in: 1...5, using: &random)))
        for step in 0..<200 {
            for entry in page.entries { mirror.apply(entry) }
            if step < 60, Bool.random(using: &random) { try? change(&random) }
            if !page.hasMore, step >= 60 { break }
            page = try fixture.tree.page(page.next)
        }
        #expect(!page.hasMore)
        let (truth, _) = try drain(cursor(pageSize: 1000))
        var expected = Mirror()
        for entry in truth { expected.apply(entry) }
        #expect(mirror.entries == expected.entries)
        #expect(fixture.tree.space.used == usedBytes())
    }

    private func usedBytes() -> Int64 {
        let tree = fixture.tree
        return tree.nodes.subtree(.root).compactMap { tree[$0].revision }.reduce(0) {
            $0 + tree[tree[$1].content].size
        }
    }

    /// A change at random, in a tree of few names, so that changes meet. Those that the tree
    /// refuses are part of the game.
    private mutating func change(_ random: inout SeededRandom) throws {
        let names = ["a", "B", "c"]
        let path = { (random: inout SeededRandom) in
            (0..<Int.random(in: 1...3, using: &random)).map { _ in
                "/" + (names.randomElement(using: &random) ?? "a")
            }.joined()
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            try fixture.write(
                "\(random.next() % 5)", to: path(&random), mode: .overwrite)
        case 2: try fixture.makeFolder(path(&random))
        case 3: try fixture.delete(path(&random))
        case 4: try fixture.copy(path(&random), path(&random))
        default: try fixture.move(path(&random), path(&random))
        }
    }
}
