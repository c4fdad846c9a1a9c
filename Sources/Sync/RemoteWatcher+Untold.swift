// What this mount has made or moved and the deltas do not tell of: others had moved its folder before it arrived,
// and then deleted what the server had made for it. Asked for by its id.

import Core
import Logging
import MetadataStore
import RemoteStore

extension RemoteWatcher {
    /// Identities that one step of deltas makes this mount ask for, at most; the others are asked for at later ones.
    private static let mostUntold = 32

    /// Brings in where each of these is by now, or that it is gone. In the look that has brought in the deltas, with
    /// no commit on its way: what they do not tell of will not be told.
    func bringInUntold() async throws(RemoteError) {
        let ids: [FileID]
        do {
            ids = try await environment.store.read {
                try $0.unconfirmedIDs(limit: Self.mostUntold)
            }
        } catch {
            throw .local(cause: error)
        }
        guard !ids.isEmpty else { return }
        let answers = try await ask(for: ids)
        guard !answers.settled.isEmpty else { return }
        let context = environment.deltaContext()
        try await bringIn(context) { transaction, context in
            var applier = try DeltaApplier(transaction: transaction, context: context)
            try applier.apply(answers.found)
            try transaction.forgetUnconfirmed(answers.settled)
            for id in answers.gone {
                guard let node = try transaction.node(id: id), node.remote != .absent else {
                    continue
                }
                try applier.removeRemote(node)
            }
            return applier.outcome
        }
    }

    private func ask(for ids: [FileID]) async throws(RemoteError) -> UntoldAnswers {
        var answers = UntoldAnswers()
        for id in ids {
            do throws(RemoteError) {
                if let entry = try await environment.remote.entry(of: id) {
                    answers.found.append(entry)
                } else {
                    answers.gone.append(id)
                }
                answers.settled.append(id)
            } catch {
                guard error.isAboutNode else { throw error }
                environment.log.notice(
                    "the server does not say where something is that no delta tells of",
                    metadata: ["id": "\(id)", "error": "\(error)"])
                // It would say the same again, and hold up the deltas. They tell what becomes of it.
                if !error.isTransient { answers.settled.append(id) }
            }
        }
        return answers
    }
}

/// What the server says of identities.
private struct UntoldAnswers: Sendable {
    var found: [RemoteEntry] = []
    var gone: [FileID] = []
    /// Those that are not to be asked for again.
    var settled: [FileID] = []
}

extension RemoteError {
    /// Whether it may concern the node that was asked for, and no other: not the connection, the login, or what
    /// paths start from.
    fileprivate var isAboutNode: Bool {
        switch self {
        case .offline, .timedOut, .rateLimited, .unauthorized, .cursorReset, .rootChanged,
            .rootMissing, .local, .cancelled:
            false
        case .forbidden, .notFound, .notAFolder, .notAFile, .conflict, .insufficientSpace,
            .tooLarge, .disallowedName, .busy, .protected, .notDownloadable, .contentMismatch,
            .sessionLost, .malformed, .server:
            true
        }
    }
}
