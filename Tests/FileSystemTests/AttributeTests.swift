// Attributes, extended attributes, space, and how long the kernel may keep answers.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Sync
import Testing

@testable import FileSystem
@testable import Tree

struct AttributeTests {
    @Test("attributes that no call has set follow the mount's options and the server's facts")
    func defaults() throws {
        let fixture = try Fixture {
            $0.fileMask = 0o137
            $0.folderMask = 0o077
        }
        let file = try fixture.attributes(try fixture.remoteFile("f", text("abc")))
        #expect(file.permissions == 0o640)
        #expect(file.userID == 1000)
        #expect(file.groupID == 1000)
        #expect(file.size == 3)
        #expect(file.modificationTime == WallTime(seconds: 1_600_000_000))
        #expect(file.changeTime == WallTime(seconds: 1_600_000_100))
        let folder = try fixture.attributes(try fixture.remoteFolder("d"))
        #expect(folder.permissions == 0o700)
        #expect(folder.modificationTime == fixture.fs.entries.folderTime)
        #expect(folder.size == 0)
        #expect(try fixture.attributes(.root).linkCount == 1)
    }

    @Test("chmod, chown and utimens are kept, and are not sent")
    func change() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("abc"))
        let time = WallTime(seconds: -5, nanoseconds: 123_456_789)
        let after = try fixture.setAttributes(file) { changes in
            changes.permissions = 0o4711
            changes.userID = 5
            changes.groupID = 6
            changes.accessTime = .time(WallTime(seconds: 9))
            changes.modificationTime = .time(time)
        }
        #expect(after.permissions == 0o4711)
        #expect(after.userID == 5)
        #expect(after.groupID == 6)
        #expect(after.accessTime == WallTime(seconds: 9))
        #expect(after.modificationTime == time)
        #expect(after.changeTime > WallTime(seconds: 1_600_000_100))
        #expect(try fixture.attributes(file) == after)
        #expect(try !fixture.isQueued(file))
        #expect(try fixture.node(file)?.staged == nil)
        let now = try fixture.setAttributes(file) { $0.modificationTime = .now }
        #expect(now.modificationTime == now.changeTime)
        #expect(now.accessTime == WallTime(seconds: 9))
        #expect(throws: FileSystemError.noEntry) {
            try fixture.setAttributes(InodeID(999)) { $0.permissions = 0 }
        }
    }

    @Test("sizes of open files that are written to are current, and their times move")
    func unsaved() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("abc"))
        let handle = try fixture.open(file)
        #expect(try fixture.write(file, handle, 3, text("def")) == 3)
        let written = try fixture.attributes(file)
        #expect(written.size == 6)
        #expect(written.modificationTime > WallTime(seconds: 1_600_000_000))
        #expect(written.changeTime >= written.modificationTime)
        try fixture.close(file, handle)
        #expect(try fixture.attributes(file).modificationTime == written.modificationTime)
        #expect(try fixture.attributes(file).size == 6)
        try fixture.commit(file)
        #expect(
            try fixture.attributes(file) == written,
            "an upload changes nothing that git would see")
    }

    @Test("a time that is set on an open, written file stays, through flush and close")
    func timesOfOpenFile() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        let handle = try fixture.open(file)
        #expect(try fixture.write(file, handle, 0, text("x")) == 1)
        let time = WallTime(seconds: 1000)
        try fixture.setAttributes(file) { $0.modificationTime = .time(time) }
        #expect(try fixture.attributes(file).modificationTime == time)
        try fixture.close(file, handle)
        #expect(try fixture.attributes(file).modificationTime == time)
        let again = try fixture.open(file)
        #expect(try fixture.write(file, again, 0, text("y")) == 1)
        try fixture.setAttributes(file) { $0.permissions = 0o600 }
        #expect(try fixture.attributes(file).modificationTime > time)
    }

    @Test("setting the size cuts, extends with zeros, and leaves an equal size alone")
    func size() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("hello"))
        #expect(try fixture.setAttributes(file) { $0.size = 5 }.size == 5)
        #expect(try fixture.node(file)?.staged == nil, "no upload of what is there")
        #expect(try fixture.setAttributes(file) { $0.size = 2 }.size == 2)
        #expect(try fixture.setAttributes(file) { $0.size = 4 }.size == 4)
        #expect(try fixture.contents(file) == text("he\0\0"))
        #expect(try fixture.isQueued(file))
        #expect(throws: FileSystemError.invalidArgument) {
            try fixture.setAttributes(file) { $0.size = -1 }
        }
        let folder = try fixture.mkdir("d")
        #expect(throws: FileSystemError.isADirectory) {
            try fixture.setAttributes(folder) { $0.size = 0 }
        }
        #expect(!fixture.openFiles.isOpen(file))
        #expect(!fixture.openFiles.isOpen(folder))
    }

    // MARK: Extended attributes

    @Test("users' attributes are kept, listed and removed")
    func userAttributes() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        func get(_ name: String) throws -> [UInt8] {
            try fixture.fs.extendedAttribute(name, of: file).now()
        }
        func set(
            _ name: String, _ value: [UInt8], _ mode: AttributeWriteMode = .any
        ) throws {
            try fixture.fs.setExtendedAttribute(name, of: file, to: value, mode: mode).now()
        }
        #expect(throws: FileSystemError.noAttribute) { try get("user.a") }
        #expect(throws: FileSystemError.noAttribute) { try set("user.a", [1], .replace) }
        try set("user.a", [1], .create)
        #expect(throws: FileSystemError.exists) { try set("user.a", [2], .create) }
        try set("user.a", [], .replace)
        try set("user.b", [UInt8](repeating: 7, count: 65_536))
        #expect(try get("user.a").isEmpty)
        #expect(try get("user.b").count == 65_536)
        #expect(try fixture.fs.extendedAttributeNames(of: file).now() == ["user.a", "user.b"])
        try fixture.fs.removeExtendedAttribute("user.a", of: file).now()
        #expect(throws: FileSystemError.noAttribute) {
            try fixture.fs.removeExtendedAttribute("user.a", of: file).now()
        }
        #expect(throws: FileSystemError.noSpace) {
            try set("user.c", [UInt8](repeating: 7, count: 65_537))
        }
        #expect(throws: FileSystemError.bufferTooSmall) {
            try set("user." + String(repeating: "x", count: 251), [])
        }
        #expect(throws: FileSystemError.unsupported) { try set("user.", []) }
    }

    @Test("a file has no more attributes than the kernel can list")
    func attributeNames() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        func set(_ name: String, _ value: [UInt8] = []) throws {
            try fixture.fs.setExtendedAttribute(name, of: file, to: value, mode: .any).now()
        }
        // With the NUL, 256 bytes each.
        let names = (100..<356).map { "user.\($0)" + String(repeating: "x", count: 247) }
        for name in names { try set(name) }
        #expect(throws: FileSystemError.noSpace) { try set("user.a") }
        try set(names[0], [1, 2, 3])
        #expect(try fixture.fs.extendedAttributeNames(of: file).now() == names)
        try fixture.fs.removeExtendedAttribute(names[0], of: file).now()
        try set("user.a")
        #expect(throws: FileSystemError.noSpace) { try set(names[0]) }
    }

    @Test("the attribute that raises an inotify event keeps nothing and is nothing to send")
    func changeSignal() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        let name = DropboxFileSystem.changeSignalAttribute
        let before = try fixture.store.read { try ($0.node(file), $0.journalEntry(of: file)) }
        try fixture.fs.setExtendedAttribute(name, of: file, to: [], mode: .any).now()
        try fixture.fs.setExtendedAttribute(name, of: file, to: [1], mode: .create).now()
        try fixture.fs.setExtendedAttribute(name, of: .root, to: [], mode: .any).now()
        #expect(throws: FileSystemError.noAttribute) {
            try fixture.fs.extendedAttribute(name, of: file).now()
        }
        #expect(try fixture.fs.extendedAttributeNames(of: file).now().isEmpty)
        let after = try fixture.store.read { try ($0.node(file), $0.journalEntry(of: file)) }
        #expect(before == after)
        #expect(throws: FileSystemError.notPermitted) {
            try fixture.fs.removeExtendedAttribute(name, of: file).now()
        }
    }

    @Test(
        "other namespaces hold nothing and take nothing",
        arguments: ["security.capability", "system.posix_acl_access", "trusted.x", "x"])
    func otherNamespaces(_ name: String) throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        #expect(throws: FileSystemError.noAttribute) {
            try fixture.fs.extendedAttribute(name, of: file).now()
        }
        #expect(throws: FileSystemError.unsupported) {
            try fixture.fs.setExtendedAttribute(name, of: file, to: [], mode: .any).now()
        }
        #expect(throws: FileSystemError.unsupported) {
            try fixture.fs.removeExtendedAttribute(name, of: file).now()
        }
    }

    @Test("what Dropbox knows can be read, is not listed, and cannot be set")
    func toldAttributes() throws {
        let fixture = try Fixture()
        let folder = try fixture.remoteFolder("d", sharedFolderID: "99")
        let file = try fixture.remoteFile("f", in: folder, text("x"))
        func get(_ name: String, _ inode: InodeID) throws -> String {
            let value = try fixture.fs.extendedAttribute("user.dropbox." + name, of: inode).now()
            return String(decoding: value, as: UTF8.self)
        }
        #expect(try get("id", file) == "id:2")
        #expect(try get("rev", file) == "rev2")
        #expect(try get("content_hash", file) == fixture.node(file)?.facts.hash?.hex)
        #expect(try get("path", file) == "/d/f")
        #expect(try get("shared_folder_id", folder) == "99")
        for name in ["pending", "local", "shared_folder_id", "nonsense"] {
            #expect(throws: FileSystemError.noAttribute) { try get(name, file) }
        }
        try fixture.rename("f", in: folder, to: "g")
        #expect(try get("pending", file) == "1")
        #expect(try get("path", file) == "/d/f", "where the server has it")
        #expect(try fixture.fs.extendedAttributeNames(of: file).now().isEmpty)
        #expect(throws: FileSystemError.notPermitted) {
            try fixture.fs.setExtendedAttribute(
                "user.dropbox.rev", of: file, to: [], mode: .any
            ).now()
        }
    }

    // MARK: Space

    @Test("statfs shows the quota, and something large before it is known")
    func space() throws {
        let fixture = try Fixture()
        #expect(fixture.fs.spaceUsage().freeBytes == 1 << 40)
        fixture.sync.update { $0.space = RemoteSpace(used: 30, allocated: 100) }
        try fixture.makeFile("f")
        fixture.clock.advance(seconds: 61)
        #expect(
            fixture.fs.spaceUsage()
                == SpaceUsage(totalBytes: 100, freeBytes: 70, entryCount: 1))
        fixture.sync.update { $0.space = RemoteSpace(used: 130, allocated: 100) }
        #expect(
            fixture.fs.spaceUsage()
                == SpaceUsage(totalBytes: 130, freeBytes: 0, entryCount: 1))
        fixture.sync.update { $0.space = RemoteSpace(used: -1, allocated: -1) }
        #expect(fixture.fs.spaceUsage().totalBytes == 0)
    }

    // MARK: What the kernel may keep

    @Test("the kernel keeps for long only while changes are delivered")
    func timeouts() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        #expect(try fixture.entry("f")?.timeouts == Timeouts(entry: 3600, attributes: 3600))
        #expect(try fixture.fs.lookup(text("x"), in: .root).now() == .absent(timeout: 3600))
        let handle = try fixture.open(file)
        // The kernel forgets them at each write.
        #expect(try fixture.entry("f")?.timeouts == Timeouts(entry: 3600, attributes: 3600))
        try fixture.close(file, handle)
        fixture.sync.update { $0.isFeedHealthy = false }
        #expect(try fixture.entry("f")?.timeouts == Timeouts(entry: 1, attributes: 1))
        #expect(try fixture.fs.lookup(text("x"), in: .root).now() == .absent(timeout: 0))
    }

    @Test("of a file with writes that the kernel gathers, it keeps attributes for a moment only")
    func gatheredTimeouts() throws {
        let fixture = try Fixture { $0.gathersWrites = true }
        let file = try fixture.makeFile("f")
        let handle = try fixture.open(file)
        #expect(try fixture.entry("f")?.timeouts == Timeouts(entry: 3600, attributes: 1))
        try fixture.close(file, handle)
        #expect(try fixture.entry("f")?.timeouts == Timeouts(entry: 3600, attributes: 3600))
    }

    @Test("an answer that a change has overtaken is not kept")
    func overtaken() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        let moment = fixture.fs.entries.moment()
        let node = try #require(try fixture.node(file))
        fixture.invalidator.treeDidChange([.content(file)])
        let entries = fixture.fs.entries
        #expect(entries.entry(node, since: moment).timeouts == Timeouts(entry: 0, attributes: 0))
        #expect(entries.absenceTimeout(since: moment) == 0)
    }

    @Test("the kernel gets invalidations of names that it knows, and no others")
    func invalidations() throws {
        let fixture = try Fixture()
        let folder = try fixture.mkdir("d")
        let known = try fixture.makeFile("f", in: folder)
        let unknown = InodeID(999)
        fixture.invalidator.treeDidChange([
            .entry(parent: folder, name: name("a")),
            .entry(parent: unknown, name: name("a")),
            .deletedEntry(parent: .root, child: known, name: name("b")),
            .deletedEntry(parent: unknown, child: known, name: name("b")),
            .content(known), .content(unknown),
            .attributes(known), .attributes(unknown),
            .listing(folder), .listing(unknown),
        ])
        #expect(
            fixture.kernel.calls == [
                .entry("a", folder), .deleted("b", known, .root), .inode(known, content: true),
                .inode(known, content: false), .listing(folder),
            ])
        fixture.fs.forget(known, count: 1)
        fixture.invalidator.treeDidChange([.content(known)])
        #expect(fixture.kernel.calls.count == 5)
    }

    @Test(
        "a deleted file that comes back is the one that processes have open, a folder another one")
    func deletedAndBack() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        let folder = try fixture.mkdir("d")
        fixture.invalidator.treeDidChange([
            .deletedEntry(parent: .root, child: file, name: name("f")),
            .deletedEntry(parent: .root, child: folder, name: name("d")),
        ])
        func generation(_ name: String) throws -> UInt64 {
            guard case .found(let entry) = try fixture.fs.lookup(text(name), in: .root).now() else {
                throw FileSystemError.noEntry
            }
            return entry.generation
        }
        #expect(try generation("f") == 0)
        #expect(try generation("d") == 1)
        // No opener is sent back to look it up again.
        try fixture.close(file, fixture.open(file))
    }
}
