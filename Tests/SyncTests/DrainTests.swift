// Callers that wait for nodes, as an fsync does with `fsync=remote`: these are sent at once.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
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

    /// The nodes of which an fsync of the top folder waits for the names.
    private func owing(_ harness: Harness) async throws -> [InodeID] {
        try await harness.store.read { try $0.nodesOwing(namesIn: .root) }
    }

    @Test("an atomic save by an unsent file is waited for, and later content of it is not")
    func saved() async throws {
        let harness = try Harness()
        try await harness.put("/F", "old")
        try await harness.settle()
        let engine = try #require(harness.engine)
        engine.setPaused(true)
        try await harness.write("/F.tmp", "new")
        try await harness.move("/F.tmp", to: "/F")
        let owing = try await owing(harness)
        #expect(try await owing == [harness.inode("/F")])
        await #expect(throws: SyncError.self) { try await engine.drainPlaces(of: owing) }
        engine.setPaused(false)
        try await engine.drainPlaces(of: owing)
        #expect(try await harness.serverTree() == ["/F": "new"])
        engine.setPaused(true)
        try await harness.write("/F", "newer")
        #expect(try await self.owing(harness).isEmpty)
        engine.setPaused(false)
        try await expect(["/F": "newer"], of: harness)
    }

    @Test(
        "a file in the place of a deleted one is waited for until its content is sent, or refused",
        arguments: [true, false])
    func rewritten(isRefused: Bool) async throws {
        let harness = try Harness()
        try await harness.put("/F", "old")
        try await harness.settle()
        let engine = try #require(harness.engine)
        engine.setPaused(true)
        try await harness.delete("/F")
        try await harness.write("/F", "new")
        let owing = try await owing(harness)
        #expect(owing.count == 2)
        if isRefused {
            harness.faulty.inject(.failBefore(.forbidden("test")), times: nil) {
                [.upload, .finishUpload].contains($0.operation)
            }
        }
        engine.setPaused(false)
        if isRefused {
            await #expect(throws: SyncError.self) { try await engine.drainPlaces(of: owing) }
            await harness.stop()
        } else {
            try await engine.drainPlaces(of: owing)
            #expect(try await harness.serverTree() == ["/F": "new"])
            try await expect(["/F": "new"], of: harness)
        }
    }

    @Test(
        "a caller is told the problem of a node that has to leave the place first",
        .timeLimit(.minutes(5)), arguments: [true, false])
    func heldUp(onlyPlace: Bool) async throws {
        let harness = try Harness()
        try await harness.put("/f", "old")
        try await harness.put("/f.new", "new")
        try await harness.settle()
        let inode = try #require(try await harness.inode("/f.new"))
        let engine = try #require(harness.engine)
        engine.setPaused(true)
        try await harness.move("/f", to: "/f~")
        try await harness.move("/f.new", to: "/f")
        harness.faulty.inject(.failBefore(.busy), times: nil) { $0.operation == .move }
        engine.setPaused(false)
        await #expect(throws: SyncError.delayed("the server is busy with this file")) {
            if onlyPlace {
                try await engine.drainPlaces(of: [inode])
            } else {
                try await engine.drain(inode)
            }
        }
        harness.faulty.removeFaults()
        try await expect(["/f": "new", "/f~": "old"], of: harness)
    }
}
