// How the watcher reads and writes the local database, and what it tells of what changed. What contradicts itself
// leads to a listing of everything.

import Core
import Logging
import MetadataStore
import RemoteStore

extension RemoteWatcher {
    func setting(_ key: String) async throws(RemoteError) -> String? {
        do {
            return try await environment.store.read { try $0.setting(key) }
        } catch {
            throw .local(cause: error)
        }
    }

    func write(
        _ body: @escaping @Sendable (Transaction) throws -> DeltaOutcome
    ) async throws(RemoteError) {
        let outcome: DeltaOutcome
        do {
            outcome = try await environment.store.write(body)
        } catch {
            throw failure(error)
        }
        tell(outcome)
    }

    /// Brings in what a listing or a look has found. What contradicts itself is left out.
    @discardableResult
    func bringIn(
        _ context: DeltaContext,
        _ body: @escaping @Sendable (Transaction, DeltaContext) throws -> DeltaOutcome
    ) async throws(RemoteError) -> DeltaOutcome {
        let outcome: DeltaOutcome
        do {
            outcome = try await environment.store.bringIn(context, body)
        } catch {
            throw failure(error)
        }
        tell(outcome)
        if outcome.leftOut > 0 {
            environment.log.warning(
                "what the server says contradicts itself: entries left out",
                metadata: ["entries": "\(outcome.leftOut)"])
        }
        return outcome
    }

    /// Changes that cannot be true together with what is known will not become so by asking again: all is
    /// listed again.
    private func failure(_ error: any Error) -> RemoteError {
        guard MetadataStore.isContradiction(error) else {
            let failure = RemoteError.local(cause: error)
            if case .local(let reason) = failure { environment.state.noteStore(reason) }
            return failure
        }
        environment.log.warning(
            "what the server says contradicts what is known: listing again",
            metadata: ["contradiction": "\(error)"])
        return .cursorReset
    }

    private func tell(_ outcome: DeltaOutcome) {
        environment.tell(outcome.changes, conflicts: outcome.conflicts)
        uploader.wake()
    }
}

/// What applying a batch changed.
struct DeltaOutcome: Sendable {
    var changes: [TreeChange] = []
    var conflicts: [String] = []
    /// Entries that were left out because they contradict what is stored.
    var leftOut = 0
    /// Nodes that the running listing had not met before.
    var met = 0
}

extension DeltaApplier {
    var outcome: DeltaOutcome {
        DeltaOutcome(changes: changes, conflicts: conflicts, leftOut: leftOut, met: met)
    }
}
