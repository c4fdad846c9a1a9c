// Symbolic links of a mount that shares facts: queued like files, unless their names or targets
// keep them on this machine; renamed, replaced and removed like them.

import Core
import MetadataStore
import Tree
import Testing

@testable import FileSystem

struct SharedLinkTests {
    private func fixture() throws -> Fixture {
        var rules = IgnoreRules()
        try rules.append(parsing: "*.o\nbuild/")
        return try Fixture { options in
            options.sharesPosix = true
            options.ignored = rules
        }
    }

    private func isLocal(_ inode: InodeID, _ fixture: Fixture) throws -> Bool {
        let isLocal = try #require(try fixture.node(inode)).flags.contains(.localOnly)
        #expect(try fixture.isQueued(inode) == !isLocal)
        return isLocal
    }

    @Test("a link is queued, unless its name or its target keeps it here")
    func queued() throws {
        let fixture = try fixture()
        let link = try fixture.symlink("l", to: "../x")
        #expect(try !isLocal(link, fixture))
        #expect(try fixture.attributes(link).permissions == 0o777)
        #expect(try fixture.attributes(link).size == 4)
        #expect(throws: FileSystemError.exists) { try fixture.symlink("l", to: "y") }
        #expect(try isLocal(fixture.symlink("l.o", to: "x"), fixture))
        let long = String(repeating: "é", count: 1000)
        #expect(try isLocal(fixture.symlink("long", to: long), fixture))
        let folder = try fixture.mkdir("build")
        #expect(try isLocal(fixture.symlink("inner", to: "x", in: folder), fixture))
        // A socket never is.
        let socket = try fixture.fs.makeNode(
            .socket, text("s"), in: .root, permissions: 0o700, caller: Fixture.user
        ).now().attributes.inode
        #expect(try isLocal(socket, fixture))
    }

    @Test("renamed between names that match and names that do not, a link stays here or is sent")
    func renamed() throws {
        let fixture = try fixture()
        let link = try fixture.symlink("l", to: "x")
        try fixture.rename("l", to: "l.o")
        #expect(try isLocal(link, fixture))
        try fixture.rename("l.o", to: "m")
        #expect(try !isLocal(link, fixture))
        // One that the server has is deleted there.
        let target = try #require(LinkTarget("x"))
        let known = RemoteFacts(
            id: FileID("id:l"), revision: Revision("r"), size: 5, hash: target.contentHash,
            target: target)
        let sent = try fixture.store.write {
            try $0.insertRemote(
                .symbolicLink, at: Place(parent: .root, name: name("sent")), facts: known)
        }
        try fixture.rename("sent", to: "sent.o")
        #expect(try isLocal(sent, fixture))
        #expect(try fixture.fs.readSymbolicLink(sent).now() == text("x"))
        let tombstone = try #require(try fixture.journal().first { $0.isTombstone })
        #expect(tombstone.facts.id == FileID("id:l"))
        #expect(tombstone.kind == .symbolicLink)
        try fixture.rename("sent.o", to: "back")
        #expect(try !isLocal(sent, fixture))
        #expect(try fixture.fs.readSymbolicLink(sent).now() == text("x"))
        let folder = try fixture.mkdir("build")
        let inner = try fixture.symlink("inner", to: "x", in: folder)
        try fixture.rename("build", to: "built")
        #expect(try !isLocal(inner, fixture))
    }

    @Test("a link over a file, and a file over a link, are what they were before")
    func replaced() throws {
        let fixture = try fixture()
        let file = try fixture.remoteFile("f", text("abc"))
        let link = try fixture.symlink("l", to: "x")
        try fixture.rename("l", to: "f")
        #expect(try fixture.lookup("f") == link)
        #expect(try fixture.attributes(link).kind == .symbolicLink)
        // The file is deleted: its history is not the link's.
        #expect(try #require(try fixture.node(file)).isTombstone)
        #expect(try #require(try fixture.node(link)).remote == .absent)
        let other = try fixture.makeFile("g", text("new"))
        try fixture.rename("g", to: "f")
        #expect(try fixture.lookup("f") == other)
        #expect(try fixture.contents(other) == text("new"))
    }

    @Test("links of mounts that did not send them are sent by the next one that does")
    func adopted() throws {
        let first = try Fixture()
        let link = try first.symlink("l", to: "x")
        #expect(try isLocal(link, first))
        let second = try first.remounted { $0.sharesPosix = true }
        #expect(try !isLocal(link, second))
        #expect(try second.fs.readSymbolicLink(link).now() == text("x"))
        // One that the account did not keep is tried again by the next mount.
        try second.store.write { transaction in
            try transaction.makeLocalOnly(link)
            try transaction.setSetting(StoredSetting.links, to: nil)
        }
        #expect(try !isLocal(link, second.remounted()))
    }
    @Test(
        "texts that the server told to be links, as an earlier version had them, are links at the next mount"
    )
    func upgraded() throws {
        let first = try Fixture()
        let target = try #require(LinkTarget("x"))
        let known = RemoteFacts(
            id: FileID("id:l"), revision: Revision("r"), size: 5, hash: target.contentHash)
        let (text, edited, kept) = try first.store.write { transaction in
            let text = try transaction.insertRemote(
                .file, at: Place(parent: .root, name: name("l")), facts: known)
            var other = known
            other.id = FileID("id:m")
            other.hash = nil
            let edited = try transaction.insertRemote(
                .file, at: Place(parent: .root, name: name("m")), facts: other)
            for inode in [text, edited] {
                try transaction.setToldFacts(PosixFacts(link: target), of: inode)
            }
            return (
                text, edited,
                try transaction.insertNode(
                    .file, at: Place(parent: .root, name: name("kept")), local: LocalFacts(),
                    flags: .localOnly
                ).inode
            )
        }
        let second = try first.remounted { $0.sharesPosix = true }
        #expect(try second.node(text)?.kind == .symbolicLink)
        #expect(try second.fs.readSymbolicLink(text).now() == self.bytes("x"))
        #expect(try second.node(edited)?.kind == .file)
        // The patterns have not changed.
        #expect(try isLocal(kept, second))
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}
