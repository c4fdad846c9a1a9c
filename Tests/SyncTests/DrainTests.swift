// Callers that wait for nodes, as an fsync does with `fsync=remote`: these are sent at once.

import Core
import MetadataStore
import RemoteStore
import Testing

@testable import Sync

@Suite struct DrainTests {
    @Test("nodes of which one waits for the other are sent at once, though both would be due later")
    func together() async throws {
        let harness = try Harness()
        try await harness.put("/saved", "new")
        try await harness.put("/target", "old")
        try await harness.settle()
        let engine = try #require(harness.engine)
        engine.setPaused(true)
        try await harness.move("/saved", to: "/target")
        let later = harness.clock.now().adding(seconds: 1_000_000)
        let inodes = try await harness.store.write { transaction in
            let inodes = try transaction.nodesOwing(namesIn: .root)
            for inode in inodes { try transaction.reschedule(inode, due: later) }
            return inodes
        }
        #expect(inodes.count == 2)
        engine.setPaused(false)
        try await engine.drainPlaces(of: inodes)
        #expect(try await harness.serverTree() == ["/target": "new"])
        #expect(try await harness.store.read { try $0.nodesOwing(namesIn: .root) }.isEmpty)
        await harness.stop()
    }

    @Test("a caller that waits for a name does not wait for content that others go on writing")
    func written() async throws {
        let harness = try Harness()
        try await harness.settle()
        try await harness.write("/log", "1")
        let inode = try #require(try await harness.inode("/log"))
        let engine = try #require(harness.engine)
        try await engine.drainPlaces(of: [inode])
        engine.setPaused(true)
        try await harness.write("/log", "12")
        try await engine.drainPlaces(of: [inode])
        #expect(try await harness.store.read { try $0.journalEntry(of: inode) } != nil)
        engine.setPaused(false)
        try await expect(["/log": "12"], of: harness)
    }
}
