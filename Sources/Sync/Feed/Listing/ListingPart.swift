// Applies a part of a listing. Another client may have moved nodes with unsent changes between this
// part and another one: the server is asked for those that lose their places. Not responsible for
// requesting the part.

import Core
import MetadataStore
import RemoteStore
import Saturating
import Tree

/// Applies the parts of a listing: pages, or the contents of folders.
struct ListingPart: Sendable {
    /// Number of nodes to ask the server for in one part. The others that lose their places count
    /// as deleted by other clients. If they were moved, a later delta shows them as new: an unsent
    /// deletion is undone then, and an edit is another file.
    private static let most = 64
    /// How often the server is asked again for a node about which it fails for the moment, and the
    /// seconds before each time. Commits wait, so this ends soon.
    private static let repetitions = (most: 3, pause: 1.0)

    let account: SyncedAccount
    let writer: FeedWriter
    let untoldNodes: UntoldNodes

    /// Applies entries by `body`, which gets them with those of nodes that the server was asked
    /// for. Called while the gate is held that was held for the request.
    @discardableResult
    func apply(
        _ entries: [RemoteEntry], _ context: DeltaContext,
        _ body:
            @escaping @Sendable (Transaction, DeltaContext, [RemoteEntry]) throws ->
            DeltaOutcome
    ) async throws(SyncError) -> DeltaOutcome {
        var entries = entries
        var located: Set<FileID> = []
        while true {
            await UnsentHashes(account: account).note(like: entries)
            let told = entries
            var context = context
            context.located = located.count < Self.most ? located : nil
            let part = try await writer.bringInPart(context) { transaction, context in
                try body(transaction, context, told)
            }
            if let outcome = part.outcome { return outcome }
            let ids = part.unlocated.sorted { $0.rawValue < $1.rawValue }
                .prefix(max(0, Self.most -| located.count))
            entries.append(contentsOf: try await locate(Array(ids)))
            located.formUnion(ids)
        }
    }

    /// The entries of nodes, as far as the server has them. A node without an entry counts as
    /// deleted by other clients: the server has to say so, unless it fails time after time.
    private func locate(_ ids: [FileID]) async throws(SyncError) -> [RemoteEntry] {
        var found: [RemoteEntry] = []
        var unsettled = ids
        for repetition in 0...Self.repetitions.most {
            if repetition > 0 { try await pause() }
            let answers = try await untoldNodes.ask(for: unsettled)
            found.append(contentsOf: answers.found)
            if answers.areComplete { break }
            unsettled.removeAll { answers.settled.contains($0) }
        }
        return found
    }

    private func pause() async throws(SyncError) {
        let end = account.clock.now().adding(seconds: Self.repetitions.pause)
        do throws(CancellationError) {
            try await account.clock.sleep(until: end)
        } catch {
            throw .cancelled
        }
    }
}
