// Which names work, which stay here, and which are refused.

import Core
import MetadataStore
import Testing

@testable import FileSystem
@testable import Tree

struct NameTests {
    @Test(
        "names that Dropbox ignores stay on this machine",
        arguments: [
            "desktop.ini", "Thumbs.db", ".DS_Store", ".dropbox", ".dropbox.attr", "Icon\r",
            ".~lock.report.odt#", "~$report.docx", ".~x", "~wrd0001.tmp", "~WRD0001.TMP",
            ".fuse_hidden0001", ".nfs0000000001", "~$\u{301}report.docx",
        ])
    func ignored(_ text: String) {
        #expect(NamePolicy(name(text)) == .localOnly)
    }

    @Test(
        "ordinary names go to Dropbox, odd ones too",
        arguments: [
            "a", ".hidden", "trailing.", " leading", "new\nline", "tab\t", "😀", "e\u{301}",
            "~backup", "file~", "x.tmp", "lock.#", ".#emacs", ".goutputstream-X", "con", "a:b",
        ])
    func synced(_ text: String) {
        #expect(NamePolicy(name(text)) == .synced)
    }

    @Test("with case=fold another case finds the file, and is never remembered")
    func folded() throws {
        let exact = try Fixture()
        try exact.makeFile("File")
        #expect(try !exact.exists("FILE"))

        let fixture = try Fixture { $0.foldsCase = true }
        let inode = try fixture.makeFile("File")
        let other = try #require(try fixture.entry("FILE"))
        #expect(other.attributes.inode == inode)
        #expect(other.timeouts.entry == 0)
        #expect(try #require(try fixture.entry("File")).timeouts.entry > 0)
        try fixture.makeFile("new")
        try fixture.rename("NEW", to: "file")
        #expect(try fixture.names() == ["File"])
        try fixture.unlink("fILE")
        #expect(try fixture.names() == [])
    }

    @Test(
        "with names=strict, names that Dropbox refuses are refused",
        arguments: ["a\\b", "x\u{7F}", "end "])
    func refused(_ text: String) throws {
        #expect(NamePolicy(name(text)) == .unstorable)
        let fixture = try Fixture { $0.refusesNames = true }
        #expect(throws: FileSystemError.invalidArgument) { try fixture.mkdir(text) }
        #expect(throws: FileSystemError.invalidArgument) { try fixture.makeFile(text) }
        #expect(throws: FileSystemError.invalidArgument) { try fixture.symlink(text, to: "x") }
        try fixture.mkdir("a")
        #expect(throws: FileSystemError.invalidArgument) { try fixture.rename("a", to: text) }
        #expect(try fixture.names() == ["a"])
    }

    @Test("bytes that are no name: the error says why on create, and lookups find nothing")
    func impossible() throws {
        let fixture = try Fixture { $0.refusesNames = true }
        func create(_ bytes: [UInt8]) throws {
            _ = try fixture.fs.makeDirectory(
                bytes, in: .root, permissions: 0o755, caller: Fixture.user
            ).now()
        }
        #expect(throws: FileSystemError.invalidEncoding) { try create([0x66, 0xFF]) }
        #expect(throws: FileSystemError.nameTooLong) {
            try create([UInt8](repeating: 0x61, count: 256))
        }
        #expect(throws: FileSystemError.invalidArgument) { try create([0x61, 0, 0x62]) }
        try create([UInt8](repeating: 0x61, count: 255))
        #expect(try fixture.fs.lookup([0x66, 0xFF], in: .root).now() == .absent(timeout: 3600))
        #expect(throws: FileSystemError.nameTooLong) {
            try fixture.fs.lookup([UInt8](repeating: 0x61, count: 256), in: .root).now()
        }
    }

    @Test(
        "with names=strict, a name that Dropbox takes for another one is taken; lookups are exact")
    func collisions() throws {
        let fixture = try Fixture { $0.refusesNames = true }
        try fixture.makeFile("Report")
        try fixture.mkdir("\u{E9}t\u{E9}")
        #expect(throws: FileSystemError.exists) { try fixture.makeFile("REPORT") }
        #expect(throws: FileSystemError.exists) { try fixture.mkdir("report") }
        #expect(throws: FileSystemError.exists) { try fixture.symlink("rePort", to: "x") }
        #expect(throws: FileSystemError.exists) { try fixture.mkdir("e\u{301}t\u{E9}") }
        #expect(throws: FileSystemError.exists) { try fixture.create("REPORT", .both) }
        #expect(try !fixture.exists("REPORT"))
        #expect(try !fixture.exists("e\u{301}te\u{301}"))
        #expect(try fixture.exists("\u{E9}t\u{E9}"))
    }

    @Test("local names are never queued, nor are nodes in local folders")
    func local() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile(".~lock.a#", text("me"))
        let folder = try fixture.mkdir("~x.tmp")
        let inner = try fixture.makeFile("inner", in: folder, text("in"))
        for inode in [file, folder, inner] {
            #expect(try !fixture.isQueued(inode))
            #expect(try fixture.node(inode)?.flags.contains(.localOnly) == true)
            #expect(
                try fixture.fs.extendedAttribute("user.dropbox.local", of: inode).now()
                    == text("1"))
        }
        #expect(try fixture.contents(inner) == text("in"))
    }
}

struct KeyedNameTests {
    @Test(
        "a name that the server files under another key than the predicted one works like any other"
    )
    func foreignKey() throws {
        for folds in [false, true] {
            let fixture = try Fixture {
                $0.foldsCase = folds
                $0.refusesNames = true
            }
            let folder = try fixture.store.write { transaction in
                let inode = try transaction.insertRemote(
                    .folder, at: Place(parent: .root, name: FileName("ΟΔΟΣ", key: "οδος")),
                    facts: RemoteFacts())
                try transaction.setFlags(.listed, true, of: inode)
                return inode
            }
            try fixture.remoteFile("thesis.txt", in: folder)
            #expect(try fixture.entry("ΟΔΟΣ")?.attributes.inode == folder)
            #expect(throws: FileSystemError.exists) { try fixture.mkdir("ΟΔΟΣ") }
            #expect(throws: FileSystemError.exists) { try fixture.mkdir("οδος") }
            #expect(throws: FileSystemError.notEmpty) { try fixture.rmdir("ΟΔΟΣ") }
            try fixture.rename("ΟΔΟΣ", to: "οδος")
            try fixture.rename("οδος", to: "ΟΔΟΣ")
            #expect(try fixture.names() == ["ΟΔΟΣ"])
            #expect(try fixture.store.read { try $0.node(folder) }?.remote == .inPlace)
        }
    }
}

struct HandleTests {
    @Test("an inode that the kernel has forgotten is found by its number, and so is its folder")
    func forgotten() throws {
        let fixture = try Fixture()
        let folder = try fixture.mkdir("d")
        let file = try fixture.makeFile("f", in: folder)
        let link = try fixture.symlink("l", to: "f", in: folder)
        for inode in [folder, file, link] { fixture.fs.forget(inode, count: 1) }
        for inode in [.root, folder, file, link] {
            #expect(try fixture.lookup(".", in: inode) == inode)
        }
        #expect(try fixture.lookup("..", in: file) == folder)
        #expect(try fixture.lookup("..", in: folder) == .root)
        // Each has counted one more.
        #expect(try #require(try fixture.entry(".", in: link)).attributes.kind == .symbolicLink)
        try fixture.rename("d", to: "e")
        #expect(try fixture.lookup("..", in: file) == folder)
    }

    @Test("neither a deleted file nor a number without a node is found by it")
    func gone() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        try fixture.unlink("f")
        #expect(throws: FileSystemError.noEntry) { try fixture.lookup(".", in: file) }
        #expect(throws: FileSystemError.noEntry) { try fixture.lookup("..", in: file) }
        for inode: InodeID in [InodeID(0), InodeID(99_999), InodeID(.max)] {
            #expect(throws: FileSystemError.noEntry) { try fixture.lookup(".", in: inode) }
        }
        #expect(throws: FileSystemError.noEntry) { try fixture.lookup("..", in: .root) }
    }
}
