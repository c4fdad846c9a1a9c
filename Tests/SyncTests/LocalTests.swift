// Local-only nodes, and changes of other clients around them.

import ContentHashing
import Core
import MetadataStore
import RemoteStoreTesting
import Staging
import Testing

@testable import Sync

@Suite struct LocalTests {
    private func harness(folders: [String] = [], files: [String: String] = [:]) async throws
        -> Harness
    {
        let harness = try Harness(localName: "o")
        for folder in folders { try await harness.putFolder(folder) }
        for (path, text) in files { try await harness.put(path, text) }
        try await harness.settle()
        return harness
    }

    private func node(_ path: String, _ harness: Harness) async throws -> Node? {
        try await harness.store.read { snapshot in
            let place = try snapshot.place(path)
            return try snapshot.child(place.name, of: place.parent)
        }
    }

    @Test("nothing of it is sent, and nothing waits for it")
    func unsent() async throws {
        let harness = try await harness(folders: ["/d"])
        try await harness.write("/d/o", "mine")
        try await harness.makeFolder("/o")
        try await harness.write("/o/a", "mine, too")
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/d": nil])
        #expect(try await harness.localTexts() == ["mine", "mine, too"])
        await harness.stop()
    }

    @Test(
        "a folder that others delete stays with its local-only nodes, and goes back with an edit")
    func folderDeleted() async throws {
        let harness = try await harness(folders: ["/d", "/d/e"], files: ["/d/a": "1"])
        try await harness.write("/d/e/o", "mine")
        try await harness.remove("/d")
        try await harness.settle()
        #expect(try await harness.serverTree() == [:])
        #expect(try await harness.localTexts() == ["mine"])
        #expect(try await node("/d/e/o", harness) != nil)
        #expect(try await node("/d/a", harness) == nil)
        // Not by itself, after a restart neither.
        await harness.stop()
        try await harness.settle()
        #expect(try await harness.serverTree() == [:])
        try await harness.write("/d/e/b", "2")
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/d": nil, "/d/e": nil, "/d/e/b": "2"])
        #expect(try await harness.localTexts() == ["mine"])
        await harness.stop()
    }

    @Test("a folder that is gone from the server has none of its restrictions")
    func rights() async throws {
        let harness = try await harness(folders: ["/d"])
        try await harness.write("/d/o", "mine")
        let folder = try #require(try await node("/d", harness)).inode
        try await harness.store.write { transaction in
            try transaction.setFlags(.readOnly, true, of: folder)
        }
        try await harness.remove("/d")
        try await harness.settle()
        let kept = try #require(try await node("/d", harness))
        #expect(kept.flags.isDisjoint(with: .rights))
        #expect(kept.flags.contains(.keptForLocal))
        await harness.stop()
    }

    @Test(
        "when what kept a folder that others deleted is gone, it is a folder like others",
        arguments: [true, false])
    func folderReleased(byMove: Bool) async throws {
        let harness = try await harness(folders: ["/d", "/d/e"])
        try await harness.write("/d/e/o", "mine")
        try await harness.remove("/d")
        try await harness.settle()
        if byMove {
            try await harness.move("/d/e/o", to: "/o")
        } else {
            try await harness.delete("/d/e/o")
        }
        try await harness.checkInvariants()
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/d": nil, "/d/e": nil])
        #expect(try await harness.localTexts() == (byMove ? ["mine"] : []))
        await harness.stop()
    }

    @Test("renaming the node that kept a folder which others deleted sends both")
    func folderReleasedByName() async throws {
        let harness = try await harness(folders: ["/d", "/d/e"])
        try await harness.write("/d/e/o", "mine")
        try await harness.remove("/d")
        try await harness.settle()
        await harness.stop()
        try await harness.move("/d/e/o", to: "/d/e/a")
        try await harness.checkInvariants()
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/d": nil, "/d/e": nil, "/d/e/a": "mine"])
        await harness.stop()
    }

    @Test("a folder that others delete stays for an edit, as ever, with any other content")
    func folderDeletedEdit() async throws {
        let harness = try await harness(folders: ["/d"], files: ["/d/a": "1"])
        try await harness.write("/d/o", "mine")
        await harness.stop()
        try await harness.write("/d/a", "2")
        try await harness.remove("/d")
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/d": nil, "/d/a": "2"])
        #expect(try await harness.localTexts() == ["mine"])
        await harness.stop()
    }

    @Test("others make a folder of its name: it is one folder, and local-only nodes stay so")
    func sameFolder() async throws {
        let harness = try await harness()
        try await harness.makeFolder("/o")
        try await harness.write("/o/a", "mine")
        try await harness.putFolder("/o")
        try await harness.put("/o/b", "theirs")
        try await harness.settle()
        #expect(try await harness.tree() == ["/o": nil, "/o/b": "theirs"])
        #expect(try await harness.localTexts() == ["mine"])
        #expect(try await node("/o/a", harness)?.flags.contains(.localOnly) == true)
        await harness.stop()
    }

    @Test(
        "others make a file of its name: theirs has the name, and ours stands beside it, still only here"
    )
    func sameFile() async throws {
        let harness = try await harness()
        try await harness.write("/o", "mine")
        try await harness.put("/o", "theirs")
        try await harness.settle()
        #expect(try await harness.tree() == ["/o": "theirs"])
        #expect(try await harness.localTexts() == ["mine"])
        #expect(try await harness.serverTree() == ["/o": "theirs"])
        await harness.stop()
    }

    @Test("others make a file of its name with the same bytes: it is one file, and goes on there")
    func sameBytes() async throws {
        let harness = try await harness()
        let inode = try await harness.write("/o", "same")
        await harness.stop()
        // Its hash is known, as that of a file which was sent before it got this name.
        try await harness.store.write { [staging = harness.staging] transaction in
            let node = try #require(try transaction.node(inode))
            let file = try #require(try staging.file(of: node))
            file.noteHash(ContentHasher.hash(Array("same".utf8)), generation: file.generation)
            try file.persist(in: transaction)
        }
        try await harness.put("/o", "same")
        try await harness.settle()
        try await harness.checkInvariants()
        #expect(try await harness.tree() == ["/o": "same"])
        #expect(try await harness.localTexts() == [])
        try await harness.write("/o", "2")
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/o": "2"])
        await harness.stop()
    }

    @Test("a file of its name that the server has goes on there")
    func known() async throws {
        let harness = try await harness(files: ["/o": "1"])
        try await harness.write("/o", "2")
        try await harness.settle()
        #expect(try await harness.serverTree() == ["/o": "2"])
        #expect(try await harness.localTexts() == [])
        await harness.stop()
    }
}
