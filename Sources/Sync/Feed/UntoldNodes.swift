// Nodes that this mount has created or moved and that no delta contains: another client had moved
// the folder before, and then deleted the folder that the server had created. They are requested by
// ID. Not responsible for when: `ChangeFeed` asks after each batch of deltas, and `ListingPart` for
// nodes that a part of a listing lacks.

import Core
import Logging
import MetadataStore
import RemoteStore
import Tree

/// Requests the nodes that no delta contains, and applies the answers. Called while the gate is
/// held that was held for the deltas, with no commit in flight: no later delta will contain them.
struct UntoldNodes: Sendable {
    /// Number of IDs to request after one batch of deltas; the rest follows after later ones.
    private static let most = 32

    let account: SyncedAccount
    let writer: FeedWriter

    /// Requests the present places of nodes; no answers if there is no such node.
    func ask() async throws(SyncError) -> UntoldAnswers {
        let ids = try await fromStore {
            try await account.store.read { try $0.unconfirmedIDs(limit: Self.most) }
        }
        guard !ids.isEmpty else { return UntoldAnswers() }
        return try await ask(for: ids)
    }

    /// Applies the present place of each node, or its deletion.
    func apply(_ answers: UntoldAnswers) async throws(SyncError) {
        guard !answers.settled.isEmpty else { return }
        try await account.checkReserve(answers.found)
        let found = try await UndoneEdits(account: account).tell(before: answers.found)
        await UnsentHashes(account: account).note(like: found)
        let context = account.deltaContext()
        let outcome = try await writer.bringIn(context) { transaction, context in
            var applier = try DeltaApplier(transaction: transaction, context: context)
            // Folders that have moved wait for the feed again.
            try transaction.forgetUnconfirmed(answers.settled)
            try applier.apply(found)
            for id in answers.gone { try applier.removeMissing(id) }
            return applier.outcome
        }
        account.noteReceived(outcome.changes)
    }

    /// Requests the present places of these nodes.
    func ask(for ids: [FileID]) async throws(SyncError) -> UntoldAnswers {
        var answers = UntoldAnswers()
        for id in ids {
            do throws(RemoteError) {
                if let entry = try await account.remote.entry(of: id) {
                    answers.found.append(entry)
                } else {
                    answers.gone.append(id)
                }
                answers.settled.append(id)
            } catch {
                guard error.isAboutNode else { throw .remote(error) }
                account.log.notice(
                    "the server does not say where a node is",
                    metadata: ["id": "\(id)", "error": "\(error)"])
                // A repeated request would fail alike and delay the deltas, which have the node's
                // later changes.
                if !error.isTransient { answers.settled.append(id) }
            }
        }
        answers.areComplete = answers.settled.count == ids.count
        return answers
    }
}

/// The server's responses for some IDs.
struct UntoldAnswers: Sendable {
    fileprivate(set) var found: [RemoteEntry] = []
    fileprivate var gone: [FileID] = []
    /// The IDs that need no further request.
    fileprivate(set) var settled: [FileID] = []
    /// Whether those are all.
    fileprivate(set) var areComplete = true
}

/// Consecutive batches of deltas after which the server could not be asked for an unconfirmed node,
/// although it was reachable.
struct UnansweredBatches {
    /// Maximum seconds until the nodes are requested again. Deltas wait for that long, too.
    private static let longestPause = 4.0
    /// How often that is in a row.
    private static let most = 10

    private var pace = ServerPace()

    mutating func note(_ answers: UntoldAnswers) {
        if answers.areComplete { pace.forget() } else { pace.note() }
    }

    /// Seconds until the nodes are requested again; nil if the next deltas are waited for first. A
    /// server that goes on failing is asked after each wait for changes, which ends after minutes.
    var pause: Double? {
        guard 1...Self.most ~= pace.count else { return nil }
        return pace.pause(atMost: Self.longestPause)
    }
}

extension RemoteError {
    /// Whether the error may concern only the requested node: not the connection, the login, or the
    /// root.
    var isAboutNode: Bool {
        switch self {
        case .offline, .unreachable, .timedOut, .rateLimited, .unauthorized, .cursorReset,
            .rootChanged, .rootMissing, .contentUnreadable, .cancelled:
            false
        case .forbidden, .notFound, .notAFolder, .notAFile, .conflict, .insufficientSpace,
            .tooLarge, .tooManyEntries, .disallowedName, .busy, .protected, .notDownloadable,
            .contentMismatch, .sessionLost, .malformed, .server, .unsent:
            true
        }
    }
}
