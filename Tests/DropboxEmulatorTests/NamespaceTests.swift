// Moving, copying, deleting, and the history that remains.

import Testing

@testable import DropboxEmulator

@Suite("Moving, copying, deleting")
struct NamespaceTests {
    private var fixture = TreeFixture()

    @Test("a move keeps ids and times, gives new revs, and makes parents")
    mutating func move() throws {
        let before = try fixture.write("1", to: "/a/b/f", modified: 5)
        try fixture.move("/a/b", "/x/Y/z")
        let after = try fixture.file("/x/y/z/f")
        #expect(after.id == before.id)
        #expect(after.rev > before.rev)
        #expect(after.clientModified.seconds == 5)
        #expect(fixture.paths == ["/a", "/x", "/x/Y", "/x/Y/z", "/x/Y/z/f"])
        #expect(fixture.tree.space.used == 1)
    }

    @Test("what stands in the way of a move")
    mutating func moveConflicts() throws {
        try fixture.write("1", to: "/d/f")
        try fixture.write("2", to: "/g")
        let before = fixture.paths
        let cases: [(String, String, RelocationError)] = [
            ("/none", "/x", .fromLookup(.notFound)),
            ("/g", "/d/f", .to(.conflict(.file))),
            ("/g", "/d", .to(.conflict(.folder))),
            ("/g", "/G", .to(.conflict(.file))),
            ("/d", "/D", .to(.conflict(.folder))),
            ("/d", "/g/x", .to(.conflict(.fileAncestor))),
            ("/d", "/d/e/f", .cantMoveFolderIntoItself),
            ("/g", "/thumbs.db", .to(.disallowedName)),
            ("/g", "/bad/", .to(.malformedPath)),
        ]
        for (from, to, error) in cases {
            #expect(throws: error) { try fixture.move(from, to) }
        }
        #expect(fixture.paths == before)
        try fixture.move("/g", "/d/f", autorename: true)
        #expect(fixture.paths == ["/d", "/d/f", "/d/f (1)"])
    }

    @Test("a folder of more than 10,000 entries cannot be moved")
    mutating func tooMany() throws {
        try fixture.apply(.seed(files: 10_000, folders: 1, bytes: 0))
        #expect(throws: RelocationError.tooManyFiles) { try fixture.move("/Folder 0", "/x") }
        try fixture.delete("/Folder 0/file-0.bin")
        try fixture.move("/Folder 0", "/x")
        #expect(fixture.paths.count == 10_000)
    }

    @Test("the number of entries that can be moved at once can be set, and counts the folder")
    mutating func relocationLimit() throws {
        try fixture.write("1", to: "/d/e/f")
        try fixture.apply(.setRelocationLimit(2))
        #expect(throws: RelocationError.tooManyFiles) { try fixture.move("/d", "/x") }
        #expect(throws: RelocationError.to(.conflict(.folder))) { try fixture.move("/d", "/d/e") }
        try fixture.move("/d/e", "/x")
        try fixture.apply(.setRelocationLimit(3))
        try fixture.move("/x", "/d/e")
        try fixture.move("/d", "/x")
        #expect(fixture.paths == ["/x", "/x/e", "/x/e/f"])
    }

    @Test("a copy has new ids and the times of the content")
    mutating func copy() throws {
        let original = try fixture.write("1", to: "/a/Sub/f", modified: 5)
        try fixture.copy("/a", "/b")
        let copy = try fixture.file("/b/sub/f")
        #expect(copy.id != original.id)
        #expect(copy.clientModified.seconds == 5)
        #expect(copy.content == original.content)
        #expect(fixture.paths == ["/a", "/a/Sub", "/a/Sub/f", "/b", "/b/Sub", "/b/Sub/f"])
        #expect(fixture.tree.space.used == 2)
    }

    @Test("a copy that does not fit is refused")
    mutating func copyQuota() throws {
        try fixture.write("12", to: "/f")
        try fixture.apply(.setQuota(3))
        #expect(throws: RelocationError.insufficientQuota) { try fixture.copy("/f", "/g") }
    }

    @Test("parent_rev guards a deletion")
    mutating func parentRev() throws {
        let first = try fixture.write("1", to: "/d/f")
        let second = try fixture.write("2", to: "/d/f", mode: .overwrite)
        #expect(throws: DeleteError.pathWrite(.conflict(.file))) {
            try fixture.delete("/d/f", parentRev: first.rev)
        }
        #expect(throws: DeleteError.pathWrite(.conflict(.folder))) {
            try fixture.delete("/d", parentRev: first.rev)
        }
        try fixture.delete("/d/f", parentRev: second.rev)
        #expect(throws: DeleteError.pathLookup(.notFound)) { try fixture.delete("/d/f") }
    }

    @Test("a rev leads to its content for ever, an id only while the file lives")
    mutating func revs() throws {
        let first = try fixture.write("1", to: "/f")
        try fixture.write("2", to: "/f", mode: .overwrite)
        try fixture.delete("/f")
        #expect(try fixture.file("rev:" + first.rev).content == TreeFixture.content("1"))
        #expect(throws: LookupError.notFound) { try fixture.file(first.id) }
        #expect(throws: LookupError.notFound) { try fixture.file("rev:" + "0" + first.rev) }
    }

    @Test("revisions by path go on where a new file takes the place of an old one")
    mutating func revisionsByPath() throws {
        let first = try fixture.write("1", to: "/f")
        try fixture.delete("/f")
        let second = try fixture.write("2", to: "/F")
        let page = try fixture.tree.revisions(
            "/f", mode: .path, limit: 10, before: nil, from: .root)
        #expect(page.entries.map(\.rev) == [second.rev, first.rev])
        #expect(!page.isDeleted)
    }

    @Test("revisions by id go on across moves, those by path end there")
    mutating func revisionsByID() throws {
        try fixture.write("1", to: "/f")
        try fixture.move("/f", "/g")
        try fixture.write("2", to: "/g", mode: .overwrite)
        let byID = try fixture.tree.revisions(
            "/g", mode: .id, limit: 10, before: nil, from: .root)
        #expect(byID.entries.count == 3)
        let byPath = try fixture.tree.revisions(
            "/g", mode: .path, limit: 10, before: nil, from: .root)
        #expect(byPath.entries.count == 2)
        let old = try fixture.tree.revisions(
            "/f", mode: .path, limit: 10, before: nil, from: .root)
        #expect(old.isDeleted && old.entries.count == 1)
    }

    @Test("restoring gives an old content a new rev, also where nothing is")
    mutating func restore() throws {
        let first = try fixture.write("1", to: "/f", modified: 9)
        try fixture.write("2", to: "/f", mode: .overwrite)
        try fixture.apply(.restore(path: "/f", rev: first.rev, base: .root))
        #expect(try fixture.file("/f").content == first.content)
        try fixture.apply(.restore(path: "/else/where", rev: first.rev, base: .root))
        #expect(try fixture.file("/else/where").clientModified.seconds == 9)
        #expect(throws: RestoreError.invalidRevision) {
            try fixture.apply(.restore(path: "/f", rev: "0123456789", base: .root))
        }
        #expect(throws: RestoreError.pathWrite(.conflict(.folder))) {
            try fixture.apply(.restore(path: "/else", rev: first.rev, base: .root))
        }
    }
}
