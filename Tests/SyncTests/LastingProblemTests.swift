// Which problems end a wait for the queue: those that pass only by what users do.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite struct LastingProblemTests {
    private static let step = UploadStep.makeFolder(at: RemotePath(rawValue: "/a"))

    private func problem(_ error: SyncError) throws -> Problem {
        let reaction = UploadReaction(to: error, step: Self.step, attempts: 0)
        guard case .retry(_, let problem) = reaction else { throw error }
        return problem
    }

    @Test(
        "a refusal lasts",
        arguments: [
            .forbidden("no"), .protected("no"), .disallowedName, .tooLarge, .tooManyEntries,
            .insufficientSpace,
        ] as [RemoteError])
    func refusals(error: RemoteError) throws {
        #expect(try problem(.remote(error)).isLasting)
    }

    @Test(
        "content that only users can bring back lasts",
        arguments: [
            .baseLost, .local(.stagedContentCut), .local(.stagedContentDoubtful),
        ] as [SyncError])
    func contents(error: SyncError) throws {
        #expect(try problem(error).isLasting)
    }

    @Test(
        "a failure that may pass does not",
        arguments: [
            .server("500"), .unsent("500"), .busy, .malformed("<html>"), .contentUnreadable("gone"),
            .cursorReset, .notDownloadable,
            // A server's words decide nothing.
            .server("not allowed: for now"),
        ] as [RemoteError])
    func failures(error: RemoteError) throws {
        #expect(try !problem(.remote(error)).isLasting)
    }

    @Test(
        "a failure of this machine that may pass does not",
        arguments: [.diskFull, .reserveReached, .staging("EIO"), .database("busy")]
            as [LocalFailure])
    func localFailures(failure: LocalFailure) throws {
        #expect(try !problem(.local(failure)).isLasting)
    }

    @Test("a folder that cannot be moved in parts, and a step that nothing explains, last")
    func others() {
        for split in [FolderSplit.changesOnlyCase, .isShared, .isDeleted] {
            #expect(split.problem?.isLasting == true)
        }
        for split in [FolderSplit.isSplit, .isNotListed] { #expect(split.problem == nil) }
        #expect(UploadReaction.unexplained(.remote(.busy)).isLasting)
        #expect(UploadPlanner.nothingToSend.isLasting)
    }

    @Test("a queue is refused after the first try that the server refuses, and not after a failure")
    func firstTry() async throws {
        for (error, isRefused) in [(RemoteError.forbidden("no"), true), (.server("500"), false)] {
            let harness = try Harness()
            try await harness.settle()
            harness.faulty.inject(.failBefore(error), times: nil) { $0.operation == .makeFolder }
            try await harness.makeFolder("/new")
            let inode = try #require(try await harness.inode("/new"))
            harness.noteChange()
            try await waitWhile { try await harness.problem(of: inode) == nil }
            let (tries, found) = try await harness.store.read {
                (try $0.journalEntry(of: inode)?.attempts ?? 0, try $0.isQueueRefused())
            }
            #expect(found == (isRefused || tries >= Problem.lastingTries))
            await harness.stop()
        }
    }
}
