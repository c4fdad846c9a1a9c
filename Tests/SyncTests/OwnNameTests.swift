// Nodes that users see under names which the server cannot have: the steps that are sent for them,
// changes of their aliases by others, and when a name goes back to normal.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct OwnNameTests {
    private func tree(_ harness: Harness) async throws -> [String: String?] {
        try await harness.settle()
        try await harness.checkInvariants()
        return try await harness.serverTree()
    }

    @Test(
        "each name is stored under its alias, once, also after a lost response and a restart")
    func stored() async throws {
        let harness = try Harness()
        harness.faulty.inject(.failAfter(.offline("test")), times: 2) { $0.operation == .upload }
        try await harness.make("readme", "1")
        try await harness.make("README", "2")
        try await harness.make("a\\b", "3")
        let wanted = ["/readme": "1", "/README (Case Conflict)": "2", "/a_b": "3"]
        #expect(try await tree(harness) == wanted)
        await harness.stop()
        #expect(try await tree(harness) == wanted)
        #expect(
            try await harness.names() == [
                "readme": "readme", "README": "README (Case Conflict)", "a\\b": "a_b",
            ])
        await harness.stop()
    }

    @Test(
        "others take the alias of a node before it is sent: it gets another one, and keeps its name"
    )
    func aliasTaken() async throws {
        let harness = try Harness()
        try await harness.make("readme", "1")
        try await harness.make("README", "2")
        try await harness.put("/README (Case Conflict)", "theirs")
        #expect(
            try await tree(harness) == [
                "/readme": "1", "/README (Case Conflict)": "theirs",
                "/README (Case Conflict 2)": "2",
            ])
        #expect(
            try await harness.names() == [
                "readme": "readme", "README": "README (Case Conflict 2)",
                "README (Case Conflict)": "README (Case Conflict)",
            ])
        #expect(harness.engine?.status.conflicts == 0)
        await harness.stop()
    }

    @Test(
        "where names are refused, one that others give in another case makes ours a conflicted copy"
    )
    func nameTakenWhereRefused() async throws {
        let harness = try Harness(refusesNames: true)
        try await harness.make("readme", "ours")
        try await harness.put("/README", "theirs")
        let tree = try await tree(harness)
        #expect(tree["/README"] == "theirs" && tree.count == 2)
        #expect(
            tree.contains {
                $0.key.hasPrefix("/readme (here's conflicted copy") && $0.value == "ours"
            })
        #expect(harness.engine?.status.conflicts == 1)
        await harness.stop()
    }

    @Test("others give a name that differs in case only from one that is not sent yet: both stay")
    func nameTaken() async throws {
        let harness = try Harness()
        try await harness.make("readme", "ours")
        try await harness.put("/README", "theirs")
        #expect(
            try await tree(harness) == ["/README": "theirs", "/readme (Case Conflict)": "ours"])
        #expect(
            try await harness.names() == [
                "README": "README", "readme": "readme (Case Conflict)",
            ])
        await harness.stop()
    }

    @Test(
        "others move a node with an own name: in another folder it gets that there, too, and it goes with a new name"
    )
    func moved() async throws {
        let harness = try Harness()
        try await harness.makeFolder("/d")
        try await harness.make("readme", "1")
        let inode = try await harness.make("README", "2")
        _ = try await tree(harness)
        try await harness.relocate("/README (Case Conflict)", to: "/d/README (Case Conflict)")
        let wanted = ["/d": nil, "/readme": "1", "/d/README": "2"]
        try await waitWhile { try await harness.tree() != wanted }
        #expect(try await tree(harness) == wanted)
        var place = try await harness.store.read { try $0.node(inode)?.place }
        #expect(try place?.name == FileName("README"))
        #expect(place?.name.own == nil)
        try await harness.relocate("/d/README", to: "/d/new")
        _ = try await tree(harness)
        place = try await harness.store.read { try $0.node(inode)?.place }
        #expect(place?.name == (try FileName("new")))
        await harness.stop()
    }

    @Test(
        "the sibling is gone on both sides: the name goes back to normal", arguments: [true, false])
    func freed(_ isByOthers: Bool) async throws {
        let harness = try Harness()
        try await harness.make("readme", "1")
        let inode = try await harness.make("README", "2")
        _ = try await tree(harness)
        let id = try await harness.server.entry(at: RemotePath(rawValue: "/README (Case Conflict)"))
        if isByOthers {
            try await harness.remove("/readme")
        } else {
            try await harness.delete("/readme")
            harness.noteChange()
        }
        try await waitWhile { try await harness.tree() != ["/README": "2"] }
        #expect(try await tree(harness) == ["/README": "2"])
        #expect(try await harness.store.read { try $0.node(inode)?.place?.name.own } == nil)
        let now = try await harness.server.entry(at: RemotePath(rawValue: "/README"))
        guard case .file(let before) = id?.kind, case .file(let after) = now?.kind else {
            throw Refused()
        }
        #expect(before.id == after.id)
        await harness.stop()
    }

    @Test(
        "what others delete while its alias goes back to the own name is gone, unless users move it",
        arguments: [false, true])
    func deletedOnTheWayBack(isMoved: Bool) async throws {
        let harness = try Harness()
        try await harness.make("readme", "1")
        let inode = try await harness.make("README", "2")
        try await harness.settleFully()
        await harness.stop()
        try await harness.apply([.deleted("/readme")])
        #expect(try await harness.names() == ["README": "README"])
        if isMoved {
            try await harness.store.write { transaction in
                try transaction.move(inode, to: Place(parent: .root, name: FileName("mine")))
            }
        }
        try await harness.apply([.deleted("/README (Case Conflict)")])
        #expect(try await harness.names() == (isMoved ? ["mine": "mine"] : [:]))
        let queued = try await harness.store.read { try $0.journalEntries(limit: 9).count }
        #expect(queued == (isMoved ? 1 : 0))
    }

    @Test("a name that goes back to normal undoes no move by a user of another machine")
    func movedOnTheWayBack() async throws {
        let harness = try Harness()
        try await harness.makeFolder("/d")
        try await harness.make("readme", "1")
        try await harness.make("README", "2")
        try await harness.settleFully()
        await harness.stop()
        try await harness.remove("/readme")
        try await harness.apply([.deleted("/readme")])
        #expect(try await harness.names()["README"] == "README")
        try await harness.relocate("/README (Case Conflict)", to: "/d/README (Case Conflict)")
        try await harness.drainBeforeDeltas()
        #expect(try await tree(harness) == ["/d": nil, "/d/README": "2"])
        await harness.stop()
    }

    @Test("a caller that waits for a node leaves its return to the own name to others who freed it")
    func drainedOnTheWayBack() async throws {
        // By a fast one, the name would be given back within the test.
        let harness = try Harness(clock: SystemClock())
        try await harness.make("readme", "1")
        let inode = try await harness.make("README", "2")
        try await harness.settleFully()
        try await harness.remove("/readme")
        func entry() async throws -> JournalEntry? {
            try await harness.store.read { try $0.journalEntry(of: inode) }
        }
        try await waitWhile { try await entry() == nil }
        let before = try await entry()
        let engine = try #require(harness.engine)
        try await engine.drain(inode)
        try await engine.drainPlaces(of: [inode])
        await harness.stop()
        #expect(try await entry() == before)
        #expect(try await harness.serverTree() == ["/README (Case Conflict)": "2"])
    }

    @Test("both sides edit a file with an own name: theirs keeps it")
    func edited() async throws {
        let harness = try Harness()
        try await harness.make("readme", "1")
        try await harness.make("README", "2")
        _ = try await tree(harness)
        await harness.stop()
        try await harness.write("/README", "ours")
        try await harness.put("/README (Case Conflict)", "theirs")
        let there = try await tree(harness)
        #expect(there.count == 3)
        #expect(there["/README (Case Conflict)"] == "theirs")
        #expect(try await harness.names()["README"] == "README (Case Conflict)")
        #expect(there.values.contains("ours"))
        await harness.stop()
    }

    @Test("a deleted node that others have edited comes back under its own name")
    func broughtBack() async throws {
        let harness = try Harness()
        try await harness.make("readme", "1")
        try await harness.make("README", "2")
        _ = try await tree(harness)
        await harness.stop()
        try await harness.delete("/README")
        try await harness.put("/README (Case Conflict)", "theirs")
        #expect(try await tree(harness)["/README (Case Conflict)"] == "theirs")
        #expect(try await harness.names()["README"] == "README (Case Conflict)")
        await harness.stop()
    }

    @Test(
        "in one batch the sibling goes and others give the name: it is the user's, and theirs is seen beside it"
    )
    func sameBatch() async throws {
        let harness = try Harness()
        try await harness.apply([.file("/readme", "R")])
        let own = try await harness.make("README", "2")
        try await harness.apply([.deleted("/readme"), .file("/README", "N")])
        #expect(
            try await harness.names() == [
                "README": "README (Case Conflict)", "README (Name Conflict)": "README",
            ])
        #expect(try await harness.inode("/README") == own)
    }

    @Test("a name that users have freed is shown for the node that waits for it, but not at once")
    func freedByUsers() async throws {
        let harness = try Harness()
        try await harness.apply([.file("/readme", "R")])
        try await harness.make("README", "2")
        try await harness.apply([.deleted("/readme"), .file("/README", "N")])
        try await harness.rename("README", to: "other")
        #expect(
            try await harness.names() == ["other": "other", "README (Name Conflict)": "README"])
        func catchUp() async throws {
            let context = harness.deltaContext
            try await harness.store.write { transaction in
                var applier = try DeltaApplier(transaction: transaction, context: context)
                try applier.feedCaughtUp()
            }
        }
        try await catchUp()
        #expect(try await harness.names()["README (Name Conflict)"] == "README")
        // Nothing is left to send.
        try await harness.delete("/other")
        try await catchUp()
        #expect(try await harness.names() == ["README": "README"])
    }

    @Test("aliases that the server takes for names of others are each tried once")
    func refused() async throws {
        let harness = try Harness(server: InMemoryStore(folding: .simple))
        try await harness.put("/I", "1")
        try await harness.put("/I (Case Conflict)", "2")
        try await harness.put("/i (Case Conflict 2)", "3")
        try await harness.settle()
        try await harness.make("\u{130}", "4")
        try await harness.settle()
        #expect(
            try await harness.serverTree().values.compactMap(\.self).sorted() == [
                "1", "2", "3", "4",
            ])
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test(
        "an entry that tells an own name of another machine is seen under it, and one without leaves it"
    )
    func told() async throws {
        let harness = try Harness.sharing()
        func tell(_ own: String, _ entry: RemoteEntry) async throws {
            guard case .file(var file) = entry.kind else { return }
            file.posix = .told(PosixFacts(ownName: try OwnName(Array(own.utf8))))
            var entry = entry
            entry.kind = .file(file)
            try await harness.apply([entry])
        }
        try await harness.apply([.file("/readme", "R"), .file("/README (Case Conflict)", "U")])
        let inode = try #require(try await harness.inode("/README (Case Conflict)"))
        try await tell("README", .file("/README (Case Conflict)", "U", revision: "2"))
        #expect(try await harness.inode("/README") == inode)
        try await harness.apply([.file("/README (Case Conflict)", "U", revision: "3")])
        #expect(try await harness.inode("/README") == inode)
        // A new node, too; and one of another name than an alias, or whose name is another's, is
        // seen under the server's.
        try await tell("a\\b", .file("/a_b", "V"))
        try await tell("a\\b", .file("/c", "W"))
        try await tell("a\\b", .file("/a_b (Name Conflict)", "X"))
        #expect(
            try await harness.names() == [
                "readme": "readme", "README": "README (Case Conflict)", "a\\b": "a_b", "c": "c",
                "a_b (Name Conflict)": "a_b (Name Conflict)",
            ])
    }
}
