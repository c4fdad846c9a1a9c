// Nodes that the server has twice: the first answer was lost, and others moved the folder before it
// was sent again. The server made a new folder of the old name for the second, and then deltas name
// both.

import Core
import RemoteStore
import RemoteStoreTesting
import Synchronization
import TestSupport
import Testing

@testable import Sync

@Suite struct SentTwiceTests {
    /// A mount that sends something into `/b`, gets no answer, and sends it again when others have
    /// moved the folder to `/o`. There are no deltas before.
    private func sentTwice(
        _ operation: RemoteOperation, _ make: (Harness) async throws -> Void
    ) async throws -> Harness {
        let harness = try Harness()
        let faulty = harness.faulty
        try await harness.start(knowingAll: true)
        faulty.inject(.failBefore(.server("test")), times: nil) {
            [.listAfter, .waitForChange].contains($0.operation)
        }
        for _ in 0..<2 {
            // The deltas begin with the deletion of one of the same name.
            if try await harness.inode("/b") != nil { try await harness.delete("/b") }
            try await harness.makeFolder("/b")
            try await harness.drain()
        }
        faulty.inject(.failAfter(.server("test")), into: operation)
        faulty.inject(.failBefore(.server("test")), times: nil) { call in
            call.operation == operation && call.subject.hasPrefix("/b/")
        }
        let before = faulty.calls.count
        try await make(harness)
        harness.noteChange()
        try await waitWhile {
            !faulty.calls.dropFirst(before).contains(where: { $0.operation == operation })
        }
        await harness.stop()
        try await harness.relocate("/b", to: "/o")
        faulty.removeFaults()
        faulty.inject(.failBefore(.server("test")), times: nil) {
            [.listAfter, .waitForChange].contains($0.operation)
        }
        try await harness.start(knowingAll: true)
        try await harness.drain()
        await harness.stop()
        faulty.removeFaults()
        return harness
    }

    @Test("a file that arrived twice is two files, and both are shown")
    func file() async throws {
        let harness = try await sentTwice(.upload) { try await $0.write("/b/x", "1") }
        try await expect(["/b": nil, "/b/x": "1", "/o": nil, "/o/x": "1"], of: harness)
    }

    @Test("and so are two whose name is spelled otherwise here than there")
    func decomposed() async throws {
        let harness = try await sentTwice(.upload) { try await $0.write("/b/e\u{301}", "1") }
        try await harness.settle()
        await harness.stop()
        try await harness.checkInvariants()
        let texts = try await harness.tree().values.compactMap(\.self)
        #expect(texts == ["1", "1"], "\(harness.history.text)")
    }

    @Test("a file whose folder others had moved before it arrived, without a response, is one file")
    func intoMovedFolder() async throws {
        let harness = try Harness()
        try await harness.makeFolder("/b")
        try await harness.settle()
        try await harness.finishFeed()
        let listing: Set<RemoteOperation> = [.listAfter, .waitForChange]
        harness.faulty.inject(.failBefore(.server("test")), times: nil) {
            listing.contains($0.operation)
        }
        try await harness.relocate("/b", to: "/o")
        harness.faulty.inject(.failAfter(.offline("test")), into: .upload)
        try await harness.write("/b/x", "1")
        harness.noteChange()
        try await harness.waitForCall(.upload)
        await harness.stop()
        harness.faulty.removeFaults()
        try await expect(["/b": nil, "/o": nil, "/o/x": "1"], of: harness)
    }

    @Test("a folder that arrived twice is two folders, and both are shown")
    func folder() async throws {
        let harness = try await sentTwice(.makeFolder) { try await $0.makeFolder("/b/x") }
        try await expect(["/b": nil, "/b/x": nil, "/o": nil, "/o/x": nil], of: harness)
    }

    @Test("one that others delete of two is gone, and the other one stays")
    func deletedSecond() async throws {
        let harness = try await sentTwice(.upload) { try await $0.write("/b/x", "1") }
        try await harness.remove("/b")
        try await expect(["/o": nil, "/o/x": "1"], of: harness)
    }

    @Test("what users changed in one of two is changed in one")
    func changed() async throws {
        let harness = try await sentTwice(.upload) { try await $0.write("/b/x", "1") }
        try await harness.write("/b/x", "2")
        try await harness.settle()
        await harness.stop()
        try await harness.checkInvariants()
        let texts = try await harness.tree().values.compactMap(\.self)
        #expect(texts.sorted() == ["1", "2"], "\(harness.history.text)")
    }
}
