// Programs of desktops: indexers, makers of thumbnails, and the trash of file managers.

import Core
import MetadataStore
import RemoteStore
import Synchronization
import Testing

@testable import FileSystem

@Suite struct CachedOnlyTests {
    /// The name that the next callers have.
    private final class Program: Sendable {
        let name = Mutex<String?>(nil)
        let looks = Mutex(0)
    }

    private let program = Program()

    private func fixture(_ listed: String...) throws -> Fixture {
        let program = program
        return try Fixture {
            $0.cachedOnly = ProgramNames(listed)
        } programName: { _ in
            program.looks.withLock { $0 += 1 }
            return program.name.withLock { $0 }
        }
    }

    private func open(
        _ inode: InodeID, as name: String?, _ flags: OpenFlags = .reading, on fixture: Fixture
    ) throws {
        program.name.withLock { $0 = name }
        let opened = try fixture.fs.open(inode, flags: flags, caller: Fixture.user).now()
        fixture.fs.release(inode, handle: opened.handle)
    }

    @Test("a listed program cannot open a file that would be fetched, and opens cached ones")
    func refused() throws {
        let fixture = try fixture("tumblerd", "gdk-pixbuf-thumbnailer")
        let cached = try fixture.remoteFile("cached", [1, 2, 3])
        let absent = try fixture.remoteFile("absent", [1, 2, 3], isCached: false)
        let empty = try fixture.remoteFile("empty", isCached: false)
        // The kernel keeps 15 bytes of a name.
        for name in ["tumblerd", "gdk-pixbuf-thum"] {
            try open(cached, as: name, on: fixture)
            try open(empty, as: name, on: fixture)
            #expect(throws: FileSystemError.accessDenied) {
                try open(absent, as: name, on: fixture)
            }
            #expect(throws: FileSystemError.accessDenied) {
                try open(absent, as: name, .both, on: fixture)
            }
            try open(absent, as: name, .writing, on: fixture)
        }
        for name in ["cat", "tumblerd2", "gdk-pixbuf-thuM", nil] {
            try open(absent, as: name, on: fixture)
        }
        #expect(fixture.content.fetched.isEmpty)
        // The refused opens have left no handle behind.
        #expect(fixture.openFiles[absent] == nil)
    }

    @Test("the name is asked for once per open, and only if a small file is not cached")
    func looks() throws {
        let fixture = try fixture("tumblerd")
        let cached = try fixture.remoteFile("cached", [1, 2, 3])
        let absent = try fixture.remoteFile("absent", [1, 2, 3], isCached: false)
        try open(cached, as: "cat", on: fixture)
        #expect(program.looks.withLock { $0 } == 0)
        try open(absent, as: "cat", on: fixture)
        #expect(program.looks.withLock { $0 } == 1)
        let none = try self.fixture()
        try open(try none.remoteFile("absent", [1], isCached: false), as: "cat", on: none)
        #expect(program.looks.withLock { $0 } == 1)
    }
}

@Suite struct TrashTests {
    private func makes(_ text: String, in parent: InodeID = .root, on fixture: Fixture) -> Bool {
        (try? fixture.mkdir(text, in: parent)) != nil
    }

    @Test("folders for trash cannot be made or renamed to at the top, and nothing else is refused")
    func refused() throws {
        let fixture = try Fixture { $0.refusesTrash = true }
        for name in [".Trash", ".Trash-0", ".Trash-1000"] {
            #expect(throws: FileSystemError.notPermitted) { try fixture.mkdir(name) }
        }
        let folder = try fixture.mkdir("folder")
        for name in [".Trash-", ".Trash-x", ".Trash1", ".trashed", "x.Trash-1"] {
            #expect(makes(name, on: fixture), "\(name)")
        }
        #expect(makes(".Trash-1000", in: folder, on: fixture))
        let renamed = fixture.fs.rename(
            Array("folder".utf8), in: .root, to: Array(".Trash-1000".utf8), in: .root,
            mode: .replace)
        #expect(throws: FileSystemError.notPermitted) { try renamed.now() }
        #expect(try fixture.exists("folder"))
    }

    @Test("with trash=allow they are folders like others")
    func allowed() throws {
        #expect(makes(".Trash-1000", on: try Fixture()))
    }
}

@Suite struct NodeStateTests {
    private func state(of inode: InodeID, on fixture: Fixture) throws -> String {
        let value = try fixture.fs.extendedAttribute("user.dropbox.state", of: inode).now()
        return String(decoding: value, as: UTF8.self)
    }

    @Test("a state is that of unsent changes, in a folder of all nodes below it")
    func states() throws {
        let fixture = try Fixture()
        let folder = try fixture.remoteFolder("folder")
        let sub = try fixture.remoteFolder("sub", in: folder)
        let other = try fixture.remoteFile("other", in: folder)
        let above = [sub, folder, .root]
        for inode in above { #expect(try state(of: inode, on: fixture) == "synced") }
        let file = try fixture.makeFile("file", in: sub, [1])
        for inode in above + [file] { #expect(try state(of: inode, on: fixture) == "pending") }
        #expect(try state(of: other, on: fixture) == "synced")
        // A refused change goes over a waiting one.
        try fixture.store.write {
            try $0.postpone(file, until: WallTime(seconds: 0), problem: .passing("no room"))
        }
        let later = try fixture.makeFile("later", in: folder, [1])
        for inode in above + [file] { #expect(try state(of: inode, on: fixture) == "problem") }
        #expect(try state(of: later, on: fixture) == "pending")
        try fixture.commitAll()
        for inode in above + [file] { #expect(try state(of: inode, on: fixture) == "synced") }
        let link = try fixture.fs.makeSymbolicLink(
            Array("link".utf8), in: .root, target: [0x78], caller: Fixture.user
        ).now().attributes.inode
        #expect(try state(of: link, on: fixture) == "local")
        #expect(try state(of: .root, on: fixture) == "synced")
    }
}
