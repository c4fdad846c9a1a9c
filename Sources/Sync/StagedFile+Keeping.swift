// What of staged content is written into the store and onto the disk.

import Glibc
public import MetadataStore
import Synchronization

extension StagedFile {
    // MARK: Keeping

    /// Writes size, generation, blocks and the modification time into the node's rows, unless the node
    /// has given this content up.
    public func persist(in transaction: Transaction) throws {
        let snapshot = state.withLock { $0 }
        guard snapshot.retired == nil else { return }
        var content = snapshot.content
        content.blocks = snapshot.blocks.bytes
        guard try transaction.updateStaged(content, of: inode) else { return }
        if let modified = snapshot.modified, var local = try transaction.node(inode)?.local {
            local.modified = modified
            local.changed = modified
            try transaction.setLocal(local, of: inode)
        }
        // A full disk can undo the transaction, and then there still is something to save.
        let (generation, modified) = (content.generation, snapshot.modified)
        transaction.afterCommit { [self] in
            state.withLock { state in
                state.persistedGeneration = max(state.persistedGeneration, generation)
                if state.modified == modified {
                    state.modified = nil
                }
            }
        }
    }

    /// Makes the bytes survive power loss. What the rows say is the store's matter.
    public func synchronize() throws(StagingError) {
        guard fdatasync(descriptor) == 0 else { throw StagingError(code: errno) }
    }
}
