// Orders this mount's commits and its reads of the server.

import Saturating

/// A readers-writer lock: commits share it; a read of the server, or a commit that changes other
/// nodes' paths, has it alone.
///
/// If a commit and a request for deltas are in flight at the same time, nothing tells which of the
/// two the server handled first: the deltas may be older than the commit, or contain another
/// client's change of its result. So a commit excludes reads of the server's tree from before its
/// request until its response is in the store, and such a read excludes commits. The content of big
/// files is sent without the gate: only the commit at its end needs it. Requests enter in the order
/// of their arrival, so that neither side starves.
actor CommitGate {
    private enum Kind {
        case shared, exclusive
    }

    private var commits = 0
    private var isHeldExclusively = false
    private var waiting: [(kind: Kind, continuation: CheckedContinuation<Void, Never>)] = []

    /// Runs a commit, alone or beside others.
    nonisolated func commit<Value: Sendable, Failure: Error>(
        isAlone: Bool, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await isAlone ? commitAlone(body) : commit(body)
    }

    /// Runs a commit and the recording of its response.
    nonisolated func commit<Value: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter(.shared)
        do throws(Failure) {
            let value = try await body()
            await leave(.shared)
            return value
        } catch {
            await leave(.shared)
            throw error
        }
    }

    /// Runs a commit that changes the paths of other nodes, and the recording of its response: with
    /// no other commit in flight, which could go to an outdated path.
    nonisolated func commitAlone<Value: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await exclusively(body)
    }

    /// Runs a read of the server and the recording of its result.
    nonisolated func read<Value: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await exclusively(body)
    }

    /// Runs what nothing else may be in flight beside.
    private nonisolated func exclusively<Value: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter(.exclusive)
        do throws(Failure) {
            let value = try await body()
            await leave(.exclusive)
            return value
        } catch {
            await leave(.exclusive)
            throw error
        }
    }

    /// Whether commits or reads are waiting.
    var isWanted: Bool { !waiting.isEmpty }

    private func enter(_ kind: Kind) async {
        if waiting.isEmpty && isFree(for: kind) {
            return admit(kind)
        }
        await withCheckedContinuation { waiting.append((kind, $0)) }
    }

    private func leave(_ kind: Kind) {
        switch kind {
        case .shared: commits -|= 1
        case .exclusive: isHeldExclusively = false
        }
        while let next = waiting.first, isFree(for: next.kind) {
            waiting.removeFirst()
            admit(next.kind)
            next.continuation.resume()
        }
    }

    private func isFree(for kind: Kind) -> Bool {
        switch kind {
        case .shared: !isHeldExclusively
        case .exclusive: !isHeldExclusively && commits == 0
        }
    }

    private func admit(_ kind: Kind) {
        switch kind {
        case .shared: commits +|= 1
        case .exclusive: isHeldExclusively = true
        }
    }
}
