// Modes and times that users set while their file is on its way to the server, or after the
// response was lost: each is sent, and none is taken back. Not responsible for changes of both
// sides (`MergedFactsTests`).

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Testing

@testable import Sync
@testable import Tree

@Suite struct FactsInFlightTests {
    private static let ownTime = WallTime(seconds: 946_684_800, nanoseconds: 500_000_000)

    @Test("a lost response does no harm", arguments: [RemoteOperation.setFacts, .upload])
    func lostReply(_ operation: RemoteOperation) async throws {
        let harness = try Harness.sharing()
        if operation == .setFacts {
            try await harness.write("/run", "one")
            try await harness.settleFully()
            await harness.stop()
        } else {
            try await harness.write("/run", "one")
        }
        harness.faulty.inject(.failAfter(.server("test")), into: operation)
        try await harness.chmod("/run", 0o755)
        try await harness.settleFully()
        #expect(harness.server.facts(at: "/run")?.permissions == 0o755)
        #expect(try await harness.node("/run").local.permissions == 0o755)
        #expect(try await harness.tree() == ["/run": "one"])
        try await harness.checkInvariants()
        await harness.stop()
    }

    @Test("a mode that changes while its file is sent is sent after it")
    func meanwhile() async throws {
        let harness = try Harness.sharing()
        try await harness.write("/run", "one")
        harness.faulty.inject(.stall, into: .upload)
        try await harness.start()
        try await harness.waitForCall(.upload)
        try await harness.chmod("/run", 0o755)
        harness.faulty.releaseStalled()
        try await harness.settleFully()
        #expect(harness.server.facts(at: "/run")?.permissions == 0o755)
        #expect(harness.calls(.setFacts) == 1)
        await harness.stop()
    }

    @Test("a time that a user sets while the file is sent is sent after it")
    func timeMeanwhile() async throws {
        let harness = try Harness.sharing()
        try await harness.write("/run", "one")
        harness.faulty.inject(.stall, into: .upload)
        try await harness.start()
        try await harness.waitForCall(.upload)
        try await harness.change("/run", timeIsSet: true) { $0.modified = Self.ownTime }
        harness.faulty.releaseStalled()
        try await harness.settleFully()
        let stored = try await harness.node("/run").facts.clientModified
        #expect(harness.server.facts(at: "/run")?.exactTime(stored: stored) == Self.ownTime)
        #expect(harness.calls(.setFacts) == 1)
        await harness.stop()
    }

    /// A mount that has sent a file, with a mode that users have set before, and has no network
    /// since before the response.
    private func unsureOfUpload(_ permissions: UInt16?) async throws -> Harness {
        let harness = try Harness.sharing()
        try await harness.write("/run", "one")
        if let permissions { try await harness.chmod("/run", permissions) }
        try await harness.runUntilLost(.upload)
        return harness
    }

    @Test("a time that a user sets after the response to the upload was lost is sent")
    func timeAfterLostResponse() async throws {
        let harness = try await unsureOfUpload(nil)
        try await harness.change("/run", timeIsSet: true) { $0.modified = Self.ownTime }
        try await harness.settleFully()
        let stored = try await harness.node("/run").facts.clientModified
        #expect(harness.server.facts(at: "/run")?.exactTime(stored: stored) == Self.ownTime)
        #expect(try await harness.node("/run").local.modified == Self.ownTime)
        await harness.stop()
    }

    @Test("a mode that users set back after the response to the upload was lost stays")
    func modeAfterLostResponse() async throws {
        let harness = try await unsureOfUpload(0o755)
        try await harness.chmod("/run", 0o644)
        try await harness.settleFully()
        #expect(try await harness.node("/run").local.permissions == 0o644)
        #expect(harness.server.facts(at: "/run")?.permissions == 0o644)
        await harness.stop()
    }
}
