// Conditions that tests wait for besides an empty queue. Not responsible for the queue
// (`Harness.swift`).

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import TestSupport

extension Harness {
    /// Waits until no deleted folder has still to be searched: that follows the end of its step.
    func finishSearches() async throws {
        try await waitWhile { try await !store.read({ try $0.folderSearches() }).isEmpty }
    }

    /// Waits until the mount knows all that the server has, and asks for nothing but the next
    /// change: only then do later faults of the deltas keep everything from it that others do from
    /// now on.
    func finishFeed() async throws {
        try await finishDeltas()
        try await waitWhile { faulty.calls.last?.operation != .waitForChange }
    }

    /// Waits until all deltas that the server has are applied.
    func finishDeltas() async throws {
        let last = try await server.latestCursor()
        try await waitWhile {
            try await store.read({ try $0.setting("feed.cursor") }) != last.rawValue
        }
    }
}
