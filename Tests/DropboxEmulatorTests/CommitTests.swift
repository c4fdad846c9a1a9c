// Commits that are stored, refused and renamed: the rules of WriteMode.

import Testing

@testable import DropboxEmulator

@Suite("Committing content")
struct CommitTests {
    private var fixture = TreeFixture()

    @Test("parents are made as they are spelled, and names compare without case and in NFC")
    mutating func parents() throws {
        try fixture.write("1", to: "/A/Be/Cafe\u{301}")
        try fixture.write("2", to: "/a/BE/other")
        #expect(fixture.paths == ["/A", "/A/Be", "/A/Be/Caf\u{E9}", "/A/Be/other"])
        #expect(try fixture.file("/a/be/CAF\u{C9}").path.key == "/a/be/caf\u{E9}")
    }

    @Test("identical content is not written again, not even with another time")
    mutating func identical() throws {
        let first = try fixture.write("same", to: "/f", modified: 1)
        let second = try fixture.write("same", to: "/F", mode: .overwrite, modified: 2)
        #expect(second.rev == first.rev)
        #expect(second.clientModified.seconds == 1)
        #expect(fixture.tree.changes.count == 1)
    }

    @Test("add conflicts with other content, and under strict_conflict with the same")
    mutating func add() throws {
        try fixture.write("one", to: "/f")
        #expect(throws: WriteError.conflict(.file)) { try fixture.write("two", to: "/f") }
        #expect(throws: WriteError.conflict(.file)) {
            try fixture.write("one", to: "/f", strict: true)
        }
        #expect(try fixture.file("/f").content == TreeFixture.content("one"))
    }

    @Test("overwrite keeps the id and gives a new rev")
    mutating func overwrite() throws {
        let first = try fixture.write("one", to: "/f")
        let second = try fixture.write("two", to: "/f", mode: .overwrite)
        #expect(second.id == first.id)
        #expect(second.rev > first.rev)
    }

    @Test("update needs the current rev")
    mutating func update() throws {
        let first = try fixture.write("one", to: "/f")
        let second = try fixture.write("two", to: "/f", mode: .update(rev: first.rev))
        #expect(throws: WriteError.conflict(.file)) {
            try fixture.write("three", to: "/f", mode: .update(rev: first.rev))
        }
        #expect(try fixture.write("two", to: "/f", mode: .update(rev: first.rev)).rev == second.rev)
        #expect(throws: WriteError.conflict(.file)) {
            try fixture.write("two", to: "/f", mode: .update(rev: first.rev), strict: true)
        }
    }

    @Test("update of a deleted file makes it again, unless strict_conflict is set")
    mutating func updateDeleted() throws {
        let first = try fixture.write("one", to: "/f")
        try fixture.delete("/f")
        #expect(throws: WriteError.conflict(.file)) {
            try fixture.write("two", to: "/f", mode: .update(rev: first.rev), strict: true)
        }
        #expect(try fixture.write("two", to: "/f", mode: .update(rev: first.rev)).id != first.id)
    }

    @Test("a folder or a file as parent is in the way of any mode")
    mutating func inTheWay() throws {
        try fixture.makeFolder("/d")
        try fixture.write("one", to: "/f")
        #expect(throws: WriteError.conflict(.folder)) {
            try fixture.write("x", to: "/d", mode: .overwrite)
        }
        #expect(throws: WriteError.conflict(.fileAncestor)) {
            try fixture.write("x", to: "/f/below", mode: .overwrite)
        }
        #expect(fixture.paths == ["/d", "/f"])
    }

    @Test("autorename finds the first free name")
    mutating func autorename() throws {
        let first = try fixture.write("0", to: "/a.tar.gz")
        let names = try (1...3).map { number in
            try fixture.write("\(number)", to: "/a.tar.gz", autorename: true).path.name
        }
        #expect(names == ["a.tar (1).gz", "a.tar (2).gz", "a.tar (3).gz"])
        try fixture.write("9", to: "/a.tar.gz", mode: .overwrite)
        let copies = try (4...5).map { number in
            try fixture.write(
                "\(number)", to: "/a.tar.gz", mode: .update(rev: first.rev), autorename: true
            ).path.name
        }
        #expect(copies == ["a.tar (conflicted copy).gz", "a.tar (conflicted copy 1).gz"])
        try fixture.write("x", to: "/.hidden")
        #expect(try fixture.write("y", to: "/.hidden", autorename: true).path.name == ".hidden (1)")
    }

    @Test(
        "malformed paths are refused",
        arguments: [
            "/a/", "//a", "/a ", "/a /b", "/.", "/a/..", "/a\\b", "/\u{7F}", "/\u{0}",
            "/" + String(repeating: "n", count: 256), "/" + String(repeating: "😀", count: 128),
        ])
    mutating func malformed(path: String) {
        #expect(throws: WriteError.malformedPath) { try fixture.write("", to: path) }
    }

    @Test(
        "the longest names and unusual ones are not",
        arguments: [
            "/" + String(repeating: "n", count: 255), "/" + String(repeating: "😀", count: 127),
            "/new\nline", "/...", "/~$lock", "/.~tmp", "/trailing.",
        ])
    mutating func wellFormed(path: String) throws {
        try fixture.write("", to: path)
        #expect(fixture.paths == [path])
    }

    @Test("names that Dropbox does not save are refused in any case, and as parents")
    mutating func refused() {
        for path in ["/Desktop.INI", "/a/.DS_Store", "/.dropbox/x", "/Icon\r"] {
            #expect(throws: WriteError.disallowedName) { try fixture.write("", to: path) }
        }
        #expect(fixture.paths.isEmpty)
    }

    @Test("the quota counts replaced content as free, and nothing changes when it is exceeded")
    mutating func quota() throws {
        try fixture.apply(.setQuota(10))
        try fixture.write("12345678", to: "/f")
        #expect(throws: WriteError.insufficientSpace) { try fixture.write("123", to: "/d/g") }
        #expect(fixture.paths == ["/f"])
        try fixture.write("1234567890", to: "/f", mode: .overwrite)
        try fixture.delete("/f")
        #expect(fixture.tree.space.used == 0)
    }

    @Test("a read-only shared folder takes nothing")
    mutating func readOnly() throws {
        try fixture.write("1", to: "/Shared/f")
        try fixture.apply(
            .share(path: "/Shared", SharedFolder(namespace: "99", isReadOnly: true)))
        #expect(throws: WriteError.noWritePermission) {
            try fixture.write("2", to: "/shared/f", mode: .overwrite)
        }
        #expect(throws: WriteError.noWritePermission) { try fixture.makeFolder("/shared/new/x") }
        #expect(throws: DeleteError.pathWrite(.noWritePermission)) {
            try fixture.delete("/shared/f")
        }
        #expect(throws: RelocationError.fromWrite(.noWritePermission)) {
            try fixture.move("/shared/f", "/f")
        }
        try fixture.copy("/shared/f", "/f")
        #expect(try fixture.file("/f").shared == nil)
    }

    @Test("an id as path follows the file, and cannot bring it back")
    mutating func byID() throws {
        let first = try fixture.write("one", to: "/f")
        try fixture.move("/f", "/Moved/g")
        let second = try fixture.write("two", to: first.id, mode: .overwrite)
        #expect(second.path.display == "/Moved/g")
        try fixture.delete("/moved")
        #expect(throws: WriteError.malformedPath) {
            try fixture.write("three", to: first.id, mode: .overwrite)
        }
    }
}
