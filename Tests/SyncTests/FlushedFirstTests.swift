// A power cut after a commit finds the rows that know of it.

import Core
import Foundation
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import TestSupport
import Testing

@testable import Sync

@Suite struct FlushedFirstTests {
    @Test("content and rows are on the disk before a commit is sent", arguments: [1, 12])
    func beforeSending(files: Int) async throws {
        let harness = try Harness()
        for number in 0..<files { _ = try await harness.write("/\(number)", "content \(number)") }
        let sends: Set<RemoteOperation> = [.upload, .finishUpload]
        harness.faulty.inject(.stall) { sends.contains($0.operation) }
        try await harness.start()
        try await waitWhile { harness.faulty.stalledCount == 0 }
        let staged = try await harness.store.read { try $0.stagedNodes() }
        #expect(staged.count == files)
        #expect(staged.allSatisfy { $0.staged?.isFlushed == true })
        #expect(harness.store.isSafe)
        harness.faulty.releaseStalled()
        try await harness.settle()
        await harness.stop()
    }
}
