// A failure of this machine is not the server's: it is reported as local, and ends no wait for the
// network.

import Core
import Foundation
import Glibc
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import Synchronization
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct LocalFailureTests {
    @Test(
        "a full disk is one, whichever call failed",
        arguments: [
            (StagingError(code: ENOSPC), LocalFailure.diskFull),
            (StagingError(code: EDQUOT), .diskFull),
            (StagingError(code: EIO), .staging("Input/output error")),
            (StagingError(code: EIO, reason: .short), .stagedContentCut),
            (StagingError(code: EIO, reason: .notFlushed), .stagedContentDoubtful),
        ])
    func causes(cause: StagingError, expected: LocalFailure) {
        #expect(SyncError(cause: cause) == .local(expected))
    }

    @Test("what the server said, and the end of a task, stay what they are")
    func others() {
        #expect(SyncError(cause: RemoteError.busy) == .remote(.busy))
        #expect(SyncError(cause: CancellationError()) == .remote(.cancelled))
        #expect(SyncError(cause: SyncError.baseLost) == .baseLost)
    }

    @Test("a step that fails on this machine is tried again, and nothing is taken for offline")
    func reaction() {
        let reaction = UploadReaction(
            to: .local(.diskFull), step: .makeFolder(at: RemotePath(rawValue: "/a")), attempts: 20)
        #expect(reaction == .retry(seconds: 30, problem: .passing(LocalFailure.diskFull.problem)))
    }

    @Test("a caller that waits for a step learns that the disk or the account is full")
    func problems() {
        let step = UploadStep.makeFolder(at: RemotePath(rawValue: "/a"))
        let errors: [SyncError] = [
            .local(.diskFull), .local(.reserveReached), .remote(.insufficientSpace), .baseLost,
            .local(.stagedContentCut), .local(.staging("EIO")), .remote(.server("500")),
            .remote(.contentUnreadable("gone")),
        ]
        for (index, error) in errors.enumerated() {
            guard case .retry(_, let problem) = UploadReaction(to: error, step: step, attempts: 0)
            else {
                Issue.record("\(error)")
                continue
            }
            // All others are told by their text.
            let expected = index < 3 ? error : .delayed(problem.text)
            #expect(SyncError(problem: problem.text) == expected)
        }
    }

    @Test("a move that the server is not ready for is no problem, which would end a sync")
    func notThereYet() {
        let (source, target) = (RemotePath(rawValue: "/a"), RemotePath(rawValue: "/b"))
        let move = NodeMove(source: source, target: target, id: nil, isFolder: false)
        #expect(
            UploadReaction(to: .remote(.notFound), step: .move(move), attempts: 0)
                == .wait(seconds: 1))
    }

    @Test(
        "on a full disk, the deltas that the queue waits for are applied if they are few",
        arguments: [(65536, true), (64, false)])
    func awaitedDeltas(free: Int64, isApplied: Bool) async throws {
        let room = Atomic<Int64>(1 << 40)
        let harness = try Harness(reserving: { room.load(ordering: .relaxed) })
        try await harness.settle()
        await harness.stop()
        _ = try await harness.write("/unsent", "text")
        room.store(free, ordering: .relaxed)
        // Nothing of the reserve is left.
        while harness.store.reserve?.release() == true {}
        try await harness.put("/other", "1")
        try await harness.start()
        try await waitWhile {
            if isApplied { return try await harness.store.read { try $0.pending().operations } > 0 }
            return harness.engine?.status.localFailure != .reserveReached
        }
        let sent = try await harness.server.entry(at: RemotePath(rawValue: "/unsent"))
        #expect((sent != nil) == isApplied)
        // With nothing queued, nothing waits for the deltas.
        if isApplied {
            await harness.stop()
            try await harness.put("/later", "2")
            try await harness.start()
            try await waitWhile { harness.engine?.status.localFailure != .reserveReached }
            #expect(try await harness.inode("/later") == nil)
        }
        room.store(1 << 40, ordering: .relaxed)
        try await harness.settle()
        #expect(try await harness.inode("/other") != nil)
        await harness.stop()
    }

    @Test("on a full disk, a change that the server refuses goes on with the deltas that say why")
    func refusedChange() async throws {
        let room = Atomic<Int64>(1 << 40)
        let harness = try Harness(reserving: { room.load(ordering: .relaxed) })
        try await harness.put("/file", "1")
        try await harness.settle()
        room.store(65536, ordering: .relaxed)
        try harness.server.otherClient.delete("/file")
        try await waitWhile { harness.engine?.status.localFailure != .reserveReached }
        _ = try await harness.write("/file", "an edit")
        harness.noteChange()
        try await waitWhile { try await harness.store.read { try $0.pending().operations } > 0 }
        #expect(try await harness.serverTree() == ["/file": "an edit"])
        await harness.stop()
    }

    @Test("content that has lost bytes is not sent, and waits with a problem; all else is sent")
    func short() async throws {
        let harness = try Harness()
        let inode = try await harness.write("/damaged", "a longer text")
        for number in 0..<6 { _ = try await harness.write("/\(number)", "text") }
        let number = try await harness.store.read { try $0.node(inode)?.staged?.file }
        #expect(truncate(harness.staging.path(of: try #require(number)), 3) == 0)
        try await harness.start()
        try await waitWhile {
            let rest = try await harness.store.read { try $0.pending().operations }
            if rest > 1 { return true }
            return try await harness.problem(of: inode) == nil
        }
        #expect(try await harness.problem(of: inode)?.contains("dbxfs recover") == true)
        #expect(try await harness.server.entry(at: RemotePath(rawValue: "/damaged")) == nil)
        await harness.stop()
    }

    @Test(
        "an edit of a version that Dropbox has forgotten waits with a problem",
        arguments: [9 << 20, 100])
    func forgottenBase(size: Int) async throws {
        let harness = try Harness()
        try await harness.put("/a", String(repeating: "x", count: size))
        try await harness.settle()
        await harness.stop()
        let inode = try #require(try await harness.inode("/a"))
        try await harness.store.write { [staging = harness.staging] transaction in
            let facts = try #require(try transaction.node(inode)?.facts)
            let base = try #require(StagedContent.Base(whole: facts))
            let file = try staging.begin(inode, base: base, size: base.size, in: transaction)
            _ = try file.truncate(to: base.size - 10, now: .now())
            try file.persist(in: transaction)
        }
        harness.faulty.inject(.failBefore(.notFound), times: nil) { $0.operation == .download }
        try await harness.start()
        try await waitWhile { try await harness.problem(of: inode) == nil }
        let isSaid = try await harness.problem(of: inode)?.contains("no longer on Dropbox")
        #expect(isSaid == true)
        await harness.stop()
    }

    @Test("a version that is forgotten is asked for hourly, but soon at first")
    func forgottenBaseReaction() {
        let error = SyncError.baseLost
        let step = UploadStep.makeFolder(at: RemotePath(rawValue: "/a"))
        #expect(
            UploadReaction(to: error, step: step, attempts: 3)
                == .retry(seconds: 3600, problem: .lasting(SyncError.baseLostProblem)))
        #expect(
            UploadReaction(to: error, step: step, attempts: 0)
                == .retry(seconds: 1, problem: .lasting(SyncError.baseLostProblem)))
    }
}
