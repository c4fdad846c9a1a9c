// Many levels of new folders: what looking for the next step costs. Counted, not timed.

import Core
import GRDB
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Testing

@testable import Sync
@testable import Tree

@Suite struct DeepFolderTests {
    private final class Counter {
        var count = 0
    }

    /// Users have made folders in folders, each in the one before.
    private func chain(_ levels: Int, in harness: Harness) async throws -> [InodeID] {
        try await harness.store.write { transaction in
            var folders: [InodeID] = []
            for _ in 0..<levels {
                let place = Place(parent: folders.last ?? .root, name: try FileName("d"))
                let folder = try transaction.insert(.folder, at: place, local: LocalFacts())
                folders.append(folder)
            }
            return folders
        }
    }

    /// The number of statements that one scan of the journal takes, and the steps that it chooses.
    private func look(
        _ harness: Harness, busy: Set<InodeID>
    ) async throws -> (statements: Int, chosen: [InodeID]) {
        try await harness.store.write {
            [staging = harness.staging, open = harness.openFiles] transaction in
            let counter = Counter()
            transaction.database.trace(options: .statement) { _ in counter.count += 1 }
            defer { transaction.database.trace(options: []) }
            var planner = UploadPlanner(
                transaction: transaction, openFiles: open, staging: staging, urgent: .nodes([]),
                date: WallTime(seconds: 0), openFileInterval: 30)
            let choice = try planner.offer(
                to: StepChoice(busy: busy, batching: [], room: 8), at: WallTime(seconds: 1),
                after: 0)
            return (counter.count, choice.singles.map(\.inode))
        }
    }

    @Test("a scan of folders in new folders queries the first ones, and not each of them")
    func statements() async throws {
        let harness = try Harness()
        let folders = try await chain(200, in: harness)
        let first = try await look(harness, busy: [])
        #expect(first.chosen == [folders[0]])
        #expect(first.statements < 40)
        let second = try await look(harness, busy: [folders[0]])
        #expect(second.chosen == [])
        #expect(second.statements < 40)
    }

    @Test("folders that are named before those that they are in are each asked about once")
    func reversed() async throws {
        let harness = try Harness()
        let folders = try await chain(200, in: harness)
        try await harness.store.write { transaction in
            for (sequence, folder) in folders.reversed().enumerated() {
                try transaction.database.execute(
                    sql: "UPDATE journal SET sequence = ? WHERE inode = ?",
                    arguments: [1_000 + sequence, folder.rawValue])
            }
        }
        let look = try await look(harness, busy: [folders[0]])
        #expect(look.chosen == [])
        #expect(look.statements < 200 * 6)
    }

    @Test("a chain of new folders arrives, with the content of the last one")
    func arrival() async throws {
        let harness = try Harness()
        let folders = try await chain(40, in: harness)
        try await harness.settle()
        let path = String(repeating: "/d", count: folders.count)
        try await harness.write(path + "/f", "text")
        try await harness.settle()
        await harness.stop()
        #expect(try await harness.serverTree()[path + "/f"] == "text")
    }
}
