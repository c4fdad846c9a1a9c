// Files and folders that come out of a folder and take its place, with deltas that lack the steps
// between.

import Core
import RemoteStore
import RemoteStoreTesting
import Testing

@testable import Sync

@Suite struct SwapTests {
    /// The unsent changes of the file by users of this mount.
    enum Local: String, CaseIterable {
        case nothing, deleted, moved, edited
    }

    /// A mount that knows `/red/x` and `/red/rest`, and learns by a listing that the file or folder
    /// is where the folder was.
    private func swapped(_ local: Local, isFolder: Bool) async throws -> [String: String?] {
        // With a fast clock, milliseconds decide whether the delta comes first.
        let harness = try Harness(clock: SystemClock())
        try await harness.put(isFolder ? "/red/x/inner" : "/red/x", "x")
        try await harness.put("/red/rest", "rest")
        try await harness.settle()
        await harness.stop()
        switch local {
        case .nothing: break
        case .deleted: try await harness.delete("/red/x")
        case .moved: try await harness.move("/red/x", to: "/kept")
        case .edited: try await harness.write(isFolder ? "/red/x/inner" : "/red/x", "mine")
        }
        try await harness.relocate("/red/x", to: "/elsewhere")
        try await harness.remove("/red")
        try await harness.relocate("/elsewhere", to: "/red")
        harness.server.resetCursors()
        try await harness.settle()
        await harness.stop()
        try await harness.checkInvariants()
        try await harness.checkInvariants()
        return try await harness.tree()
    }

    @Test("a file takes the place of the folder that it was in", arguments: Local.allCases)
    func file(_ local: Local) async throws {
        let tree = try await swapped(local, isFolder: false)
        switch local {
        case .nothing: #expect(tree == ["/red": "x"])
        case .deleted: #expect(tree == [:])
        case .moved: #expect(tree == ["/kept": "x"])
        case .edited: #expect(tree == ["/red": "mine"])
        }
    }

    @Test("a folder takes the place of the folder that it was in", arguments: Local.allCases)
    func folder(_ local: Local) async throws {
        let tree = try await swapped(local, isFolder: true)
        switch local {
        case .nothing: #expect(tree == ["/red": nil, "/red/inner": "x"])
        case .deleted: #expect(tree == [:])
        case .moved: #expect(tree == ["/kept": nil, "/kept/inner": "x"])
        case .edited: #expect(tree == ["/red": nil, "/red/inner": "mine"])
        }
    }
}
