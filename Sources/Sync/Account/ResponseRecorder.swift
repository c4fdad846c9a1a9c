// Records the server's responses: one transaction each (`UploadResults`), then the effects that
// must wait for its commit. Not responsible for what a response means.

import Blocking
import Core
import Logging
import MetadataStore
import RemoteStore
import Staging
import Tree

/// Records what the server has done.
struct ResponseRecorder: Sendable {
    let account: SyncedAccount

    /// Records a response in one transaction; afterwards moves uploaded content to the cache and
    /// announces the changes, with `isOfOthers` as what other clients have done. Fails if nothing
    /// is recorded.
    @discardableResult
    func record(
        isOfOthers: Bool = false, _ body: @escaping @Sendable (inout UploadResults) throws -> Void
    ) async -> SyncOutcome<Void> {
        let recorded = await account.local.outcome {
            try await account.store.write { transaction in
                var results = UploadResults(
                    transaction: transaction, context: account.deltaContext())
                try body(&results)
                return RecordedChanges(
                    changes: results.changes, retired: results.retired.map { $0 },
                    conflicts: results.conflicts)
            }
        }
        let outcome: RecordedChanges
        switch recorded {
        case .success(let changes): outcome = changes
        case .failure(let error): return .failure(error)
        }
        await account.tell(outcome.changes, conflicts: outcome.conflicts)
        if isOfOthers { account.noteReceived(outcome.changes) }
        guard !outcome.retired.isEmpty else { return .success(()) }
        // The cache moves the file away, so a power cut must not restore rows that name it. If the
        // flush fails, or this process is killed, the next start does the rest (`LeftoverContent`).
        let isOnDisk = await account.disk.run { (try? account.staging.flush()) != nil }
        guard isOnDisk else { return .success(()) }
        for (number, content) in outcome.retired {
            await account.disk.run {
                if let content {
                    account.cache.adopt(
                        path: account.staging.path(of: number), content: content)
                }
                account.staging.removeFile(number)
            }
        }
        return .success(())
    }
}

extension SyncedAccount {
    var recorder: ResponseRecorder { ResponseRecorder(account: self) }
}

private struct RecordedChanges: Sendable {
    var changes: [TreeChange]
    var retired: [(number: Int64, content: FileVersion?)]
    var conflicts: [String]
}
