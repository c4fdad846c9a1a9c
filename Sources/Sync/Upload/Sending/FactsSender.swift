// Sends modes, times and attributes alone: one request for each file, one after the other.

import Core
import MetadataStore
import RemoteStore
import Tree

/// Sends the facts of nodes whose content the server has.
struct FactsSender: Sendable {
    let account: SyncedAccount

    /// Sends facts, and records that the server has them.
    func send(_ update: FactsUpdate, for inode: InodeID) async throws(SyncError) {
        try await account.gate.commit { () async throws(SyncError) in
            try await account.factsOnTheirWay.run(of: update.node.id) {
                () async throws(SyncError) in
                try await sendNow(update, for: inode)
            }
        }
    }

    private func sendNow(_ update: FactsUpdate, for inode: InodeID) async throws(SyncError) {
        let intent = UploadIntent(inode: inode, step: .setFacts(update))
        let sent = try await account.intents.note(intent)
        try await account.intents.forgettingRefusal(of: sent) { () async throws(SyncError) in
            try await fromServer(await account.remote.setFacts(update.facts, of: update.node))
        }
        await account.recorder.record { results in
            try results.endIntent(sent)
            try results.noteFacts(update, of: inode)
        }
    }

    /// Sends the facts of several nodes. After a failure that is not about one of them, the others
    /// fail with it.
    func send(_ items: [StepBatch.Item]) async -> [BatchSender.Failure] {
        var failures: [BatchSender.Failure] = []
        var obstacle: SyncError?
        for item in items {
            guard case .setFacts(let update) = item.step else { continue }
            do throws(SyncError) {
                if let obstacle { throw obstacle }
                try await send(update, for: item.inode)
                account.activities?.note(.done(item.step))
            } catch {
                if error.isAboutConnection { obstacle = error }
                failures.append((item, error))
            }
        }
        return failures
    }
}

extension SyncError {
    /// Whether the next request would most likely fail, too.
    fileprivate var isAboutConnection: Bool {
        switch self {
        case .remote(.offline), .remote(.unreachable), .remote(.timedOut), .remote(.rateLimited),
            .remote(.unauthorized), .remote(.rootChanged), .remote(.rootMissing), .remote(.server),
            .remote(.unsent), .remote(.cancelled), .local:
            true
        case .remote, .baseLost, .relist, .delayed: false
        }
    }
}
