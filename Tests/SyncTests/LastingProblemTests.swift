// Whether all of the queue is refused for good, which ends a wait for it.

import Core
import MetadataStore
import RemoteStore
import Testing

@testable import Sync
@testable import Tree

@Suite struct LastingProblemTests {
    private static let step = UploadStep.makeFolder(at: RemotePath(rawValue: "/a"))

    private func problem(_ error: SyncError) throws -> String {
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
        #expect(LastingProblem.isLasting(try problem(.remote(error))))
    }

    @Test(
        "a failure that may pass does not",
        arguments: [
            .server("500"), .unsent("500"), .busy, .malformed("<html>"), .contentUnreadable("gone"),
        ] as [RemoteError])
    func failures(error: RemoteError) throws {
        #expect(!LastingProblem.isLasting(try problem(.remote(error))))
        #expect(!LastingProblem.isLasting(try problem(.local(.diskFull))))
    }

    /// A queue of files with a problem each.
    private func queue(of problems: [String?]) async throws -> (Harness, [InodeID]) {
        let harness = try Harness()
        let inodes = try await harness.store.write { transaction in
            try problems.indices.map { index in
                let place = Place(parent: .root, name: try FileName("f\(index)"))
                return try transaction.insert(.file, at: place, local: LocalFacts())
            }
        }
        try await harness.store.write { transaction in
            for (inode, problem) in zip(inodes, problems) {
                guard let problem else { continue }
                try transaction.postpone(inode, until: .now(), problem: problem)
            }
        }
        return (harness, inodes)
    }

    private func isRefused(_ harness: Harness) async throws -> Bool {
        try await harness.store.read { try $0.isQueueRefused() }
    }

    @Test("a queue is refused if all of it is, and not while one may pass or was never tried")
    func mixed() async throws {
        let refused = LastingProblem.tooLarge
        #expect(try await isRefused(queue(of: [refused, "not allowed: no"]).0))
        #expect(try await !isRefused(queue(of: [refused, "the server is busy with this file"]).0))
        #expect(try await !isRefused(queue(of: [refused, nil]).0))
    }

    @Test("a change behind thousands of refused ones is seen")
    func behind() async throws {
        let refused = [String?](repeating: LastingProblem.tooLarge, count: 1_200)
        #expect(try await isRefused(queue(of: refused).0))
        #expect(try await !isRefused(queue(of: refused + [nil]).0))
    }

    @Test("a failure of the server that goes on and on counts as a refusal")
    func lasting() async throws {
        let (harness, inodes) = try await queue(of: ["500"])
        for attempts in 1..<LastingProblem.attempts {
            #expect(try await !isRefused(harness), "\(attempts)")
            try await harness.store.write { transaction in
                for inode in inodes {
                    try transaction.postpone(inode, until: .now(), problem: "500")
                }
            }
        }
        #expect(try await isRefused(harness))
    }
}
