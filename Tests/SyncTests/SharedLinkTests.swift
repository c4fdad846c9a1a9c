// Symbolic links between machines: each is a file with a short text, which is the link as long as
// it has that text. What others do with the file, and what the account does not keep, loses
// nothing.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync
@testable import Tree

extension Harness {
    /// A user makes a symbolic link.
    @discardableResult
    func link(_ path: String, to target: String) async throws -> InodeID {
        history.note("user links \(path) \(target)")
        let target = try #require(LinkTarget(target))
        let inode = try await store.write { [posix, localName] transaction in
            let place = try transaction.place(path)
            let staysHere =
                try posix.keepsHere(.symbolicLink, target: target)
                || transaction.isLocal(place, named: localName)
            let inode = try transaction.insert(
                .symbolicLink, at: place, local: LocalFacts(modified: .now()),
                flags: staysHere ? .localOnly : [])
            try transaction.setTarget(target, of: inode)
            return inode
        }
        noteChange()
        return inode
    }

    /// The target of the link that users see at a path; nil for anything else.
    func target(_ path: String) async throws -> String? {
        let node = try await node(path)
        return node.kind == .symbolicLink ? node.facts.target?.text : nil
    }

    /// A second machine of the account.
    func machine() throws -> Harness { try Harness(server: server, posix: posix) }

    /// The target that the server keeps with the file at a path.
    func keptLink(_ path: String) -> String? { server.facts(at: path)?.link?.text }
}

@Suite struct SharedLinkTests {
    /// The text of a link for others.
    private func text(_ target: String) throws -> String {
        String(decoding: try #require(LinkTarget(target)).content, as: UTF8.self)
    }

    @Test("a link is the same link on another machine, and a text for all others")
    func between() async throws {
        let harness = try Harness.sharing()
        let inode = try await harness.link("/l", to: "../lib/a b")
        try await harness.settleFully()
        #expect(try await harness.serverTree() == ["/l": try text("../lib/a b")])
        #expect(harness.keptLink("/l") == "../lib/a b")
        #expect(harness.calls(.setFacts) == 0)
        #expect(try await harness.node("/l").inode == inode)
        #expect(try await harness.localLinks().isEmpty)
        let other = try harness.machine()
        try await other.settleFully()
        #expect(try await other.target("/l") == "../lib/a b")
        // With its time, to the nanosecond.
        #expect(try await other.node("/l").modified == harness.node("/l").modified)
        for mount in [harness, other] {
            try await mount.checkInvariants()
            await mount.stop()
        }
    }

    @Test("links go with small files, in the same requests")
    func batch() async throws {
        func uploads(files: Int, links: Int) async throws -> [RemoteOperation] {
            let harness = try Harness.sharing()
            for number in 0..<files { try await harness.write("/f\(number)", "text \(number)") }
            for number in 0..<links { try await harness.link("/l\(number)", to: "f\(number)") }
            try await harness.settleFully()
            for number in 0..<links { #expect(harness.keptLink("/l\(number)") == "f\(number)") }
            await harness.stop()
            let changes = harness.faulty.calls.map(\.operation).filter(\.isChange)
            return changes.filter { $0 != .startUpload }
        }
        #expect(try await uploads(files: 10, links: 5) == uploads(files: 15, links: 0))
    }

    @Test("a client that edits the text has a file, and one that puts it back has the link")
    func edited() async throws {
        let harness = try Harness.sharing()
        let inode = try await harness.link("/l", to: "t")
        try await harness.settleFully()
        try await harness.put("/l", "edited")
        try await harness.settleFully()
        #expect(try await harness.node("/l").kind == .file)
        // The kernel knows the inode as a link.
        #expect(try await harness.node("/l").inode != inode)
        try await harness.put("/l", text("t"))
        try await harness.settleFully()
        #expect(try await harness.target("/l") == "t")
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("content that users here write in place of the edited text is a file for all")
    func written() async throws {
        let harness = try Harness.sharing()
        try await harness.link("/l", to: "t")
        try await harness.settleFully()
        try await harness.put("/l", "edited")
        try await harness.settleFully()
        try await harness.write("/l", text("t"))
        try await harness.settleFully()
        #expect(harness.keptLink("/l") == nil)
        #expect(try await harness.node("/l").kind == .file)
        let other = try harness.machine()
        try await other.settleFully()
        #expect(try await other.node("/l").kind == .file)
        await other.stop()
        await harness.stop()
    }

    @Test("moved by others it is the link, and a copy of it is a text")
    func moved() async throws {
        let harness = try Harness.sharing()
        let inode = try await harness.link("/l", to: "t")
        try await harness.settleFully()
        try await harness.relocate("/l", to: "/m")
        try await harness.put("/copy", text("t"))
        try await harness.settleFully()
        #expect(try await harness.target("/m") == "t")
        #expect(try await harness.node("/m").inode == inode)
        #expect(try await harness.node("/copy").kind == .file)
        // Moved by users here, too.
        try await harness.move("/m", to: "/n")
        try await harness.settleFully()
        #expect(try await harness.target("/n") == "t")
        #expect(try await harness.serverTree() == ["/n": try text("t"), "/copy": try text("t")])
        try await harness.remove("/n")
        try await harness.settleFully()
        #expect(try await harness.inode("/n") == nil)
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("facts that the account loses leave the link here, and come back when it changes")
    func lostFacts() async throws {
        let harness = try Harness.sharing()
        let inode = try await harness.link("/l", to: "t")
        try await harness.settleFully()
        harness.server.removeFacts()
        harness.server.resetCursors()
        try await harness.put("/news", "1")
        try await harness.settleFully()
        #expect(try await harness.target("/l") == "t")
        #expect(try await harness.node("/l").inode == inode)
        #expect(harness.calls(.setFacts) == 0)
        let other = try harness.machine()
        try await other.settleFully()
        #expect(try await other.node("/l").kind == .file)
        await other.stop()
        try await harness.move("/l", to: "/m")
        try await harness.settleFully()
        #expect(harness.keptLink("/m") == "t")
        try await other.settleFully()
        #expect(try await other.target("/m") == "t")
        for mount in [harness, other] {
            try await mount.checkInvariants()
            await mount.stop()
        }
    }

    @Test("an account that keeps no facts has no text, and the link works here")
    func refused() async throws {
        let harness = try Harness(
            server: InMemoryStore(keepsFacts: false), posix: PosixRules(isShared: true))
        let inode = try await harness.link("/l", to: "t")
        for number in 0..<6 { try await harness.write("/f\(number)", "\(number)") }
        try await harness.settleFully()
        #expect(try await harness.node("/l").inode == inode)
        #expect(try await harness.localLinks() == ["/l -> t"])
        #expect(try await harness.serverTree().count == 6)
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("a link that an earlier mount was to send stays here where facts do")
    func notShared() async throws {
        let harness = try Harness(server: InMemoryStore(keepsFacts: true), posix: .local)
        let inode = try await harness.link("/l", to: "t")
        try await harness.store.write { try $0.makeSynced(inode) }
        try await harness.settleFully()
        #expect(try await harness.localLinks() == ["/l -> t"])
        #expect(try await harness.serverTree() == [:])
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("a target that is too long for a fact stays here")
    func long() async throws {
        let harness = try Harness.sharing()
        try await harness.link("/short", to: String(repeating: "/", count: 1000))
        try await harness.link("/long", to: String(repeating: "é", count: 400))
        try await harness.settleFully()
        #expect(harness.keptLink("/short") == String(repeating: "/", count: 1000))
        #expect(try await harness.serverTree().count == 1)
        #expect(try await harness.localLinks().count == 1)
        await harness.stop()
    }

    @Test("of two machines' links of one name, equal ones are one, and of others ours steps aside")
    func bothMade() async throws {
        let harness = try Harness.sharing()
        let other = try harness.machine()
        try await harness.link("/same", to: "t")
        try await harness.link("/l", to: "theirs")
        try await harness.settleFully()
        try await other.link("/same", to: "t")
        try await other.link("/l", to: "ours")
        try await other.settleFully()
        try await harness.settleFully()
        #expect(try await other.node("/same").modified == harness.node("/same").modified)
        for mount in [harness, other] {
            #expect(try await mount.target("/same") == "t")
            #expect(try await mount.target("/l") == "theirs")
            let copy = try await mount.tree().keys.filter { $0.contains("conflicted copy") }
            #expect(copy.count == 1)
            #expect(try await mount.target(try #require(copy.first)) == "ours")
            #expect(try await mount.tree().count == 3)
            try await mount.checkInvariants()
            await mount.stop()
        }
    }

    @Test("moved here and deleted there, it is sent as a new link")
    func movedAndDeleted() async throws {
        let harness = try Harness.sharing()
        try await harness.link("/l", to: "t")
        try await harness.settleFully()
        await harness.stop()
        try await harness.move("/l", to: "/m")
        try await harness.remove("/l")
        try await harness.settleFully()
        #expect(try await harness.target("/m") == "t")
        #expect(harness.keptLink("/m") == "t")
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("moved or deleted here and edited there, the edit is seen")
    func changedAndEdited() async throws {
        let harness = try Harness.sharing()
        for name in ["/moved", "/gone"] { try await harness.link(name, to: "t") }
        try await harness.settleFully()
        await harness.stop()
        try await harness.move("/moved", to: "/m")
        try await harness.delete("/gone")
        try await harness.put("/moved", "edit 1")
        try await harness.put("/gone", "edit 2")
        try await harness.settleFully()
        #expect(
            try await harness.tree() == [
                "/moved": "edit 1", "/gone": "edit 2", "/m": try text("t"),
            ])
        #expect(try await harness.target("/m") == "t")
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("deleted here and led elsewhere there, it has the server's time again")
    func deletedAndLed() async throws {
        let harness = try Harness.sharing()
        try await harness.link("/l", to: "t")
        try await harness.settleFully()
        await harness.stop()
        try await harness.change("/l") { $0.modified = WallTime(seconds: 1) }
        try await harness.delete("/l")
        try await harness.put("/l", text("u"))
        try harness.server.otherClient.setFacts("/l", PosixFacts(link: LinkTarget("u")))
        try await harness.settleFully()
        #expect(try await harness.target("/l") == "u")
        let node = try await harness.node("/l")
        #expect(node.modified == node.facts.clientModified)
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("a file in a link's place and a link in a file's are new ones", arguments: [true, false])
    func replaced(isSent: Bool) async throws {
        let harness = try Harness.sharing()
        try await harness.link("/a", to: "t")
        try await harness.write("/b", "file")
        if isSent { try await harness.settleFully() }
        try await harness.delete("/a")
        try await harness.write("/a", "now a file")
        try await harness.delete("/b")
        try await harness.link("/b", to: "a")
        try await harness.settleFully()
        #expect(try await harness.serverTree() == ["/a": "now a file", "/b": try text("a")])
        #expect(try await harness.target("/b") == "a")
        #expect(harness.keptLink("/a") == nil)
        // And back.
        try await harness.delete("/a")
        try await harness.link("/a", to: "b")
        try await harness.settleFully()
        #expect(try await harness.target("/a") == "b")
        #expect(harness.keptLink("/a") == "b")
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("a lost response makes no second link, also if users have removed or replaced it since")
    func lostReply() async throws {
        let harness = try Harness.sharing()
        harness.faulty.inject(.failAfter(.offline("test")), times: 3) { $0.operation == .upload }
        for name in ["/kept", "/gone", "/file"] { try await harness.link(name, to: "t") }
        try await harness.start()
        try await harness.waitForCall(.upload)
        try await harness.delete("/gone")
        try await harness.delete("/file")
        try await harness.write("/file", "text")
        try await harness.settleFully()
        #expect(try await harness.serverTree() == ["/kept": try text("t"), "/file": "text"])
        #expect(try await harness.target("/kept") == "t")
        #expect(try await harness.node("/file").kind == .file)
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("content that was stored without its facts is the link here, whose facts follow")
    func storedWithout() async throws {
        let harness = try Harness.sharing()
        let inode = try await harness.link("/l", to: "t")
        try await harness.settleFully()
        await harness.stop()
        // As if the server had refused them: the answer has none.
        harness.server.removeFacts()
        try await harness.store.write { transaction in
            try transaction.setToldFacts(nil, of: inode)
            try transaction.settleFacts(of: inode, by: PosixRules(isShared: true))
        }
        try await harness.settleFully()
        #expect(harness.keptLink("/l") == "t")
        #expect(harness.calls(.setFacts) == 1)
        #expect(try await harness.target("/l") == "t")
        await harness.stop()
    }

    @Test("modes and attributes that a stranger gives a link are none of it")
    func strangers() async throws {
        let harness = try Harness.sharing()
        try await harness.link("/l", to: "t")
        try await harness.settleFully()
        try harness.server.otherClient.setFacts(
            "/l",
            PosixFacts(permissions: 0, attributes: ["origin": [1]], link: LinkTarget("t")))
        try await harness.settleFully()
        #expect(try await harness.node("/l").local.permissions == nil)
        #expect(try await harness.attributes("/l") == [:])
        // A target that does not belong to the content makes it a file.
        try harness.server.otherClient.setFacts("/l", PosixFacts(link: LinkTarget("/etc/shadow")))
        harness.server.resetCursors()
        try await harness.put("/news", "1")
        try await harness.settleFully()
        #expect(try await harness.target("/l") == "t")
        await harness.stop()
    }
}
