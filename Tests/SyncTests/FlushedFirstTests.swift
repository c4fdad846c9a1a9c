// A power cut after a commit finds the rows that know of it.

import Core
import Foundation
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import Synchronization
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

    @Test("content that a program empties while the version before is sent is not complete")
    func emptiedWhileSent() async throws {
        let harness = try Harness(openFileInterval: 86_400)
        let inode = try await harness.write("/f", "second")
        harness.faulty.inject(.stall, into: .upload)
        try await harness.start()
        try await harness.waitForCall(.upload)
        harness.openFiles.writers.withLock { _ = $0.insert(inode) }
        let emptied = try await harness.store.write { [staging = harness.staging] transaction in
            let file = try staging.begin(inode, base: nil, size: 0, in: transaction)
            try file.persist(in: transaction, isComplete: false)
            return file
        }
        harness.faulty.releaseStalled()
        try await waitWhile { try await harness.store.read { try $0.node(inode)?.facts.id } == nil }
        await harness.stop()
        try harness.staging.flush()
        #expect(try await harness.store.read { try $0.fallback(of: inode) } != nil)
        #expect(emptied.size == 0)
    }

    @Test("content of a file that is still open is on the disk before its commit is sent")
    func openFile() async throws {
        let harness = try Harness(openFileInterval: 0)
        harness.faulty.inject(.stall, into: .upload)
        let inode = try await harness.write("/f", "first")
        harness.openFiles.writers.withLock { _ = $0.insert(inode) }
        try await harness.store.write { [staging = harness.staging] transaction in
            let file = try staging.begin(inode, base: nil, size: 0, in: transaction)
            _ = try Array("second".utf8).withUnsafeBytes {
                try file.write(at: 0, $0, now: .now())
            }
            try file.persist(in: transaction, isComplete: false)
        }
        try await harness.start()
        try await harness.waitForCall(.upload)
        let node = try await harness.store.read { try $0.node(inode) }
        #expect(node?.staged?.isFlushed == true)
        harness.faulty.releaseStalled()
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.serverTree() == ["/f": "second"])
    }
}
