// Making and removing names, what the journal learns of it, and when inodes end.

import Core
import MetadataStore
import RemoteStore
import Testing

@testable import FileSystem

struct NamespaceTests {
    // MARK: Making

    @Test("a new node is found, under the same inode, and queued")
    func make() throws {
        let fixture = try Fixture()
        let folder = try fixture.mkdir("d")
        let file = try fixture.makeFile("f", in: folder, text("hello"))
        #expect(try fixture.lookup("d") == folder)
        #expect(try fixture.lookup("f", in: folder) == file)
        #expect(try fixture.contents(file) == text("hello"))
        #expect(try fixture.isQueued(folder))
        #expect(try fixture.isQueued(file))
        #expect(fixture.sync.current.noteCount > 0)
        #expect(fixture.sync.current.changed.contains(.name("d", in: .root)))
    }

    @Test("a new file shows the caller's bits and owner, and the parent's times move on")
    func facts() throws {
        let fixture = try Fixture()
        let before = try fixture.attributes(.root)
        let caller = CallingProcess(userID: 7, groupID: 8, processID: 1)
        let entry = try fixture.fs.makeNode(
            .regular, text("f"), in: .root, permissions: 0o4640, caller: caller
        ).now()
        #expect(entry.attributes.permissions == 0o4640)
        #expect(entry.attributes.userID == 7)
        #expect(entry.attributes.groupID == 8)
        #expect(entry.attributes.size == 0)
        #expect(entry.attributes.linkCount == 1)
        #expect(entry.attributes.kind == .regular)
        let after = try fixture.attributes(.root)
        #expect(after.modificationTime > before.modificationTime)
        #expect(after.changeTime > before.changeTime)
    }

    @Test(
        "FIFOs and sockets stay on this machine, wherever they are moved, and over a restart",
        arguments: [(MakeableKind.fifo, FileKind.fifo), (.socket, .socket)])
    func specialFiles(kind: MakeableKind, shown: FileKind) throws {
        let first = try Fixture()
        let folder = try first.mkdir("d")
        let other = try first.mkdir(".~ignored")
        let entry = try first.fs.makeNode(
            kind, text("special"), in: other, permissions: 0o620, caller: Fixture.user
        ).now()
        let inode = entry.attributes.inode
        #expect(entry.attributes.kind == shown)
        #expect(throws: FileSystemError.exists) {
            try first.fs.makeNode(
                kind, text("special"), in: other, permissions: 0o620, caller: Fixture.user
            ).now()
        }
        #expect(throws: FileSystemError.invalidArgument) { try first.open(inode) }
        // The folder becomes synced, its special file does not.
        try first.rename(".~ignored", to: "published")
        #expect(try first.isQueued(other))
        #expect(try !first.isQueued(inode))
        try first.rename("special", in: other, to: "moved", into: folder)
        #expect(try !first.isQueued(inode))
        let second = try first.remounted()
        let attributes = try second.attributes(second.lookup("moved", in: folder))
        #expect(attributes.inode == inode)
        #expect(attributes.kind == shown)
        #expect(attributes.permissions == 0o620)
        #expect(try second.node(inode)?.flags.contains(.localOnly) == true)
        try second.unlink("moved", in: folder)
        second.fs.forget(inode, count: 1)
        #expect(try second.node(inode) == nil)
    }

    @Test("a taken name is EEXIST, and an exclusive create too")
    func taken() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("x"))
        #expect(throws: FileSystemError.exists) { try fixture.mkdir("f") }
        #expect(throws: FileSystemError.exists) { try fixture.symlink("f", to: "x") }
        #expect(throws: FileSystemError.exists) {
            try fixture.create("f", OpenFlags(writes: true, isExclusive: true))
        }
        let created = try fixture.create("f", .truncating)
        #expect(created.entry.attributes.inode == file)
        #expect(created.entry.attributes.size == 0, "O_TRUNC applies to the file that is there")
        try fixture.mkdir("d")
        #expect(throws: FileSystemError.isADirectory) { try fixture.create("d", .writing) }
    }

    @Test("nothing can be made in a file, in nothing, or in a removed folder")
    func badParents() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        let folder = try fixture.mkdir("d")
        try fixture.rmdir("d")
        #expect(throws: FileSystemError.notADirectory) { try fixture.mkdir("x", in: file) }
        #expect(throws: FileSystemError.noEntry) { try fixture.mkdir("x", in: folder) }
        #expect(throws: FileSystemError.noEntry) { try fixture.makeFile("x", in: InodeID(999)) }
        #expect(throws: FileSystemError.notADirectory) { try fixture.lookup("x", in: file) }
    }

    @Test("symbolic links keep any text, and stay here where their targets cannot be kept")
    func links() throws {
        let fixture = try Fixture()
        let link = try fixture.symlink("l", to: "../no/such\nplace")
        #expect(try fixture.fs.readSymbolicLink(link).now() == text("../no/such\nplace"))
        #expect(try fixture.attributes(link).kind == .symbolicLink)
        #expect(try fixture.attributes(link).size == 16)
        #expect(try fixture.attributes(link).permissions == 0o777)
        #expect(try !fixture.isQueued(link))
        #expect(throws: FileSystemError.tooManyLinks) { try fixture.open(link) }
        let file = try fixture.makeFile("f")
        #expect(throws: FileSystemError.invalidArgument) {
            try fixture.fs.readSymbolicLink(file).now()
        }
        let bytes: [UInt8] = [0x63, 0xE9, 0xFF]
        let odd = try fixture.fs.makeSymbolicLink(
            text("odd"), in: .root, target: bytes, caller: Fixture.user
        ).now().attributes
        #expect(odd.size == 3)
        #expect(try fixture.fs.readSymbolicLink(odd.inode).now() == bytes)
        #expect(throws: FileSystemError.noEntry) { try fixture.symlink("e", to: "") }
        #expect(throws: FileSystemError.nameTooLong) {
            try fixture.symlink("e", to: String(repeating: "x", count: 4096))
        }
        try fixture.unlink("l")
        #expect(try !fixture.exists("l"))
    }

    @Test(
        "a link that the server reports leads where it says",
        arguments: ["target", "/etc/shadow", "../../../outside", "/proc/self/root"])
    func remoteLink(target: String) throws {
        let fixture = try Fixture()
        var facts = fixture.content.add(text(target))
        facts.target = LinkTarget(target)
        let known = facts
        let link = try fixture.store.write {
            try $0.insertRemote(
                .symbolicLink, at: Place(parent: .root, name: name("l")), facts: known)
        }
        #expect(try fixture.fs.readSymbolicLink(link).now() == text(target))
        #expect(try fixture.attributes(link).kind == .symbolicLink)
    }

    // MARK: Removing

    @Test("unlink and rmdir check what they remove")
    func removeChecks() throws {
        let fixture = try Fixture()
        let folder = try fixture.mkdir("d")
        try fixture.makeFile("f", in: folder)
        #expect(throws: FileSystemError.isADirectory) { try fixture.unlink("d") }
        #expect(throws: FileSystemError.notADirectory) { try fixture.rmdir("f", in: folder) }
        #expect(throws: FileSystemError.notEmpty) { try fixture.rmdir("d") }
        #expect(throws: FileSystemError.noEntry) { try fixture.unlink("g") }
        #expect(throws: FileSystemError.noEntry) { try fixture.rmdir("D") }
        try fixture.unlink("f", in: folder)
        try fixture.rmdir("d")
        #expect(try fixture.names().isEmpty)
    }

    @Test("a file that the server never had is gone without a trace once it is forgotten")
    func unlinkNew() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("x"))
        try fixture.unlink("f")
        #expect(try !fixture.isQueued(file))
        #expect(try fixture.attributes(file).linkCount == 0)
        fixture.fs.forget(file, count: 1)
        #expect(try fixture.node(file) == nil)
        #expect(fixture.stagingFileCount == 0)
        #expect(throws: FileSystemError.noEntry) { try fixture.attributes(file) }
    }

    @Test("a file that only this machine has can be opened until it is forgotten")
    func openedWithoutName() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("old"))
        let other = try fixture.makeFile("g", text("other"))
        try fixture.makeFile("tmp", text("new"))
        // As by a program whose open follows a lookup from before the rename.
        try fixture.rename("tmp", to: "f")
        try fixture.unlink("g")
        #expect(try fixture.contents(file) == text("old"))
        #expect(try fixture.contents(other) == text("other"))
        #expect(try fixture.contents(fixture.lookup("f")) == text("new"))
        for inode in [file, other] {
            fixture.fs.forget(inode, count: 1)
            #expect(try fixture.node(inode) == nil)
        }
        #expect(fixture.stagingFileCount == 1)
    }

    @Test("a file that the server has is deleted there, after a while")
    func unlinkRemote() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("x"))
        #expect(try fixture.lookup("f") == file)
        try fixture.unlink("f")
        #expect(try fixture.node(file)?.isTombstone == true)
        #expect(try fixture.isQueued(file))
        fixture.fs.forget(file, count: 1)
        #expect(try fixture.node(file)?.isTombstone == true, "the server still has to be told")
        try fixture.makeFile("f", text("y"))
        #expect(try fixture.contents(fixture.lookup("f")) == text("y"))
    }

    @Test("an unlinked file goes on for those who have it open, and ends with the last of them")
    func unlinkOpen() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("hello"))
        let handle = try fixture.open(file)
        try fixture.unlink("f")
        #expect(try fixture.read(file, handle) == text("hello"))
        #expect(try fixture.write(file, handle, 5, text(" world")) == 6)
        #expect(try fixture.read(file, handle) == text("hello world"))
        #expect(try fixture.attributes(file).size == 11)
        try fixture.makeFile("f", text("other"))
        fixture.fs.forget(file, count: 1)
        #expect(try fixture.read(file, handle) == text("hello world"))
        try fixture.close(file, handle)
        #expect(try fixture.node(file) == nil)
        #expect(try !fixture.isQueued(file))
        #expect(fixture.stagingFileCount == 1)
        #expect(try fixture.contents(fixture.lookup("f")) == text("other"))
    }

    @Test("a clean file unlinked while open reads its revision, and may be written")
    func unlinkOpenRemote() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("hello"))
        _ = try fixture.lookup("f")
        let handle = try fixture.open(file)
        try fixture.unlink("f")
        try fixture.commit(file)
        #expect(try fixture.node(file)?.isOrphan == true)
        #expect(try fixture.read(file, handle) == text("hello"))
        #expect(try fixture.write(file, handle, 0, text("J")) == 1)
        #expect(try fixture.read(file, handle) == text("Jello"))
        #expect(try !fixture.isQueued(file), "nobody will ever see this content")
        try fixture.close(file, handle)
        #expect(try fixture.contents(file) == text("Jello"), "as by a descriptor in /proc")
        fixture.fs.forget(file, count: 1)
        #expect(try fixture.node(file) == nil)
        #expect(fixture.stagingFileCount == 0)
    }

    @Test("content of a tombstone goes when the last handle goes, the deletion stays queued")
    func tombstoneContent() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("hello"))
        _ = try fixture.lookup("f")
        let handle = try fixture.open(file)
        #expect(try fixture.write(file, handle, 0, text("J")) == 1)
        try fixture.unlink("f")
        try fixture.close(file, handle)
        #expect(try fixture.node(file)?.isTombstone == true)
        #expect(try fixture.node(file)?.staged == nil)
        #expect(fixture.stagingFileCount == 0)
        #expect(try fixture.isQueued(file))
    }

    @Test("a shared folder's mount point is not removed: that would leave the shared folder")
    func sharedFolder() throws {
        let fixture = try Fixture()
        try fixture.remoteFolder("team", sharedFolderID: "77")
        #expect(throws: FileSystemError.busy) { try fixture.rmdir("team") }
        let other = try fixture.remoteFolder("other", sharedFolderID: "78")
        #expect(throws: FileSystemError.notPermitted) {
            try fixture.rename("team", to: "team", into: other)
        }
        try fixture.rename("team", to: "crew")
    }

    // MARK: Lookup counts

    @Test("an inode is forgotten when as many lookups are taken back as were counted")
    func lookupCounts() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        _ = try fixture.lookup("f")
        _ = try fixture.lookup("f")
        try fixture.unlink("f")
        fixture.fs.forget(file, count: 2)
        #expect(try fixture.node(file) != nil)
        fixture.fs.forget(file, count: 1)
        #expect(try fixture.node(file) == nil)
        fixture.fs.forget(file, count: 5)
        #expect(try fixture.orphanCount() == 0)
    }

    @Test("forgetting a file that has a name changes nothing")
    func forgetNamed() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("x"))
        fixture.fs.forget(file, count: 1)
        #expect(try fixture.lookup("f") == file)
        #expect(try fixture.contents(file) == text("x"))
    }

    @Test("unlinked files that were open when the process died are gone after the next start")
    func restart() throws {
        let first = try Fixture()
        let file = try first.makeFile("gone", text("x"))
        let kept = try first.makeFile("kept", text("y"))
        _ = try first.open(file)
        try first.unlink("gone")
        let second = try first.remounted()
        #expect(try second.node(file) == nil)
        #expect(try second.names() == ["kept"])
        #expect(try second.contents(kept) == text("y"))
        #expect(second.stagingFileCount == 1)
    }

    // MARK: Rights

    @Test("a read-only mount refuses every change with EROFS")
    func readOnlyMount() throws {
        let fixture = try Fixture { $0.isReadOnly = true }
        let file = try fixture.remoteFile("f", text("x"))
        try fixture.remoteFolder("d")
        #expect(throws: FileSystemError.readOnly) { try fixture.mkdir("x") }
        #expect(throws: FileSystemError.readOnly) { try fixture.create("x", .writing) }
        #expect(throws: FileSystemError.readOnly) { try fixture.unlink("f") }
        #expect(throws: FileSystemError.readOnly) { try fixture.rmdir("d") }
        #expect(throws: FileSystemError.readOnly) { try fixture.rename("f", to: "g") }
        #expect(throws: FileSystemError.readOnly) { try fixture.open(file, .writing) }
        #expect(throws: FileSystemError.readOnly) {
            try fixture.setAttributes(file) { $0.permissions = 0 }
        }
        #expect(throws: FileSystemError.readOnly) {
            try fixture.fs.setExtendedAttribute("user.a", of: file, to: [], mode: .any).now()
        }
        #expect(throws: FileSystemError.readOnly) { try fixture.checkAccess([.write], to: file) }
        #expect(try fixture.contents(file) == text("x"))
    }

    @Test("a read-only folder shows it in its bits and refuses with EACCES")
    func readOnlyFolder() throws {
        let fixture = try Fixture()
        let folder = try fixture.remoteFolder("d", flags: .readOnly)
        let file = try fixture.remoteFile("f", in: folder, text("x"), flags: .readOnly)
        #expect(try fixture.attributes(folder).permissions == 0o555)
        #expect(try fixture.attributes(file).permissions == 0o444)
        #expect(throws: FileSystemError.accessDenied) { try fixture.mkdir("x", in: folder) }
        #expect(throws: FileSystemError.accessDenied) { try fixture.unlink("f", in: folder) }
        #expect(throws: FileSystemError.accessDenied) { try fixture.open(file, .both) }
        #expect(throws: FileSystemError.accessDenied) {
            try fixture.setAttributes(file) { $0.size = 0 }
        }
        #expect(throws: FileSystemError.accessDenied) {
            try fixture.rename("f", in: folder, to: "f")
        }
        try fixture.makeFile("out")
        #expect(throws: FileSystemError.accessDenied) {
            try fixture.rename("out", to: "in", into: folder)
        }
        for inode in [folder, file] {
            try fixture.checkAccess([.read], to: inode)
            #expect(throws: FileSystemError.accessDenied) {
                try fixture.checkAccess([.read, .write], to: inode)
            }
        }
        #expect(try fixture.contents(file) == text("x"))
    }

    @Test("an unsent file can leave a folder that has become read-only, and be removed")
    func unsentInReadOnlyFolder() throws {
        let fixture = try Fixture()
        let folder = try fixture.remoteFolder("d")
        try fixture.makeFile("a", in: folder)
        try fixture.makeFile("b", in: folder)
        try fixture.store.write { try $0.setFlags(.readOnly, true, of: folder) }
        #expect(throws: FileSystemError.accessDenied) {
            try fixture.rename("a", in: folder, to: "c", into: folder)
        }
        try fixture.rename("a", in: folder, to: "a")
        try fixture.unlink("b", in: folder)
        #expect(throws: FileSystemError.accessDenied) { try fixture.mkdir("x", in: folder) }
    }

    @Test("folders without rights can be passed through, or not even that")
    func noAccess() throws {
        let fixture = try Fixture()
        let passage = try fixture.remoteFolder("p", flags: .traverseOnly)
        let closed = try fixture.remoteFolder("c", flags: .noAccess)
        #expect(try fixture.attributes(passage).permissions == 0o111)
        #expect(try fixture.attributes(closed).permissions == 0)
        #expect(throws: FileSystemError.accessDenied) {
            try fixture.fs.openDirectory(closed).now()
        }
        #expect(throws: FileSystemError.accessDenied) { try fixture.readEntries(of: closed) }
        #expect(throws: FileSystemError.accessDenied) { try fixture.mkdir("x", in: passage) }
        try fixture.checkAccess([.read, .execute], to: passage)
        #expect(throws: FileSystemError.accessDenied) {
            try fixture.checkAccess([.write], to: passage)
        }
        #expect(throws: FileSystemError.accessDenied) {
            try fixture.checkAccess([.read], to: closed)
        }
    }

    @Test("access(2) says what open(2) and execve(2) would, of a file that can be changed")
    func access() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        try fixture.setAttributes(file) { $0.permissions = 0o444 }
        try fixture.checkAccess([.read, .write], to: file)
        #expect(throws: FileSystemError.accessDenied) {
            try fixture.checkAccess([.execute], to: file)
        }
        try fixture.setAttributes(file) { $0.permissions = 0o544 }
        try fixture.checkAccess([.execute], to: file)
    }
}
