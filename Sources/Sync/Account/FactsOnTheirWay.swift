// The files whose modes, times and attributes are on their way alone. A save may have given the
// identity of such a file to another node, whose content takes newer facts along: the two requests
// name no state that must be there, so the server could carry them out in either order.

import Core
import Synchronization

/// The files of requests that send facts alone.
final class FactsOnTheirWay: Sendable {
    /// Lock: a leaf; no other lock is taken under it.
    private let ids = Mutex<Set<FileID>>([])

    func contains(_ id: FileID) -> Bool { ids.withLock { $0.contains(id) } }

    /// Runs a request, and the recording of its response.
    nonisolated(nonsending) func run<Failure: Error>(
        of id: FileID?, _ body: () async throws(Failure) -> Void
    ) async throws(Failure) {
        guard let id else { return try await body() }
        _ = ids.withLock { $0.insert(id) }
        defer { _ = ids.withLock { $0.remove(id) } }
        try await body()
    }
}
