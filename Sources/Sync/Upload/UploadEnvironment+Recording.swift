// Records the server's responses: one transaction each (`UploadResults`), then the effects that must
// wait for its commit. Not responsible for what a response means.

import Blocking
import Core
import Logging
import MetadataStore
import RemoteStore
import Staging
import Tree

extension UploadEnvironment {
    /// Records a response in one transaction; afterwards moves uploaded content to the cache and
    /// announces the changes, with `isOfOthers` as what other clients have done. Fails if nothing is recorded.
    @discardableResult
    func record(
        isOfOthers: Bool = false, _ body: @escaping @Sendable (inout UploadResults) throws -> Void
    ) async -> SyncOutcome<Void> {
        let recorded = await outcome {
            try await store.write { transaction in
                var results = UploadResults(
                    transaction: transaction, context: deltaContext())
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
        tell(outcome.changes, conflicts: outcome.conflicts)
        if isOfOthers { noteReceived(outcome.changes) }
        guard !outcome.retired.isEmpty else { return .success(()) }
        // The cache moves the file away, so a power cut must not restore rows that name it. If the
        // flush fails, or this process is killed, the next start does the rest (`LeftoverContent`).
        let isOnDisk = await disk.run { (try? staging.flush()) != nil }
        guard isOnDisk else { return .success(()) }
        for (number, content) in outcome.retired {
            await disk.run {
                if let content {
                    cache.adopt(
                        path: staging.path(of: number), content: content)
                }
                staging.removeFile(number)
            }
        }
        return .success(())
    }
}

private struct RecordedChanges: Sendable {
    var changes: [TreeChange]
    var retired: [(number: Int64, content: FileVersion?)]
    var conflicts: [String]
}
