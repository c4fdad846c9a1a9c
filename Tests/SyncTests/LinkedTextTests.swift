// Texts that become links on a machine that took them for files, and facts that have no room beside
// a target: users' changes of the text are sent, and nothing is sent for ever.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct LinkedTextTests {
    /// A machine that has the text of a link for an ordinary file, because nothing told it of the
    /// facts.
    private func taken() async throws -> Harness {
        let first = try Harness.sharing()
        try await first.link("/l", to: "t")
        try await first.settleFully()
        await first.stop()
        let facts = try #require(first.server.facts(at: "/l"))
        first.server.removeFacts()
        let harness = try first.machine()
        try await harness.settleFully()
        #expect(try await harness.node("/l").kind == .file)
        await harness.stop()
        try harness.server.otherClient.setFacts("/l", facts)
        harness.server.resetCursors()
        return harness
    }

    @Test("a text that users deleted is deleted, although it turns out to be a link")
    func deleted() async throws {
        let harness = try await taken()
        try await harness.delete("/l")
        try await harness.settleFully()
        #expect(try await harness.serverTree() == [:])
        #expect(try await harness.tree() == [:])
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("a text that users moved is moved, and is the link there")
    func moved() async throws {
        let harness = try await taken()
        try await harness.move("/l", to: "/m")
        try await harness.settleFully()
        #expect(try await harness.serverTree().keys.sorted() == ["/m"])
        #expect(harness.keptLink("/m") == "t")
        try await waitWhile { try await harness.target("/m") != "t" }
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("a text that users edited is their file, without a conflict")
    func edited() async throws {
        let harness = try await taken()
        try await harness.write("/l", "edited")
        try await harness.settleFully()
        #expect(try await harness.serverTree() == ["/l": "edited"])
        #expect(harness.keptLink("/l") == nil)
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("a time that has no room beside a long target is not owed for ever")
    func noRoom() async throws {
        let harness = try Harness.sharing()
        let inode = try await harness.link("/l", to: String(repeating: "/", count: 1000))
        try await harness.settleFully()
        try await harness.store.write { transaction in
            try transaction.setLocal(
                LocalFacts(modified: WallTime(seconds: 946_684_800, nanoseconds: 5)), of: inode)
            try transaction.settleFacts(
                of: inode, by: PosixRules(isShared: true), timeIsSet: true)
        }
        try await harness.settleFully()
        #expect(try await harness.node("/l").local.modified?.seconds == 946_684_800)
        #expect(try await !harness.node("/l").flags.contains(.factsOwed))
        #expect(harness.calls(.setFacts) <= 1)
        await harness.stop()
    }

    @Test("a link of others whose facts did not arrive is one with an equal link of users here")
    func equal() async throws {
        let harness = try Harness.sharing()
        try await harness.settleFully()
        let text = String(decoding: try #require(LinkTarget("t")).content, as: UTF8.self)
        await harness.stop()
        let inode = try await harness.link("/l", to: "t")
        try await harness.put("/l", text)
        try await harness.settleFully()
        #expect(try await harness.node("/l").inode == inode)
        #expect(try await harness.tree().count == 1)
        try await waitWhile { harness.keptLink("/l") != "t" }
        try await harness.checkInvariants()
        await harness.stop()
    }
}
