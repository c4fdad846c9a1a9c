// Which names are those of conflicted copies, and of what.

import Core
import Testing

@testable import Sync
@testable import Tree

@Suite struct ConflictedCopyTests {
    private static func copy(_ text: String) throws -> ConflictedCopy? {
        ConflictedCopy(try FileName(text))
    }

    @Test(
        "a name that this program makes says of which file it is a copy",
        arguments: [
            "notes.txt", "notes", ".profile", "archive.tar.gz", "a (b).txt", "é (1)", "x.a b",
        ], [1, 2, 11])
    func own(text: String, number: Int) throws {
        let original = try FileName(text)
        let names = ConflictName(host: "anna's laptop", at: WallTime(seconds: 1_795_316_814))
        let copy = try #require(ConflictedCopy(names.name(for: original, number: number)))
        #expect(copy.original == original)
        #expect(copy.maker == "anna's laptop")
        #expect(copy.day == "2026-11-22")
    }

    @Test("a copy of a copy is one of the copy")
    func nested() throws {
        let copy = try #require(
            try Self.copy("a (x's conflicted copy 2026-01-02) (y's conflicted copy 2026-01-03).b"))
        #expect(copy.original.string == "a (x's conflicted copy 2026-01-02).b")
        #expect(copy.maker == "y")
    }

    @Test("the names that Dropbox's own clients give are known, too")
    func others() throws {
        let old = try #require(try Self.copy("a (Anna’s conflicted copy 2013-08-05).doc"))
        #expect(old.original.string == "a.doc")
        #expect(old.maker == "Anna")
        #expect(old.day == "2013-08-05")
        let numbered = try #require(
            try Self.copy("a (Anna's conflicted copy 2013-08-05 (1)).doc"))
        #expect(numbered.original.string == "a.doc")
        let nobody = try #require(try Self.copy("a (conflicted copy 2024-01-02 101500).doc"))
        #expect(nobody.original.string == "a.doc")
        #expect(nobody.maker == nil)
        #expect(nobody.day == "2024-01-02")
        for kind in [
            "Case Conflict", "Case Conflict 1", "Selective Sync Conflict",
            "Unicode Encoding Conflict (2)",
        ] {
            let copy = try #require(try Self.copy("a (\(kind)).doc"))
            #expect(copy.original.string == "a.doc")
            #expect(copy.day == nil)
        }
    }

    @Test(
        "other names are not",
        arguments: [
            "conflicted copy.txt", "a conflicted copy 2026-01-02.txt", "(conflicted copy)",
            "the conflict (1).txt", "a (x's conflicted copies 2026-01-02).txt",
            "a (conflicted copy).b.c",
        ])
    func otherNames(text: String) throws {
        #expect(try Self.copy(text) == nil)
    }
}
