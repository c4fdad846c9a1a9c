// What this mount has made or moved and the deltas do not tell of: others had moved its folder before it arrived,
// and then deleted what the server had made for it. Asked for by its id.

import Core
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
        var found: [RemoteEntry] = []
        var gone: [FileID] = []
        for id in ids {
            if let entry = try await environment.remote.entry(of: id) {
                found.append(entry)
            } else {
                gone.append(id)
            }
        }
        let context = environment.deltaContext()
        let (entries, missing) = (found, gone)
        try await bringIn(context) { transaction, context in
            var applier = try DeltaApplier(transaction: transaction, context: context)
            try applier.apply(entries)
            try transaction.forgetUnconfirmed(ids)
            for id in missing {
                guard let node = try transaction.node(id: id), node.remote != .absent else {
                    continue
                }
                try applier.removeRemote(node)
            }
            return applier.outcome
        }
    }
}
