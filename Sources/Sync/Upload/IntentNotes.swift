// Upload intents around a request: written and flushed before it, removed when the server has
// refused it. Not responsible for whether a step still holds (`UploadIntent`).

import Blocking
import Core
import MetadataStore
import RemoteStore
import Staging
import Tree

/// Notes the intents of steps, and forgets them.
struct IntentNotes: Sendable {
    let account: SyncedAccount

    /// Writes the intent of a commit. Throws `cancelled` if the step no longer holds.
    func note(_ intent: UploadIntent) async throws(SyncError) -> Sent {
        guard let sent = try await note([intent]).first else { throw .cancelled }
        return sent
    }

    /// Writes the intents of a batch, and leaves out steps that no longer hold: all of them while
    /// the outcome of a folder's move is unknown, because they may be below it, or when their paths
    /// start from another root now; and contents of files whose facts are on their way.
    ///
    /// When this returns, the content, the intents, and every change that has led to the steps are
    /// flushed. So after a power cut, the tree here is not older than the server's: this mount
    /// recognises its own commits, and neither takes them for another client's nor sends the
    /// replaced content again.
    func note(_ intents: [UploadIntent]) async throws(SyncError) -> [Sent] {
        let sent = try await noteInStore(intents)
        guard !sent.isEmpty else { return [] }
        do throws(SyncError) {
            try await account.local.run { try account.staging.flush() }
        } catch {
            await forget(sent)
            throw error
        }
        return sent
    }

    /// Writes the intent of a content's commit. Throws if its flush has failed: the program that
    /// called fsync was told of that, and the file may have other bytes than those written.
    func note(_ intent: UploadIntent, of file: StagedFile) async throws(SyncError) -> Sent {
        let sent = try await note(intent)
        do throws(StagingError) {
            try file.vouch()
        } catch {
            await forget([sent])
            throw SyncError(cause: error)
        }
        return sent
    }

    private func noteInStore(_ intents: [UploadIntent]) async throws(SyncError) -> [Sent] {
        if account.state.current.isRootNew { return [] }
        let time = account.clock.date()
        return try await account.local.run {
            try account.store.write { transaction in
                guard try transaction.intendedMoves().isEmpty else { return [] }
                return try intents.enumerated().compactMap { index, intent in
                    if intent.hash != nil, let id = try transaction.node(intent.inode)?.facts.id,
                        account.factsOnTheirWay.contains(id)
                    {
                        return nil
                    }
                    return try intent.note(in: transaction, index: index, at: time)
                }
            }
        }
    }

    /// Sends an intended step. If the server refuses it or was not reached, removes the intent;
    /// after any other failure the server may have made the change, or may still make it.
    nonisolated(nonsending) func forgettingRefusal(
        of sent: Sent, _ body: () async throws(SyncError) -> Void
    ) async throws(SyncError) {
        do throws(SyncError) {
            try await body()
        } catch {
            if error.saysNotDone { await forget([sent]) }
            throw error
        }
    }

    /// Removes the intents of steps that the server has not made, and will not make.
    func forget(_ refused: [Sent]) async {
        let ids = refused.compactMap(\.intent)
        guard !ids.isEmpty else { return }
        await account.local.attempt {
            try await account.store.write { transaction in
                for id in ids { try transaction.forgetIntent(id) }
            }
        }
    }
}

extension SyncedAccount {
    var intents: IntentNotes { IntentNotes(account: self) }
}

extension SyncError {
    /// Whether the server has not made a change, and will not (`RemoteError.saysNotDone`).
    var saysNotDone: Bool {
        switch self {
        case .remote(let error): error.saysNotDone
        case .local, .baseLost, .relist, .delayed: false
        }
    }
}

extension UploadIntent {
    /// The step as a part of a batch.
    var item: StepBatch.Item { StepBatch.Item(inode: inode, step: step) }
}
