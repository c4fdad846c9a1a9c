// Files and folders that patterns match: made, renamed, replaced, and mounted again with other
// patterns.

import Core
import MetadataStore
import Testing

@testable import FileSystem
@testable import Tree

@Suite struct IgnoringTests {
    private static let patterns = "*.o\nnode_modules/\n/top/only\n!keep.o"

    private func fixture(
        _ patterns: String = patterns, reusing left: OwnedFolder? = nil, root: [String] = []
    ) throws -> Fixture {
        var rules = IgnoreRules()
        if !patterns.isEmpty { try rules.append(parsing: patterns) }
        let path = try root.map { try FileName($0) }
        return try Fixture(reusing: left) { options in
            options.ignored = rules
            options.rootPath = path
        }
    }

    private func isLocal(_ inode: InodeID, _ fixture: Fixture) throws -> Bool {
        let node = try #require(try fixture.node(inode))
        let isLocal = node.flags.contains(.localOnly)
        if isLocal {
            #expect(try !fixture.isQueued(inode))
            #expect(node.remote == .absent)
        }
        return isLocal
    }

    @Test("a matching folder is made and stays here, with its content; the rest is queued")
    func made() throws {
        let fixture = try fixture()
        let folder = try fixture.mkdir("node_modules")
        let inner = try fixture.makeFile("a", in: folder, text("in"))
        let object = try fixture.makeFile("x.O", text("obj"))
        // A pattern for folders is none for files.
        let file = try fixture.makeFile("Node_Modules.txt")
        let top = try fixture.mkdir("top")
        let only = try fixture.makeFile("only", in: top)
        let elsewhere = try fixture.makeFile("only")
        let kept = try fixture.makeFile("keep.o")
        for inode in [folder, inner, object, only] { #expect(try isLocal(inode, fixture)) }
        for inode in [file, top, elsewhere, kept] {
            #expect(try !isLocal(inode, fixture))
            #expect(try fixture.isQueued(inode))
        }
        #expect(try fixture.contents(inner) == text("in"))
        // Nothing of it is queued by writing to it either.
        try fixture.commitAll()
        let handle = try fixture.open(object, .both)
        _ = try fixture.write(object, handle, 0, text("more"))
        try fixture.close(object, handle)
        #expect(try isLocal(object, fixture))
    }

    @Test("patterns begin at the account's top folder, also if another folder is mounted")
    func folderMount() throws {
        let fixture = try fixture(root: ["top"])
        #expect(try isLocal(fixture.makeFile("only"), fixture))
        let inside = try self.fixture(root: ["x", "node_modules"])
        #expect(try isLocal(inside.makeFile("a"), inside))
    }

    @Test("renamed to a name that does not match, it is sent, but for what matches by itself")
    func madeSynced() throws {
        let fixture = try fixture()
        let folder = try fixture.mkdir("node_modules")
        let file = try fixture.makeFile("a", in: folder, text("x"))
        let object = try fixture.makeFile("a.o", in: folder)
        let link = try fixture.symlink("l", to: "a", in: folder)
        try fixture.rename("node_modules", to: "modules")
        #expect(try !isLocal(folder, fixture) && fixture.isQueued(folder))
        #expect(try !isLocal(file, fixture) && fixture.isQueued(file))
        #expect(try isLocal(object, fixture))
        #expect(try isLocal(link, fixture))
    }

    @Test("a file on the server that is renamed to an ignored name is kept here and deleted there")
    func movedOutOfSync() async throws {
        let fixture = try fixture()
        let file = try fixture.remoteFile("a.c", text("bytes"), isCached: false)
        try await fixture.fs.rename(
            text("a.c"), in: .root, to: text("a.o"), in: .root, mode: .replace
        ).value()
        #expect(try isLocal(file, fixture))
        #expect(try fixture.journal().map(\.isTombstone) == [true])
        fixture.content.update { $0.contents = [:] }
        #expect(try fixture.contents(file) == text("bytes"))
    }

    @Test("a file on the server replaces a local-only one whose name differs in case only")
    func replacesInCase() async throws {
        let fixture = try fixture()
        let file = try fixture.remoteFile("A.o", text("server's"))
        let replaced = try fixture.makeFile("a.o", text("local"))
        #expect(try isLocal(replaced, fixture))
        try await fixture.fs.rename(
            text("A.o"), in: .root, to: text("a.o"), in: .root, mode: .replace
        ).value()
        #expect(try fixture.names() == ["a.o"])
        #expect(try fixture.lookup("a.o") == file)
        #expect(try isLocal(file, fixture))
        #expect(try fixture.contents(file) == text("server's"))
        #expect(try fixture.journal().map(\.isTombstone) == [true])
    }

    @Test("a copy into a local-only file has its bytes here, in every mode of opening")
    func copied() async throws {
        let fixture = try fixture()
        let source = try fixture.remoteFile("source", text("bytes"))
        let target = try fixture.remoteFile("target", [])
        let from = try fixture.open(source, .reading)
        let to = try fixture.open(target, .both)
        try await fixture.fs.rename(
            text("target"), in: .root, to: text("target.o"), in: .root, mode: .replace
        ).value()
        #expect(try isLocal(target, fixture))
        await #expect(throws: FileSystemError.unsupported) {
            try await fixture.fs.copyRange(
                from: source, handle: from, offset: 0, to: target, targetHandle: to,
                targetOffset: 0, count: 5
            ).value()
        }
        fixture.fs.release(source, handle: from)
        try fixture.close(target, to)
    }

    @Test("a folder that goes to the server is not renamed to an ignored name: mv(1) is to copy it")
    func folder() throws {
        let fixture = try fixture()
        try fixture.remoteFolder("modules")
        #expect(throws: FileSystemError.crossDevice) {
            try fixture.rename("modules", to: "node_modules")
        }
        #expect(try fixture.names() == ["modules"])
    }

    @Test("what the server has under an ignored name goes on there, written or replaced")
    func onServer() throws {
        let fixture = try fixture()
        let original = try fixture.remoteFile("a.o", text("1"))
        let handle = try fixture.open(original, .both)
        _ = try fixture.write(original, handle, 0, text("2"))
        try fixture.close(original, handle)
        #expect(try !isLocal(original, fixture) && fixture.isQueued(original))
        try fixture.commitAll()
        // An atomic save by way of an ignored name, and of another one.
        for name in ["b.o", "b.tmp"] {
            let id = try #require(try fixture.node(try fixture.lookup("a.o"))?.facts.id)
            let written = try fixture.makeFile(name, text("new"))
            try fixture.rename(name, to: "a.o")
            #expect(try !isLocal(written, fixture) && fixture.isQueued(written))
            #expect(try fixture.node(written)?.facts.id == id)
            try fixture.commitAll()
        }
        // In a folder of the server's that matches, new nodes stay here.
        let folder = try fixture.remoteFolder("node_modules")
        #expect(try isLocal(fixture.makeFile("new", in: folder), fixture))
    }

    @Test("two files of one kind change names, two of different kinds do not")
    func exchange() throws {
        let fixture = try fixture()
        let first = try fixture.remoteFile("a.o", text("1"))
        let second = try fixture.remoteFile("b", text("2"))
        try fixture.makeFile("c.o", text("3"))
        try fixture.rename("a.o", to: "b", .exchange)
        #expect(try fixture.lookup("b") == first)
        #expect(try fixture.lookup("a.o") == second)
        #expect(throws: FileSystemError.invalidArgument) {
            try fixture.rename("b", to: "c.o", .exchange)
        }
    }

    @Test("it is there after a restart, and is sent once the patterns no longer match it")
    func remount() throws {
        let before = try fixture()
        let folder = try before.mkdir("node_modules")
        let object = try before.makeFile("a.o", in: folder, text("obj"))
        let file = try before.makeFile("b", in: folder, text("b"))
        let lock = try before.makeFile(".~lock.b#", in: folder)
        let only = try before.mkdir("top")
        let ignored = try before.makeFile("only", in: only)
        try before.store.close()
        let same = try fixture(reusing: before.ownedFolder)
        for inode in [folder, object, file, lock, ignored] { #expect(try isLocal(inode, same)) }
        #expect(try same.contents(object) == text("obj"))
        try same.store.close()
        let other = try fixture("*.o", reusing: before.ownedFolder)
        for inode in [folder, file, ignored] {
            #expect(try !isLocal(inode, other) && other.isQueued(inode))
        }
        #expect(try isLocal(object, other))
        #expect(try isLocal(lock, other))
        #expect(try other.contents(file) == text("b"))
        try other.store.close()
        let none = try fixture("", reusing: before.ownedFolder)
        #expect(try !isLocal(object, none))
        #expect(try isLocal(lock, none))
    }

    @Test("a node on the server stays there when a new pattern matches it")
    func newPattern() throws {
        let before = try fixture("")
        let sent = try before.remoteFile("a.o", text("1"))
        let queued = try before.makeFile("b.o", text("2"))
        try before.store.close()
        let after = try fixture(reusing: before.ownedFolder)
        #expect(try after.node(sent)?.remote == .inPlace)
        #expect(try !isLocal(sent, after))
        #expect(try !isLocal(queued, after) && after.isQueued(queued))
    }

    @Test("a node on the server stays there under another spelling of its name")
    func respelled() throws {
        let before = try fixture("")
        let file = try before.remoteFile("a.o", text("1"))
        let folder = try before.remoteFolder("node_modules")
        try before.store.close()
        let after = try fixture(reusing: before.ownedFolder)
        try after.rename("a.o", to: "A.o")
        try after.rename("node_modules", to: "Node_Modules")
        for inode in [file, folder] {
            #expect(try !isLocal(inode, after) && after.isQueued(inode))
            #expect(try after.node(inode)?.remote != .absent)
        }
    }
}
