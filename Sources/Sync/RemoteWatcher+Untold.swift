// What this mount has made and the changes do not tell of: others had moved its folder before it arrived, and
// then deleted what the server had made for it. Asked for by its id.

import Core
import MetadataStore
import RemoteStore

extension RemoteWatcher {
    /// Brings in where each of these is by now, or that it is gone. In the look that has brought in the changes.
    func bringInUntold(_ ids: [FileID]) async throws(RemoteError) {
        guard !ids.isEmpty else { return }
        var found: [RemoteEntry] = []
        var gone: [FileID] = []
        do throws(RemoteError) {
            for id in ids {
                if let entry = try await environment.remote.entry(of: id) {
                    found.append(entry)
                } else {
                    gone.append(id)
                }
            }
        } catch {
            environment.unconfirmed.add(ids)
            throw error
        }
        let context = environment.deltaContext()
        let (entries, missing) = (found, gone)
        try await bringIn(context) { transaction, context in
            var applier = try DeltaApplier(transaction: transaction, context: context)
            try applier.apply(entries)
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
