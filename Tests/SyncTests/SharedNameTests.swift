// Own names between machines: each travels with its file, as long as that has an alias of it, and
// users' renames win.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct SharedNameTests {
    private func texts(_ harness: Harness) async throws -> [String: String?] {
        let nodes = try await harness.store.read { try $0.children(of: .root) }
        var texts: [String: String?] = [:]
        for child in nodes {
            let node = try await harness.store.read { try $0.existing(child.inode) }
            texts[child.name.text] = try await harness.text(of: node)
        }
        return texts
    }

    private let wanted = ["readme": "readme", "README": "README (Case Conflict)", "a\\b": "a_b"]

    private func pair() async throws -> (Harness, Harness) {
        let harness = try Harness.sharing()
        try await harness.make("readme", "1")
        try await harness.make("README", "2")
        try await harness.make("a\\b", "3")
        try await harness.settleFully()
        let other = try harness.machine()
        try await other.settleFully()
        return (harness, other)
    }

    @Test("a new file at the path of a deleted one's alias does not get its own name")
    func writtenAnew() async throws {
        let (harness, other) = try await pair()
        try await harness.store.write { transaction in
            let name = try FileName(shown: Array("a\\b".utf8))
            let node = try transaction.existing(Place(parent: .root, name: name))
            try transaction.move(node.inode, to: nil)
        }
        try await harness.make("a_b", "new")
        for mount in [harness, other, harness, other] { try await mount.settleFully() }
        for mount in [harness, other] {
            let texts = try await texts(mount)
            #expect(texts.keys.sorted() == ["README", "a_b", "readme"])
            #expect(texts["a_b"] == "new")
            try await mount.checkInvariants()
            await mount.stop()
        }
    }

    @Test("own names are seen on another machine, which sends nothing for that")
    func between() async throws {
        let (harness, other) = try await pair()
        #expect(try await harness.names() == wanted)
        #expect(try await other.names() == wanted)
        #expect(other.calls(.setFacts) == 0)
        for mount in [harness, other] {
            try await mount.checkInvariants()
            await mount.stop()
        }
    }

    @Test(
        "once nothing else has the name, either machine gives it to the file on the server, and both see it"
    )
    func back() async throws {
        let (harness, other) = try await pair()
        try await other.delete("/readme")
        try await other.settleFully()
        try await harness.settleFully()
        try await other.settleFully()
        for mount in [harness, other] {
            #expect(try await mount.names() == ["README": "README", "a\\b": "a_b"])
            try await mount.checkInvariants()
            await mount.stop()
        }
    }

    @Test("what others delete while its alias goes back to the own name is gone")
    func deletedOnTheWayBack() async throws {
        let (harness, other) = try await pair()
        await harness.stop()
        await other.stop()
        try await other.apply([.deleted("/readme")])
        #expect(try await other.names()["README"] == "README")
        try await other.apply([.deleted("/README (Case Conflict)")])
        #expect(try await other.names() == ["a\\b": "a_b"])
        #expect(try await other.store.read { try $0.journalEntries(limit: 10).isEmpty })
    }

    @Test("a name that others give the alias ends the own name for all")
    func renamed() async throws {
        let (harness, other) = try await pair()
        try await harness.relocate("/a_b", to: "/plain")
        for mount in [harness, other] {
            try await mount.settleFully()
            #expect(try await mount.names().keys.sorted() == ["README", "plain", "readme"])
            try await mount.checkInvariants()
            await mount.stop()
        }
    }

    @Test("an own name that is given again is seen on the other machine again")
    func renamedBack() async throws {
        let (harness, other) = try await pair()
        for (mount, name, new) in [(harness, "a\\b", "plain"), (other, "plain", "a\\b")] {
            try await mount.rename(name, to: new)
            try await mount.settleFully()
            for mount in [harness, other] {
                try await mount.settleFully()
                #expect(
                    try await mount.names().keys.sorted() == ["README", new, "readme"].sorted())
            }
        }
        for mount in [harness, other] {
            try await mount.checkInvariants()
            await mount.stop()
        }
    }

    @Test(
        "own names that users exchange are exchanged on the other machine, and neither tells them again",
        arguments: [true, false])
    func exchanged(tellsFactsAlone: Bool) async throws {
        let harness = try Harness.sharing()
        harness.server.setTellsFacts(tellsFactsAlone)
        let other = try harness.machine()
        for name in ["readme", "README", "Readme"] { try await harness.make(name, name) }
        try await harness.settleFully()
        try await other.settleFully()
        for (name, new) in [("README", "x"), ("Readme", "README"), ("x", "Readme")] {
            try await harness.rename(name, to: new)
        }
        for mount in [harness, other, harness, other] { try await mount.settleFully() }
        let calls = (harness.calls(.setFacts), other.calls(.setFacts))
        for mount in [harness, other, harness, other] { try await mount.settleFully() }
        #expect(harness.calls(.setFacts) == calls.0)
        #expect(other.calls(.setFacts) == calls.1 && calls.1 == 0)
        let expected = ["readme": "readme", "README": "Readme", "Readme": "README"]
        #expect(try await texts(harness) == expected)
        if tellsFactsAlone { #expect(try await texts(other) == expected) }
        for mount in [harness, other] {
            try await mount.checkInvariants()
            await mount.stop()
        }
    }

    @Test("a name under which users of the other machine see something else stays theirs")
    func taken() async throws {
        let harness = try Harness.sharing()
        let other = try harness.machine()
        try await other.settleFully()
        try await other.make("a\\b", "theirs")
        await other.stop()
        try await harness.make("a\\b", "ours")
        try await harness.settleFully()
        try await other.settleFully()
        let seen = try await other.names()
        #expect(seen["a\\b"] != nil && seen.count == 2)
        try await harness.settleFully()
        #expect(harness.server.facts(at: "/a_b")?.ownName != nil)
        for mount in [harness, other] {
            try await mount.checkInvariants()
            await mount.stop()
        }
    }

    /// The bytes of the names that users see, of which Swift would take two compositions for one.
    private func shown(_ harness: Harness) async throws -> [[UInt8]] {
        try await harness.store.read { try $0.children(of: .root).map(\.name.shown) }
    }

    @Test(
        "a composition that the server does not keep is seen on another machine, and so is its own")
    func composition() async throws {
        let harness = try Harness.sharing()
        let other = try harness.machine()
        let decomposed = "e\u{301}t\u{E9}"
        try await harness.make(decomposed, "1")
        try await harness.settleFully()
        try await other.settleFully()
        for mount in [harness, other] {
            #expect(try await shown(mount) == [Array(decomposed.utf8)])
        }
        #expect(other.calls(.setFacts) == 0)
        try await other.rename(decomposed, to: "\u{E9}t\u{E9}")
        try await other.settleFully()
        for mount in [harness, other] {
            try await mount.settleFully()
            #expect(try await shown(mount) == [Array("\u{E9}t\u{E9}".utf8)])
            #expect(mount.calls(.setFacts) == (mount === other ? 1 : 0))
            try await mount.checkInvariants()
            await mount.stop()
        }
    }

    @Test("a node that users give its alias for a name keeps that on all machines")
    func aliasAsName() async throws {
        let (harness, other) = try await pair()
        try await harness.rename("README", to: "README (Case Conflict)")
        for mount in [harness, other] { try await mount.settleFully() }
        #expect(try await texts(other)["README (Case Conflict)"] == "2")
        // Its former name is free now, and it does not get that back.
        try await harness.rename("readme", to: "else")
        for mount in [harness, other, harness, other] { try await mount.settleFully() }
        for mount in [harness, other] {
            #expect(
                try await texts(mount) == ["else": "1", "README (Case Conflict)": "2", "a\\b": "3"])
            try await mount.checkInvariants()
            await mount.stop()
        }
    }

    @Test("the text of an own name is read as it was written, and stands for its aliases only")
    func text() throws {
        for bytes in [Array("a\\b".utf8), [0x63, 0xE9], Array("end  ".utf8), Array("%20 ü".utf8)] {
            let own = try OwnName(bytes)
            let facts = PosixFacts(ownName: own)
            #expect(PosixFacts(text: facts.text) == facts)
            let alias = Alias(of: bytes)
            #expect(
                facts.ownName(of: try FileName(alias.name(marked: .name, number: 3))) == own)
            #expect(facts.ownName(of: try FileName("other")) == nil)
        }
        for text in ["1 n=", "1 n=..", "1 n=a/b", "1 n=%00", "1 n=%4"] {
            #expect(PosixFacts(text: text)?.ownName == nil)
        }
    }
}
