// Modes, times and attributes that both sides change, or that one side changes where the other one
// does not see it: each machine's change is there in the end, and no stale one comes back.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct MergedFactsTests {
    @Test("a mode that another machine sets and a move by it arrive together")
    func moved() async throws {
        let harness = try Harness.sharing()
        try await harness.put("/run", "one")
        try harness.server.otherClient.setFacts("/run", PosixFacts(permissions: 0o755))
        try await harness.settleFully()
        await harness.stop()
        try harness.server.otherClient.setFacts("/run", PosixFacts(permissions: 0o600))
        try await harness.relocate("/run", to: "/key")
        try await harness.settleFully()
        #expect(try await harness.node("/key").local.permissions == 0o600)
        #expect(harness.server.facts(at: "/key")?.permissions == 0o600)
        #expect(harness.calls(.setFacts) == 0)
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("a mode that users here have set and a move by another machine: both are there")
    func movedWhileOwed() async throws {
        let harness = try Harness.sharing()
        try await harness.put("/run", "one")
        try harness.server.otherClient.setFacts("/run", PosixFacts(permissions: 0o755))
        try await harness.settleFully()
        await harness.stop()
        try await harness.chmod("/run", 0o700)
        try await harness.relocate("/run", to: "/moved")
        try await harness.settleFully()
        #expect(harness.server.facts(at: "/moved")?.permissions == 0o700)
        await harness.stop()
    }

    @Test("a save does not undo a mode that this machine has not seen")
    func unseen() async throws {
        let harness = try Harness.sharing()
        harness.server.setTellsFacts(false)
        try await harness.put("/run", "one")
        try await harness.settleFully()
        let facts = PosixFacts(permissions: 0o755, attributes: ["origin": [1]])
        try harness.server.otherClient.setFacts("/run", facts)
        try await harness.write("/run", "two")
        try await harness.settleFully()
        #expect(try await harness.serverTree() == ["/run": "two"])
        #expect(harness.server.facts(at: "/run")?.permissions == 0o755)
        #expect(harness.server.facts(at: "/run")?.attributes == ["origin": [1]])
        await harness.stop()
    }

    @Test("where the feed tells of facts alone, a save takes its exact time along")
    func exactTimes() async throws {
        let harness = try Harness.sharing()
        try await harness.put("/run", "one")
        try await harness.settleFully()
        try harness.server.otherClient.setFacts("/run", PosixFacts(permissions: 0o755))
        try await harness.settleFully()
        try await harness.write("/run", "two")
        try await harness.settleFully()
        let modified = try await harness.node("/run").local.modified
        #expect(harness.server.facts(at: "/run")?.modified?.time == modified)
        #expect(harness.server.facts(at: "/run")?.permissions == 0o755)
        await harness.stop()
    }

    @Test("a mode from before facts were shared stays, and is shared once others set theirs")
    func neverSent() async throws {
        let harness = try Harness.sharing()
        try await harness.put("/run", "one")
        try await harness.settleFully()
        try await harness.store.write { transaction in
            let node = try transaction.existing(transaction.place("/run"))
            try transaction.setLocal(LocalFacts(permissions: 0o755), of: node.inode)
        }
        try harness.server.otherClient.setFacts("/run", PosixFacts(attributes: ["origin": [1]]))
        try await harness.settleFully()
        #expect(try await harness.node("/run").local.permissions == 0o755)
        #expect(try await harness.attributes("/run") == ["user.origin": [1]])
        // It is sent once the delta has come.
        let both = PosixFacts(permissions: 0o755, attributes: ["origin": [1]])
        try await waitWhile { harness.server.facts(at: "/run") != both }
        await harness.stop()
    }

    @Test("two machines that change different facts of a file have both changes")
    func bothDifferent() async throws {
        let harness = try Harness.sharing()
        try await harness.put("/file", "one")
        let before = PosixFacts(permissions: 0o755, attributes: ["old": [1], "gone": [2]])
        try harness.server.otherClient.setFacts("/file", before)
        try await harness.settleFully()
        await harness.stop()
        try await harness.setAttribute("/file", "mine", [3])
        try harness.server.otherClient.setFacts(
            "/file", PosixFacts(permissions: 0o600, attributes: ["old": [4]]))
        let both = PosixFacts(permissions: 0o600, attributes: ["old": [4], "mine": [3]])
        try await waitWhile {
            try await harness.settleFully()
            return harness.server.facts(at: "/file") != both
        }
        #expect(try await harness.node("/file").local.permissions == 0o600)
        #expect(
            try await harness.attributes("/file") == ["user.old": [4], "user.mine": [3]])
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("a time that another machine sets back to that of the version arrives")
    func timeBack() async throws {
        let harness = try Harness.sharing()
        try await harness.put("/file", "one")
        try await harness.settleFully()
        let stored = try #require(try await harness.node("/file").facts.clientModified)
        let time = WallTime(seconds: 946_684_800, nanoseconds: 5)
        try harness.server.otherClient.setFacts(
            "/file", PosixFacts(modified: .init(time, stored: stored.seconds)))
        try await harness.settleFully()
        #expect(try await harness.node("/file").modified == time)
        try harness.server.otherClient.setFacts("/file", PosixFacts())
        try await harness.settleFully()
        #expect(try await harness.node("/file").modified == stored)
        await harness.stop()
    }
}
