// Names that nodes get back, or exchange, because of what others have done: which node is seen
// under which name, and who tells the server. Not responsible for the choice of an alias
// (`OwnNameTests`), nor for names that users of this mount give (`SharedNameTests`).

import Core
import MetadataStore
import RemoteStore
import Staging
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct ReturningNameTests {
    private static let composed = "\u{E9}"
    private static let decomposed = "e\u{301}"
    private static let alias = "/\u{E9} (Unicode Encoding Conflict)"

    private func told(_ own: String, _ entry: RemoteEntry) throws -> RemoteEntry {
        guard case .file(var file) = entry.kind else { return entry }
        file.posix = .told(PosixFacts(ownName: try OwnName(Array(own.utf8))))
        var entry = entry
        entry.kind = .file(file)
        return entry
    }

    /// The names that users see in the root, byte by byte.
    private func shown(_ harness: Harness) async throws -> Set<[UInt8]> {
        Set(try await harness.store.read { try $0.children(of: .root) }.map(\.name.shown))
    }

    private func isQueueEmpty(_ harness: Harness) async throws -> Bool {
        try await harness.store.read { try $0.journalEntries(limit: 9).isEmpty }
    }

    @Test("a name that users give stays when another machine has given back the one before")
    func givenMeanwhile() async throws {
        let harness = try Harness.sharing()
        try await harness.apply([
            .file("/" + Self.composed, "1"), told(Self.decomposed, .file(Self.alias, "2")),
        ])
        try await harness.rename(Self.composed, to: "tmp")
        try await harness.rename(Self.decomposed, to: Self.composed)
        try await harness.apply([
            .file("/tmp", "1", revision: "2"), .deleted(Self.alias),
            told(Self.decomposed, .file("/" + Self.composed, "2", revision: "2")),
        ])
        #expect(try await shown(harness) == [Array("tmp".utf8), Array(Self.composed.utf8)])
    }

    @Test(
        "names that others exchange are seen, in whichever order they are told", arguments: 0..<3)
    func exchangedByCase(order: Int) async throws {
        let harness = try Harness.sharing()
        try await harness.apply([
            .file("/x", "1"), told("X", .file("/X (Case Conflict)", "2")),
        ])
        let one = try await harness.store.read { try $0.node(id: FileID("1"))?.inode }
        let two = try await harness.store.read { try $0.node(id: FileID("2"))?.inode }
        let first = try told("X", .file("/X (Case Conflict 2)", "1", revision: "2"))
        let second = try told("X", .file("/x", "2", revision: "2"))
        let gone = try RemoteEntry.deleted("/X (Case Conflict)")
        switch order {
        case 0: try await harness.apply([first, second, gone])
        case 1: try await harness.apply([second, first, gone])
        default:
            try await harness.apply([first])
            try await harness.apply([second, gone])
        }
        #expect(try await harness.names() == ["x": "x", "X": "X (Case Conflict 2)"])
        let children = try await harness.store.read { try $0.children(of: .root) }
        #expect(children.first { $0.name.text == "X" }?.inode == one)
        #expect(children.first { $0.name.text == "x" }?.inode == two)
    }

    @Test(
        "compositions that others exchange are seen, in whichever order they are told",
        arguments: [true, false])
    func exchangedCompositions(isFirst: Bool) async throws {
        let harness = try Harness.sharing()
        try await harness.apply([
            .file("/" + Self.composed, "1"), told(Self.decomposed, .file(Self.alias, "2")),
        ])
        let entries = [
            try told(Self.decomposed, .file("/" + Self.composed, "1")),
            try told(Self.composed, .file(Self.alias, "2")),
        ]
        for entry in isFirst ? entries : entries.reversed() { try await harness.apply([entry]) }
        #expect(
            try await shown(harness) == [Array(Self.composed.utf8), Array(Self.decomposed.utf8)])
    }

    /// `README` is on its way back on the server from its alias.
    private func returning() async throws -> (harness: Harness, inode: InodeID, id: FileID) {
        let harness = try Harness()
        try await harness.make("readme", "readme")
        let inode = try await harness.make("README", "README")
        try await harness.settleFully()
        await harness.stop()
        try await harness.apply([.deleted("/readme")])
        #expect(try await harness.names() == ["README": "README"])
        let id = try #require(try await harness.store.read { try $0.node(inode)?.facts.id })
        return (harness, inode, id)
    }

    @Test("a name that others have freed is given back after the machine that freed it could do so")
    func returnsLater() async throws {
        let start = WallTime.now()
        let (harness, inode, _) = try await returning()
        let entry = try #require(try await harness.store.read { try $0.journalEntry(of: inode) })
        #expect(entry.due > start.adding(seconds: 20))
    }

    @Test("others take the name to which an alias is on its way back: the alias stays")
    func takenOnTheWayBack() async throws {
        let (harness, inode, _) = try await returning()
        try await harness.apply([.file("/README", "N")])
        #expect(
            try await harness.names() == [
                "README": "README (Case Conflict)", "README (Name Conflict)": "README",
            ])
        #expect(try await harness.inode("/README") == inode)
        #expect(try await isQueueEmpty(harness))
        // The node that has the name is seen under it once the other one is gone.
        try await harness.apply([.deleted("/README (Case Conflict)")])
        #expect(try await harness.names() == ["README": "README"])
    }

    @Test(
        "others take the name to which an alias is on its way back, and move or delete its node",
        arguments: [true, false])
    func replacedOnTheWayBack(isMoved: Bool) async throws {
        let (harness, _, id) = try await returning()
        var batch = [try RemoteEntry.file("/README", "N")]
        if isMoved { batch.append(try .file("/z", id.rawValue, revision: "2")) }
        batch.append(try .deleted("/README (Case Conflict)"))
        try await harness.apply(batch)
        #expect(
            try await harness.names()
                == (isMoved ? ["README": "README", "z": "z"] : ["README": "README"]))
        #expect(try await isQueueEmpty(harness))
    }
}
