// Modes, exact times and attributes between machines: sent with content where that costs nothing,
// alone where nothing else has changed, and never at the cost of content. Not responsible for those
// that are set while a request is on its way (`FactsInFlightTests`).

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Testing

@testable import Sync
@testable import Tree

@Suite struct SharedFactsTests {
    @Test("a new script's mode goes with its content, and costs no request")
    func withContent() async throws {
        let harness = try Harness.sharing()
        try await harness.write("/run", "#!/bin/sh")
        try await harness.chmod("/run", 0o755)
        try await harness.settleFully()
        #expect(harness.server.facts(at: "/run")?.permissions == 0o755)
        #expect(harness.calls(.setFacts) == 0)
        // An exact time goes with it.
        let modified = try await harness.node("/run").local.modified
        #expect(harness.server.facts(at: "/run")?.modified?.time == modified)
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test(
        "the time of a file that is saved with the same content reaches other machines",
        arguments: [false, true])
    func savedAgain(byRename: Bool) async throws {
        let harness = try Harness.sharing()
        try await harness.write("/file", "same")
        try await harness.settleFully()
        let path = byRename ? "/new" : "/file"
        try await harness.write(path, "same")
        try await harness.change(path) {
            $0.modified = WallTime(seconds: 1_200_000_000, nanoseconds: 456)
        }
        if byRename { try await harness.move("/new", to: "/file") }
        try await harness.settleFully()
        let stored = try await harness.node("/file").facts.clientModified
        let seen = harness.server.facts(at: "/file")?.modified?.time ?? stored
        #expect(seen?.seconds == 1_200_000_000)
        #expect(try await !harness.node("/file").flags.contains(.factsOwed))
        await harness.stop()
    }

    @Test("many changes of a mode without content are one request")
    func alone() async throws {
        let harness = try Harness.sharing()
        try await harness.write("/run", "#!/bin/sh")
        try await harness.settleFully()
        await harness.stop()
        for bits: UInt16 in [0o700, 0o711, 0o755] { try await harness.chmod("/run", bits) }
        try await harness.setAttribute("/run", "origin", [1, 2])
        let uploads = harness.calls(.upload)
        try await harness.settleFully()
        #expect(harness.calls(.setFacts) == 1)
        #expect(harness.calls(.upload) == uploads)
        let told = harness.server.facts(at: "/run")
        #expect(told?.permissions == 0o755 && told?.attributes == ["origin": [1, 2]])
        // And back: what other machines see goes back, too.
        try await harness.chmod("/run", 0o644)
        try await harness.setAttribute("/run", "origin", nil)
        try await harness.settleFully()
        let last = harness.server.facts(at: "/run")
        #expect(last?.permissions == 0o644 && last?.attributes == [:])
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("a mode that is another machine's default is not taken back here")
    func otherMasks() async throws {
        let harness = try Harness.sharing()
        try await harness.put("/file", "one")
        try harness.server.otherClient.setFacts("/file", PosixFacts(permissions: 0o644))
        try await harness.settleFully()
        try await harness.setAttribute("/file", "origin", [1])
        try await harness.settleFully()
        #expect(harness.server.facts(at: "/file")?.permissions == 0o644)
        await harness.stop()
    }

    @Test("a mode that was changed and changed back is not sent")
    func changedBack() async throws {
        let harness = try Harness.sharing()
        try await harness.write("/file", "text")
        try await harness.settleFully()
        await harness.stop()
        try await harness.chmod("/file", 0o755)
        try await harness.chmod("/file", 0o644)
        try await harness.settleFully()
        #expect(harness.calls(.setFacts) == 0)
        await harness.stop()
    }

    @Test("a folder is made, and its mode follows")
    func folders() async throws {
        let harness = try Harness.sharing()
        try await harness.makeFolder("/private")
        try await harness.chmod("/private", 0o700)
        try await harness.settleFully()
        #expect(harness.server.facts(at: "/private")?.permissions == 0o700)
        await harness.stop()
    }

    @Test("what another machine has set arrives", arguments: [true, false])
    func arrives(isKnown: Bool) async throws {
        let harness = try Harness.sharing()
        let time = WallTime(seconds: 1_000_000_000, nanoseconds: 5)
        let facts = PosixFacts(
            permissions: 0o750, modified: .init(time, stored: 1_000_000_000),
            attributes: ["origin": [7]])
        try await harness.put("/run", "#!/bin/sh")
        if isKnown { try await harness.settleFully() }
        try harness.server.otherClient.setFacts("/run", facts)
        try await harness.settleFully()
        #expect(try await harness.node("/run").local.permissions == 0o750)
        #expect(try await harness.node("/run").modified == time)
        #expect(try await harness.attributes("/run") == ["user.origin": [7]])
        // Facts that it takes back go, and those that users here have set stay.
        try await harness.setAttribute("/run", "mine", [1])
        try await harness.settleFully()
        try harness.server.otherClient.setFacts(
            "/run", PosixFacts(attributes: ["mine": [1]]))
        try await harness.settleFully()
        #expect(try await harness.node("/run").local.permissions == nil)
        #expect(try await harness.attributes("/run") == ["user.mine": [1]])
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("bits that are not shared stay, and are not sent")
    func ownBits() async throws {
        let harness = try Harness.sharing()
        try await harness.write("/run", "one")
        try await harness.chmod("/run", 0o4755)
        try await harness.settleFully()
        #expect(harness.server.facts(at: "/run")?.permissions == 0o755)
        try harness.server.otherClient.setFacts("/run", PosixFacts(permissions: 0o700))
        try await harness.settleFully()
        #expect(try await harness.node("/run").local.permissions == 0o4700)
        try harness.server.otherClient.setFacts("/run", PosixFacts())
        try await harness.settleFully()
        #expect(try await harness.node("/run").local.permissions == 0o4644)
        await harness.stop()
    }

    @Test("a program that edits the file leaves its mode, and the old exact time is none of its")
    func edited() async throws {
        let harness = try Harness.sharing()
        try await harness.write("/run", "one")
        try await harness.chmod("/run", 0o755)
        try await harness.settleFully()
        try await harness.put("/run", "two")
        try await harness.settleFully()
        let node = try await harness.node("/run")
        #expect(node.local.permissions == 0o755)
        #expect(node.modified == WallTime(seconds: 1_000_000_000))
        await harness.stop()
    }

    @Test("facts that the server loses stay here, and are sent with the next content")
    func lost() async throws {
        let harness = try Harness.sharing()
        try await harness.write("/run", "one")
        try await harness.chmod("/run", 0o755)
        try await harness.settleFully()
        harness.server.removeFacts()
        try await harness.put("/run", "two")
        try await harness.settleFully()
        #expect(try await harness.node("/run").local.permissions == 0o755)
        #expect(harness.server.facts(at: "/run") == nil)
        #expect(harness.calls(.setFacts) == 0)
        try await harness.write("/run", "three")
        try await harness.settleFully()
        #expect(harness.server.facts(at: "/run")?.permissions == 0o755)
        await harness.stop()
    }

    @Test("of two machines' modes the last one that the server has got wins")
    func bothChanged() async throws {
        let harness = try Harness.sharing()
        try await harness.write("/run", "one")
        try await harness.settleFully()
        await harness.stop()
        try await harness.chmod("/run", 0o700)
        try harness.server.otherClient.setFacts("/run", PosixFacts(permissions: 0o755))
        try await harness.settleFully()
        #expect(harness.server.facts(at: "/run")?.permissions == 0o700)
        #expect(try await harness.node("/run").local.permissions == 0o700)
        try harness.server.otherClient.setFacts("/run", PosixFacts(permissions: 0o711))
        try await harness.settleFully()
        #expect(try await harness.node("/run").local.permissions == 0o711)
        await harness.stop()
    }

    @Test("a mode that was set back before a new file is sent is no fact to share")
    func privateFirst() async throws {
        let harness = try Harness.sharing()
        // As `cp -p`, rsync and many editors make files.
        try await harness.write("/run", "one")
        try await harness.chmod("/run", 0o600)
        try await harness.chmod("/run", 0o644)
        #expect(try await harness.node("/run").flags.contains(.factsOwed) == false)
        try await harness.settleFully()
        #expect(harness.server.facts(at: "/run")?.permissions == nil)
        await harness.stop()
    }

    @Test("facts that the server refuses stay here, and nothing waits for them")
    func refused() async throws {
        let harness = try Harness(posix: PosixRules(isShared: true))
        try await harness.write("/run", "one")
        try await harness.chmod("/run", 0o755)
        try await harness.makeFolder("/private")
        try await harness.chmod("/private", 0o700)
        try await harness.settleFully()
        #expect(try await harness.node("/run").local.permissions == 0o755)
        #expect(try await harness.node("/private").local.permissions == 0o700)
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("a mount that does not share them sends none, those of an earlier one neither")
    func local() async throws {
        let server = InMemoryStore(keepsFacts: true)
        let harness = try Harness(server: server)
        try await harness.write("/run", "one")
        try await harness.settleFully()
        await harness.stop()
        try await harness.chmod("/run", 0o755)
        try await harness.store.write { transaction in
            let node = try transaction.existing(transaction.place("/run"))
            try transaction.setFlags(.factsOwed, true, of: node.inode)
        }
        try server.otherClient.setFacts("/run", PosixFacts(permissions: 0o700))
        try await harness.settleFully()
        #expect(harness.calls(.setFacts) == 0)
        #expect(try await harness.node("/run").local.permissions == 0o755)
        await harness.stop()
    }

    @Test("where deltas do not tell of facts alone, they come with the next version")
    func untold() async throws {
        let harness = try Harness.sharing()
        harness.server.setTellsFacts(false)
        try await harness.put("/run", "one")
        try await harness.settleFully()
        try harness.server.otherClient.setFacts("/run", PosixFacts(permissions: 0o755))
        try await harness.chmod("/run", 0o644)
        try await harness.settleFully()
        #expect(try await harness.node("/run").local.permissions != 0o755)
        try await harness.put("/run", "two")
        try await harness.settleFully()
        #expect(try await harness.node("/run").local.permissions == 0o755)
        await harness.stop()
    }

    @Test("a file saved over a script has the mode that it was saved with")
    func replaced() async throws {
        let harness = try Harness.sharing()
        try await harness.write("/run", "one")
        try await harness.chmod("/run", 0o755)
        try await harness.settleFully()
        await harness.stop()
        try await harness.write("/new", "two")
        try await harness.move("/new", to: "/run")
        try await harness.settleFully()
        #expect(harness.server.facts(at: "/run")?.permissions == nil)
        #expect(try await harness.node("/run").local.permissions == nil)
        #expect(harness.calls(.setFacts) == 0)
        await harness.stop()
    }

    @Test("a time that a user sets is sent, one by a write is not")
    func times() async throws {
        let harness = try Harness.sharing()
        try await harness.write("/file", "one")
        try await harness.settleFully()
        let time = WallTime(seconds: 946_684_800, nanoseconds: 500_000_000)
        try await harness.change("/file", timeIsSet: true) { $0.modified = time }
        try await harness.settleFully()
        #expect(harness.calls(.setFacts) == 1)
        let told = harness.server.facts(at: "/file")
        let stored = try await harness.node("/file").facts.clientModified
        #expect(told?.exactTime(stored: stored) == time)
        await harness.stop()
    }

    @Test("facts of a later version are kept by a change here")
    func later() async throws {
        let harness = try Harness.sharing()
        try await harness.put("/run", "one")
        try harness.server.otherClient.setFacts("/run", PosixFacts(others: ["k=later"]))
        try await harness.settleFully()
        try await harness.chmod("/run", 0o755)
        try await harness.settleFully()
        #expect(
            harness.server.facts(at: "/run") == PosixFacts(permissions: 0o755, others: ["k=later"]))
        await harness.stop()
    }
}
