// Nodes that this mount has created or moved and that no delta contains: another client had moved
// the folder before, and then deleted the one that the server had created. They are requested by
// ID.

import Core
import Logging
import MetadataStore
import RemoteStore
import Tree

extension ChangeFeed {
    /// Number of IDs to request after one step of deltas; the rest follows at later steps.
    private static let mostUntold = 32

    /// Applies the present place of each of these, or its deletion. Called while the gate is held that
    /// was held for the deltas, with no commit in flight: no later delta will contain them.
    func bringInUntold() async throws(SyncError) {
        let ids = try await fromStore {
            try await environment.store.read { try $0.unconfirmedIDs(limit: Self.mostUntold) }
        }
        guard !ids.isEmpty else { return unansweredSteps.forget() }
        let answers = try await ask(for: ids)
        if answers.settled.count < ids.count {
            unansweredSteps.note()
        } else {
            unansweredSteps.forget()
        }
        guard !answers.settled.isEmpty else { return }
        await environment.hashUnsent(like: answers.found)
        let context = environment.deltaContext()
        let outcome = try await bringIn(context) { transaction, context in
            var applier = try DeltaApplier(transaction: transaction, context: context)
            try applier.apply(answers.found)
            try transaction.forgetUnconfirmed(answers.settled)
            for id in answers.gone { try applier.removeMissing(id) }
            return applier.outcome
        }
        environment.noteReceived(outcome.changes)
    }

    private func ask(for ids: [FileID]) async throws(SyncError) -> UntoldAnswers {
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
                guard error.isAboutNode else { throw .remote(error) }
                environment.log.notice(
                    "the server does not say where something is that no delta tells of",
                    metadata: ["id": "\(id)", "error": "\(error)"])
                // A repeated request would fail alike and delay the deltas, which have the node's
                // later changes.
                if !error.isTransient { answers.settled.append(id) }
            }
        }
        return answers
    }
}

/// The server's responses for some IDs.
private struct UntoldAnswers: Sendable {
    var found: [RemoteEntry] = []
    var gone: [FileID] = []
    /// The IDs that need no further request.
    var settled: [FileID] = []
}

extension RemoteError {
    /// Whether the error may concern only the requested node: not the connection, the login, or the
    /// root.
    fileprivate var isAboutNode: Bool {
        switch self {
        case .offline, .timedOut, .rateLimited, .unauthorized, .cursorReset, .rootChanged,
            .rootMissing, .contentUnreadable, .cancelled:
            false
        case .forbidden, .notFound, .notAFolder, .notAFile, .conflict, .insufficientSpace,
            .tooLarge, .tooManyEntries, .disallowedName, .busy, .protected, .notDownloadable,
            .contentMismatch, .sessionLost, .malformed, .server:
            true
        }
    }
}
