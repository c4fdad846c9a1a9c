// The two ways to work with the local disk: for the store, and for files. Not responsible for the
// work.

import Blocking
import Logging
import MetadataStore

/// Works with the local disk, and reports its failures.
final class LocalAccess: Sendable {
    let contradiction = NotedContradiction()
    private let disk: DiskQueue
    private let state: SyncState
    private let log: Logger

    init(disk: DiskQueue, state: SyncState, log: Logger) {
        self.disk = disk
        self.state = state
        self.log = log
    }

    /// Runs store work whose failure is the disk's: logged, shown in status, and retried with the
    /// next step.
    @discardableResult
    nonisolated(nonsending) func attempt<Value: Sendable>(_ work: () async throws -> Value) async
        -> Value?
    {
        try? await outcome(of: work).get()
    }

    /// The same, for callers that need the error.
    nonisolated(nonsending) func outcome<Value: Sendable>(
        of work: () async throws -> Value
    ) async -> SyncOutcome<Value> {
        do {
            return .success(try await work())
        } catch {
            let failure = SyncError(cause: error)
            guard case .local(let reason) = failure else { return .failure(failure) }
            let isContradiction = MetadataStore.isContradiction(error)
            if isContradiction { contradiction.note() }
            let message: Logger.Message =
                isContradiction
                ? "a response contradicts the tree: listing again" : "the database failed"
            log.error(message, metadata: ["error": "\(error)"])
            state.noteStore(reason)
            return .failure(failure)
        }
    }

    /// Runs work on the local disk on a thread that may wait for it.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws(SyncError) -> Value {
        do {
            return try await disk.run(work)
        } catch {
            throw SyncError(cause: error)
        }
    }
}
