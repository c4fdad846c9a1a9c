// The feed's access to the local database, and its announcements. A contradiction leads to a
// full listing. Not responsible for the requests to the server, nor for their order.

import Core
import Logging
import MetadataStore
import RemoteStore
import Tree

/// Commits the server's answers, and announces the changes.
struct FeedWriter: Sendable {
    let account: SyncedAccount
    let uploader: Uploader

    func setting(_ key: String) async throws(SyncError) -> String? {
        try await fromStore { try await account.store.read { try $0.setting(key) } }
    }

    /// Applies changes. Those of the feed are what other clients have done. Returns false if unsent
    /// content needs its hash first.
    @discardableResult
    func write(
        isFeed: Bool = false, _ body: @escaping @Sendable (Transaction) throws -> DeltaOutcome
    ) async throws(SyncError) -> Bool {
        let outcome: DeltaOutcome
        do {
            outcome = try await account.store.write(body)
        } catch is UnhashedContent {
            return false
        } catch {
            throw failure(error)
        }
        await tell(outcome)
        if isFeed { account.noteReceived(outcome.changes) }
        return true
    }

    /// Applies the result of a listing or a metadata read. Contradictory entries are left out.
    @discardableResult
    func bringIn(
        _ context: DeltaContext,
        _ body: @escaping @Sendable (Transaction, DeltaContext) throws -> DeltaOutcome
    ) async throws(SyncError) -> DeltaOutcome {
        let outcome: DeltaOutcome
        do {
            outcome = try await account.store.bringIn(context, body)
        } catch {
            throw failure(error)
        }
        await noteBroughtIn(outcome)
        return outcome
    }

    /// The same for a part of a listing. Returns the nodes without the outcome if the server is to
    /// be asked for these first; then nothing is applied.
    func bringInPart(
        _ context: DeltaContext,
        _ body: @escaping @Sendable (Transaction, DeltaContext) throws -> DeltaOutcome
    ) async throws(SyncError) -> (outcome: DeltaOutcome?, unlocated: Set<FileID>) {
        do {
            let outcome = try await account.store.bringIn(context, body)
            await noteBroughtIn(outcome)
            return (outcome, [])
        } catch let nodes as UnlocatedNodes {
            return (nil, nodes.ids)
        } catch {
            throw failure(error)
        }
    }

    private func noteBroughtIn(_ outcome: DeltaOutcome) async {
        await tell(outcome)
        guard outcome.leftOut > 0 else { return }
        account.log.warning(
            "what the server says contradicts itself: entries left out",
            metadata: ["entries": "\(outcome.leftOut)"])
    }

    /// Deltas that contradict the tree would do so again: everything is listed again.
    private func failure(_ error: any Error) -> SyncError {
        guard MetadataStore.isContradiction(error) else {
            let failure = SyncError(cause: error)
            if case .local(let reason) = failure { account.state.noteStore(reason) }
            return failure
        }
        account.log.warning(
            "deltas contradict the tree: listing again",
            metadata: ["contradiction": "\(error)"])
        return .relist(.contradiction)
    }

    private func tell(_ outcome: DeltaOutcome) async {
        account.noteListed(outcome)
        await account.tell(outcome.changes, conflicts: outcome.conflicts)
        uploader.wake()
    }
}
