// A failure of this machine is not the server's: it is told as what it is, and ends no wait for the network.

import Core
import Glibc
import MetadataStore
import RemoteStore
import Staging
import Testing

@testable import Sync

@Suite struct LocalFailureTests {
    @Test(
        "a full disk is one, whichever call failed",
        arguments: [
            (StagingError(code: ENOSPC), RemoteError.local(.diskFull)),
            (StagingError(code: EDQUOT), .local(.diskFull)),
            (StagingError(code: EIO), .local(.other("a staging file failed: Input/output error"))),
        ])
    func causes(cause: StagingError, expected: RemoteError) {
        #expect(RemoteError.local(cause: cause) == expected)
    }

    @Test(
        "a part of the disk is kept for what people write: 64 MiB, or a twentieth of a small disk")
    func reserve() {
        let (small, large) = (Int64(100) << 20, Int64.max)
        #expect(DiskReserve.isUsedUp(free: 4 << 20, of: small))
        #expect(!DiskReserve.isUsedUp(free: 6 << 20, of: small))
        #expect(DiskReserve.isUsedUp(free: 63 << 20, of: large))
        #expect(!DiskReserve.isUsedUp(free: 65 << 20, of: large))
        #expect(!DiskReserve.isUsedUp(at: "/nowhere"))
        // What is brought in together is looked at before, and not only afterwards.
        #expect(!DiskReserve.isUsedUp(at: "/tmp") && DiskReserve.isUsedUp(at: "/tmp", added: .max))
    }

    @Test("what the server said, and the end of a task, stay what they are")
    func others() {
        #expect(RemoteError.local(cause: RemoteError.busy) == .busy)
        #expect(RemoteError.local(cause: CancellationError()) == .cancelled)
    }

    @Test("a step that fails on this machine is tried again, and nothing is taken for offline")
    func reaction() {
        let reaction = UploadReaction(
            to: .local(.diskFull), step: .makeFolder(at: RemotePath(rawValue: "/a")), attempts: 20)
        #expect(reaction == .retry(seconds: 30, problem: UploadReaction.fullDisk))
    }

    @Test("who waits for a step hears that the disk or the account is full")
    func problems() {
        #expect(RemoteError(problem: UploadReaction.fullDisk) == .local(.diskFull))
        #expect(RemoteError(problem: UploadReaction.fullAccount) == .insufficientSpace)
        #expect(RemoteError(problem: "something") == .server("something"))
        struct Damaged: Error {}
        for cause in [StagingError(code: EIO), Damaged()] as [any Error] {
            let failure = RemoteError.local(cause: cause)
            guard case .local(let local) = failure else {
                Issue.record("\(failure)")
                continue
            }
            #expect(RemoteError(problem: local.problem) == failure)
        }
    }

    @Test("a move that the server is not ready for is no problem, which would end a sync")
    func notThereYet() {
        let (source, target) = (RemotePath(rawValue: "/a"), RemotePath(rawValue: "/b"))
        let move = NodeMove(source: source, target: target, id: nil, isFolder: false)
        #expect(
            UploadReaction(to: .notFound, step: .move(move), attempts: 0) == .wait(seconds: 1))
    }
}
