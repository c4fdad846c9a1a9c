// Names that Dropbox cannot have, or takes for a sibling's: users see each under its own bytes, and
// Dropbox gets an alias.

import Core
import MetadataStore
import Testing

@testable import FileSystem
@testable import Tree

struct OwnNameTests {
    /// The names that the server is to have, by the names that users see.
    private func aliases(_ fixture: Fixture, in folder: InodeID = .root) throws -> [String: String]
    {
        let children = try fixture.store.read { try $0.children(of: folder) }
        return Dictionary(uniqueKeysWithValues: children.map { ($0.name.text, $0.name.string) })
    }

    @Test("names that differ in case or composition are files of their own, each with its content")
    func collisions() throws {
        let fixture = try Fixture()
        try fixture.makeFile("xt_dscp.h", text("lower"))
        let upper = try fixture.makeFile("xt_DSCP.h", text("upper"))
        try fixture.makeFile("XT_DSCP.h", text("third"))
        #expect(
            try aliases(fixture) == [
                "xt_dscp.h": "xt_dscp.h", "xt_DSCP.h": "xt_DSCP (Case Conflict).h",
                "XT_DSCP.h": "XT_DSCP (Case Conflict 2).h",
            ])
        #expect(try fixture.contents(upper) == text("upper"))
        #expect(try fixture.entry("xt_DSCP.h")?.attributes.inode == upper)
        #expect(try !fixture.exists("xt_DSCP (Case Conflict).h"))
        #expect(try !fixture.exists("Xt_dscp.h"))
        #expect(throws: FileSystemError.exists) { try fixture.mkdir("xt_DSCP.h") }
        let folder = try fixture.mkdir("composed")
        try fixture.mkdir("\u{E9}t\u{E9}", in: folder)
        try fixture.mkdir("e\u{301}t\u{E9}", in: folder)
        let names = try fixture.store.read { try $0.children(of: folder) }.map(\.name)
        #expect(
            Set(names.map { [$0.shown, Array($0.string.utf8)] }) == [
                [text("\u{E9}t\u{E9}"), text("\u{E9}t\u{E9}")],
                [text("e\u{301}t\u{E9}"), text("\u{E9}t\u{E9} (Unicode Encoding Conflict)")],
            ])
    }

    @Test(
        "names that Dropbox refuses are stored under readable ones",
        arguments: [
            ("a\\b.txt", "a_b.txt"), ("x\u{7F}", "x_"), ("end ", "end (Whitespace Conflict)"),
            ("end .txt  ", "end  (Whitespace Conflict).txt"), (" ", "_ (Whitespace Conflict)"),
            (String(repeating: "\u{958}", count: 85), nil),
            (String(repeating: "\u{344}", count: 33), nil),
        ] as [(String, String?)])
    func refused(_ own: String, _ alias: String?) throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile(own, text("content"))
        let stored = try #require(try aliases(fixture)[own])
        if let alias { #expect(stored == alias) }
        #expect(!Alias.isNeeded(for: stored))
        #expect(try fixture.names() == [own])
        #expect(try fixture.entry(own)?.attributes.inode == file)
        #expect(try !fixture.exists(stored) || own == stored)
        // A user wants that name, too.
        try fixture.makeFile(stored, text("other"))
        #expect(try fixture.names().count == 2)
        #expect(Set(try aliases(fixture).values.map { Folding.fold($0) }).count == 2)
    }

    @Test("a name of bytes that are no UTF-8 works, and is read as Latin-1 elsewhere")
    func bytes() throws {
        let fixture = try Fixture()
        let name: [UInt8] = Array("caf".utf8) + [0xE9, 0x80] + Array(".txt".utf8)
        let folder = try fixture.fs.makeDirectory(
            name, in: .root, permissions: 0o755, caller: Fixture.user
        ).now().attributes.inode
        #expect(try fixture.list().map(\.name).contains(name))
        guard case .found(let entry) = try fixture.fs.lookup(name, in: .root).now() else {
            throw FileSystemError.noEntry
        }
        #expect(entry.attributes.inode == folder)
        let child = try fixture.store.read { try $0.node(folder) }
        #expect(child?.place?.name.string == "caf\u{E9}_.txt")
        let other: [UInt8] = [0xFF]
        try fixture.fs.rename(name, in: .root, to: other, in: .root, mode: .replace).now()
        #expect(try fixture.fs.lookup(name, in: .root).now() == .absent(timeout: 3600))
        try fixture.fs.removeDirectory(other, in: .root).now()
        #expect(try fixture.names() == [])
    }

    @Test("a rename over a file with an alias is its next revision, under the same alias")
    func replaced() throws {
        let fixture = try Fixture()
        try fixture.makeFile("readme", text("one"))
        let old = try fixture.makeFile("README", text("two"))
        let alias = try aliases(fixture)["README"]
        let new = try fixture.makeFile("README.tmp", text("three"))
        try fixture.rename("README.tmp", to: "README")
        #expect(try fixture.entry("README")?.attributes.inode == new)
        #expect(try aliases(fixture) == ["readme": "readme", "README": alias])
        try fixture.fs.rename(
            Array("readme".utf8), in: .root, to: Array("README".utf8), in: .root, mode: .exchange
        ).now()
        #expect(
            try fixture.contents(fixture.entry("readme")?.attributes.inode ?? old) == text("three"))
        #expect(try fixture.names().sorted() == ["README", "readme"])
    }

    @Test(
        "a name that becomes free is the server's, too; one that is taken away comes back as it was"
    )
    func freed() throws {
        let fixture = try Fixture()
        try fixture.makeFile("readme")
        try fixture.makeFile("README")
        try fixture.rename("README", to: "Makefile")
        #expect(try aliases(fixture) == ["readme": "readme", "Makefile": "Makefile"])
        try fixture.rename("Makefile", to: "README")
        try fixture.unlink("readme")
        #expect(try aliases(fixture) == ["README": "README"])
        try fixture.makeFile("readme")
        #expect(try aliases(fixture)["readme"] == "readme (Case Conflict)")
        try fixture.rename("readme", to: "Readme")
        #expect(try aliases(fixture)["Readme"] == "Readme (Case Conflict)")
    }

    @Test("a name that the server still has goes back to normal when the server has let go of it")
    func freedThere() throws {
        let fixture = try Fixture()
        let lower = try fixture.remoteFile("readme")
        try fixture.makeFile("README")
        try fixture.unlink("readme")
        #expect(try aliases(fixture) == ["README": "README (Case Conflict)"])
        // An editor that removes a file and writes it anew finds its place.
        try fixture.makeFile("readme")
        #expect(try aliases(fixture)["readme"] == "readme")
        try fixture.unlink("readme")
        _ = try fixture.store.write { try $0.setRemoteAbsent(lower) }
        #expect(try aliases(fixture) == ["README": "README"])
    }

    @Test("with names=strict, nodes with an alias stay, and names that need one are refused")
    func strict() throws {
        let before = try Fixture()
        try before.makeFile("readme")
        let upper = try before.makeFile("README", text("upper"))
        try before.makeFile("a\\b")
        let fixture = try before.remounted { $0.refusesNames = true }
        #expect(try fixture.entry("README")?.attributes.inode == upper)
        #expect(try fixture.exists("a\\b"))
        #expect(throws: FileSystemError.exists) { try fixture.makeFile("ReadMe") }
        #expect(throws: FileSystemError.invalidArgument) { try fixture.makeFile("c\\d") }
        #expect(throws: FileSystemError.invalidArgument) { try fixture.rename("a\\b", to: "b\\a") }
        try fixture.rename("README", to: "other")
        try fixture.unlink("a\\b")
        #expect(try aliases(fixture) == ["readme": "readme", "other": "other"])
    }

    @Test("with case=fold, what differs in case is one file, also under an alias")
    func folded() throws {
        let fixture = try Fixture { $0.foldsCase = true }
        let file = try fixture.makeFile("A\\b", text("x"))
        #expect(try fixture.entry("a\\B")?.attributes.inode == file)
        #expect(throws: FileSystemError.exists) { try fixture.mkdir("a\\B") }
        try fixture.unlink("a\\B")
        #expect(try fixture.names() == [])
    }

    @Test(
        "a node of the server whose name users have given to another one is seen beside it, until that is gone"
    )
    func madeNames() throws {
        let fixture = try Fixture()
        try fixture.makeFile("readme", text("one"))
        let own = try fixture.makeFile("README", text("two"))
        let theirs = try fixture.store.write { transaction in
            let lower = try transaction.child(FileName("readme"), of: .root)
            try transaction.remove(lower?.inode ?? .root)
            // In the same batch.
            return try transaction.insertRemote(
                .file, at: Place(parent: .root, name: FileName("README")), facts: RemoteFacts())
        }
        #expect(try fixture.entry("README")?.attributes.inode == own)
        #expect(try fixture.entry("README (Name Conflict)")?.attributes.inode == theirs)
        try fixture.unlink("README")
        let next = try fixture.remounted()
        #expect(try next.names() == ["README"])
        #expect(try next.entry("README")?.attributes.inode == theirs)
    }

    @Test("own names survive a restart, and what stays on this machine has them, too")
    func restart() throws {
        let fixture = try Fixture()
        try fixture.makeFile("a")
        try fixture.symlink("A", to: "a")
        try fixture.makeFile(".~lock.x\\")
        let before = try aliases(fixture)
        let next = try fixture.remounted()
        #expect(try aliases(next) == before)
        #expect(before == ["a": "a", "A": "A (Case Conflict)", ".~lock.x\\": ".~lock.x_"])
        #expect(try next.names().sorted() == [".~lock.x\\", "A", "a"])
    }
}
