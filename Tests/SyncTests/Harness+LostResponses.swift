// Mounts that end before the response to a request arrives. Not responsible for what the next start
// makes of that.

import RemoteStore
import RemoteStoreTesting
import Synchronization
import TestSupport

extension Harness {
    /// Runs until the server has made a change, and ends without the response: the network is gone
    /// from that moment.
    func runUntilLost(_ operation: RemoteOperation, knowingAll: Bool = false) async throws {
        let isLost = Mutex(false)
        faulty.inject(.failAfter(.offline("test"))) { call in
            guard call.operation == operation else { return false }
            isLost.withLock { $0 = true }
            return true
        }
        faulty.inject(.failBefore(.offline("test")), times: nil) { _ in
            isLost.withLock { $0 }
        }
        try await start(knowingAll: knowingAll)
        try await waitWhile { !isLost.withLock { $0 } }
        await stop()
        faulty.removeFaults()
    }

    /// A mount whose process ends when the server has made a commit, before it says so. Others have
    /// made `files`.
    static func killed(
        after operation: RemoteOperation, files: [String: String] = [:],
        _ prepare: (Harness) async throws -> Void
    ) async throws -> Harness {
        let harness = try Harness()
        for (path, text) in files.sorted(by: { $0.key < $1.key }) {
            try await harness.put(path, text)
        }
        try await harness.settle()
        await harness.stop()

        try await prepare(harness)
        try await harness.runUntilLost(operation, knowingAll: true)
        return harness
    }
}
