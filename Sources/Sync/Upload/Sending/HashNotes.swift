// The hashes of contents that are about to be sent, in their rows. A file may have been emptied
// since the decision: only closing it makes its new content complete.

import ContentHashing
import MetadataStore
import RemoteStore
import Staging
import Tree

/// Notes hashes before commits.
struct HashNotes: Sendable {
    let account: SyncedAccount

    /// Notes the hash before the commit is sent: if the response is lost, a delta with this hash is
    /// recognised as this upload's. Returns the upload with the time of this content, which may be
    /// younger than the decision. Throws `cancelled` if the content has changed since it was read.
    func note(
        _ hash: ContentHash, of file: StagedFile, _ upload: ContentUpload
    ) async throws(SyncError) -> ContentUpload {
        let current = try await account.local.run {
            try account.store.write { transaction in
                try note(hash, of: file, upload, in: transaction)
            }
        }
        guard let current else { throw .cancelled }
        return current
    }

    /// The same within a transaction; nil if the content has changed since.
    func note(
        _ hash: ContentHash, of file: StagedFile, _ upload: ContentUpload,
        in transaction: Transaction
    ) throws -> ContentUpload? {
        let generation = upload.staged.generation
        guard try save(hash, of: file, generation, in: transaction),
            let node = try transaction.node(file.inode)
        else { return nil }
        var upload = upload
        if node.modified != upload.modified {
            try upload.date(node.modified, of: node, by: account.posix, in: transaction)
        }
        return upload
    }

    /// Notes the hashes of copies, as `note` does. Steps that have changed since, or are no
    /// longer to be sent, are left out.
    func noteCopies(_ items: [StepBatch.Item]) async throws(SyncError) -> [Copy] {
        try await account.local.run {
            let files = try account.staging.existing(items.map(\.inode))
            return try account.store.write { transaction in
                try items.compactMap { item in
                    guard let file = files[item.inode], let copy = Copy(item) else { return nil }
                    let generation = copy.upload.staged.generation
                    return try save(copy.hash, of: file, generation, in: transaction) ? copy : nil
                }
            }
        }
    }

    /// Saves the hash of a generation; false if the content has changed since.
    private func save(
        _ hash: ContentHash, of file: StagedFile, _ generation: Int64, in transaction: Transaction
    ) throws -> Bool {
        file.noteHash(hash, generation: generation)
        try file.persist(in: transaction, isComplete: false)
        guard file.generation == generation else { return false }
        // Sent content is flushed first, also that of an open file.
        transaction.afterCommit { file.noteComplete() }
        return true
    }
}
