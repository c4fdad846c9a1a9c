// Keeps what this mount commits and what it hears of the server in one order.

/// Lets several commits be on their way at once, or one look at the server, but not both.
///
/// An answer to a commit and a page of news that cross each other on their way cannot be put in order
/// afterwards: the news may be older than the commit, or tell what somebody did to its result. So from
/// before the request until its answer is in the store, a commit excludes looks at the server, and a
/// look excludes commits. The content of big files travels outside of it; only its commit counts.
/// Who comes first goes first, so neither side starves.
actor CommitGate {
    private enum Kind {
        case commit, look
    }

    private var commits = 0
    private var isLooking = false
    private var waiting: [(kind: Kind, continuation: CheckedContinuation<Void, Never>)] = []

    /// Runs a commit, alone or beside others.
    nonisolated func commit<Value: Sendable, Failure: Error>(
        isAlone: Bool, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await isAlone ? commitAlone(body) : commit(body)
    }

    /// Runs a commit and the recording of its answer.
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

    /// Runs a commit that changes the paths of others, and the recording of its answer: with nothing
    /// else on its way, so that no other commit goes to a path that is another one by then.
    nonisolated func commitAlone<Value: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await look(body)
    }

    /// Runs a look at the server and the bringing in of what it found.
    nonisolated func look<Value: Sendable, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter(.look)
        do throws(Failure) {
            let value = try await body()
            await leave(.look)
            return value
        } catch {
            await leave(.look)
            throw error
        }
    }

    /// Whether somebody waits for the one who is inside.
    var isWanted: Bool { !waiting.isEmpty }

    private func enter(_ kind: Kind) async {
        if waiting.isEmpty && isFree(for: kind) {
            return admit(kind)
        }
        await withCheckedContinuation { waiting.append((kind, $0)) }
    }

    private func leave(_ kind: Kind) {
        switch kind {
        case .commit: commits -= 1
        case .look: isLooking = false
        }
        while let next = waiting.first, isFree(for: next.kind) {
            waiting.removeFirst()
            admit(next.kind)
            next.continuation.resume()
        }
    }

    private func isFree(for kind: Kind) -> Bool {
        switch kind {
        case .commit: !isLooking
        case .look: !isLooking && commits == 0
        }
    }

    private func admit(_ kind: Kind) {
        switch kind {
        case .commit: commits += 1
        case .look: isLooking = true
        }
    }
}
