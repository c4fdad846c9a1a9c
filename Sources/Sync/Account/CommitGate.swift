// Orders this mount's commits and its reads of the server.

import Saturating

/// A readers-writer lock: several commits at a time, or one metadata read.
///
/// If a commit and a request for deltas are in flight at the same time, nothing tells which of the
/// two the server handled first: the deltas may be older than the commit, or contain another
/// client's change of its result. So a commit excludes reads of the server's tree from before its
/// request until its response is in the store, and such a read excludes commits. The content of big
/// files is sent without the gate: only the commit at its end needs it. Requests enter in the order
/// of their arrival, so that neither side starves.
actor CommitGate {
    private enum Kind {
        case commit, read
    }

    private var commits = 0
    private var isReading = false
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
        await enter(.commit)
        do throws(Failure) {
            let value = try await body()
            await leave(.commit)
            return value
        } catch {
            await leave(.commit)
            throw error
        }
    }

    /// Runs a commit that changes the paths of other nodes, and the recording of its response: with
    /// no other commit in flight, which could go to an outdated path.
    nonisolated func commitAlone<Value: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await read(body)
    }

    /// Runs a read of the server and the recording of its result.
    nonisolated func read<Value: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter(.read)
        do throws(Failure) {
            let value = try await body()
            await leave(.read)
            return value
        } catch {
            await leave(.read)
            throw error
        }
    }

    /// Whether commits or metadata reads are waiting.
    var isWanted: Bool { !waiting.isEmpty }

    private func enter(_ kind: Kind) async {
        if waiting.isEmpty && isFree(for: kind) {
            return admit(kind)
        }
        await withCheckedContinuation { waiting.append((kind, $0)) }
    }

    private func leave(_ kind: Kind) {
        switch kind {
        case .commit: commits -|= 1
        case .read: isReading = false
        }
        while let next = waiting.first, isFree(for: next.kind) {
            waiting.removeFirst()
            admit(next.kind)
            next.continuation.resume()
        }
    }

    private func isFree(for kind: Kind) -> Bool {
        switch kind {
        case .commit: !isReading
        case .read: !isReading && commits == 0
        }
    }

    private func admit(_ kind: Kind) {
        switch kind {
        case .commit: commits +|= 1
        case .read: isReading = true
        }
    }
}
