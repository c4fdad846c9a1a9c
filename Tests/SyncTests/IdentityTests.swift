// Changes that are sent while another client has put something else where a node was, and the
// changes of that have not come in yet. With a service that takes ids in changes, and with one that
// does not.

import RemoteStore
import RemoteStoreTesting
import Testing

@testable import Sync

@Suite struct IdentityTests {
    /// A mount that knows `files`, and gets deltas late.
    private func mount(
        _ files: [String: String], folders: [String] = [], refusesIDs: Bool
    ) async throws -> Harness {
        let harness = try Harness(server: InMemoryStore(refusesIDs: refusesIDs))
        for (path, text) in files.sorted(by: { $0.key < $1.key }) {
            try await harness.put(path, text)
        }
        for path in folders { try await harness.putFolder(path) }
        try await harness.settle()
        await harness.stop()
        harness.faulty.inject(.failBefore(.server("late")), times: 4) {
            $0.operation == .listAfter
        }
        return harness
    }

    private func settle(_ harness: Harness) async throws -> [String: String?] {
        try await harness.settle()
        await harness.stop()
        try await harness.checkInvariants()
        return try await harness.tree()
    }

    @Test(
        "a rename takes the file that was renamed, and not the edit that others have put in its place",
        arguments: [false, true])
    func rename(refusesIDs: Bool) async throws {
        let harness = try await mount(["/x": "X", "/y": "Y"], refusesIDs: refusesIDs)
        try await harness.put("/x", "X, a day of work")
        try await harness.relocate("/y", to: "/w")
        try await harness.relocate("/x", to: "/y")
        try await harness.delete("/x")
        try await harness.move("/y", to: "/z")
        let tree = try await settle(harness)
        #expect(tree == ["/y": "X, a day of work", "/z": "Y"])
    }

    @Test(
        "a folder that others have moved and filled is not deleted for an empty one in its place",
        arguments: [false, true])
    func removal(refusesIDs: Bool) async throws {
        let harness = try await mount([:], folders: ["/d"], refusesIDs: refusesIDs)
        try await harness.relocate("/d", to: "/e")
        try await harness.put("/e/thesis", "precious")
        try await harness.putFolder("/d")
        try await harness.delete("/d")
        let tree = try await settle(harness)
        #expect(tree["/e/thesis"] == "precious", "\(tree)")
    }
}
