// Saving staged content to the store and to the disk.

import Core
package import MetadataStore
import Saturating
import Synchronization

extension StagedFile {
    /// Saves size, generation, blocks and the modification time in the node's rows, unless the node
    /// has given this content up.
    ///
    /// If an fsync has acknowledged earlier content, this content is flushed first, because its row
    /// replaces a row that is safe. If the disk refuses that and the row is not safe yet, because
    /// the earlier content is its fallback, the content is saved nevertheless. Otherwise it is
    /// flushed in the background, but only once it is complete: a file that was only truncated so
    /// far is not, so that a power cut leaves the server's version. `known` are the node's local
    /// facts, if the transaction has read them.
    package func persist(
        in transaction: Transaction, isComplete: Bool = true, known: LocalFacts? = nil
    ) throws {
        let (snapshot, stamp) = try flushOwed()
        guard snapshot.end == nil else { return }
        var content = snapshot.row
        content.stamp = stamp
        // The row names these blocks from now on.
        if snapshot.fills.flushed < snapshot.fills.all {
            content.flushed = min(content.flushed, content.generation -| 1)
        }
        let isNew = content.generation > snapshot.persistedGeneration
        guard try transaction.updateStaged(content, of: inode, isNew: isNew) else { return }
        // Blocks of the former base, which a session may have, are compared with nothing later.
        if snapshot.unsavedBase != nil { try transaction.forgetUpload(of: inode) }
        if let modified = snapshot.modified,
            var local = try known ?? transaction.node(inode)?.local
        {
            local.modified = modified
            local.changed = modified
            try transaction.setLocal(local, of: inode)
        }
        // A full disk can roll the transaction back, and then the changes are still unsaved.
        let (saved, modified) = (content, snapshot.modified)
        transaction.afterCommit { [self] in
            state.withLock { state in
                state.noteSaved(saved, modified: modified)
                if saved.isVouched { bytes.flusher.invalidated.remove(number) }
            }
            if isComplete && !saved.isFlushed {
                bytes.flushLater(saved.generation, of: inode)
            }
        }
    }

    /// Flushes content whose row is to replace one that is safe, unless the disk refuses that and
    /// the earlier content is its fallback. Returns the state for the row, and its stamp.
    private func flushOwed() throws(StagingError) -> (StagedState, WallTime?) {
        // Most of it without the lock, so that writers need not wait.
        var isRefused = false
        if state.withLock({ $0.owesFlush }) {
            do throws(StagingError) {
                try synchronize(promising: false)
            } catch {
                if state.withLock({ $0.isRowFlushed }) { throw error }
                isRefused = true
            }
        }
        // Bytes written since then belong to the same row.
        return try state.withLock { [isRefused] (state) throws(StagingError) in
            if state.owesFlush, !isRefused {
                try bytes.flushInTransaction()
                state.noteAllFlushed()
            }
            state.noteSaving()
            return (state, bytes.stamp)
        }
    }

    /// Makes the next row say that its bytes may not be on the disk, and are not those of a pending
    /// copy, because some of them are about to be written over.
    package func invalidateFlushedRow() {
        state.withLock { $0.invalidateFlushedRow() }
    }

    /// Makes the row that was saved last survive a power cut, which then brings back no earlier
    /// one. `flush` is the store's.
    package func synchronizeRow(_ flush: () throws -> Void) rethrows {
        // From before the flush: a later row may not be on the disk.
        let saved = state.withLock { $0.persistedGeneration }
        try flush()
        noteRowOnDisk(saved)
    }

    /// Notes that the disk has the row of a generation.
    func noteRowOnDisk(_ generation: Int64) {
        state.withLock { state in
            if state.noteRowOnDisk(generation) { bytes.flusher.invalidated.insert(number) }
        }
    }

    /// Marks the saved content as complete, because a handle was closed.
    package func noteComplete() {
        let saved = state.withLock { $0.savedUnflushedGeneration }
        guard let saved else { return }
        bytes.flushLater(saved, of: inode)
    }

    /// Makes the bytes survive power loss. The rows are the store's.
    ///
    /// With `promising`, this was acknowledged to a user: only content that is as safe may replace
    /// it later. Once it has failed, it fails until the content is emptied or replaced.
    package func synchronize(promising: Bool) throws(StagingError) {
        let (generation, fills, isNameFlushed) = state.withLock {
            ($0.content.generation, $0.fills.all, $0.isNameFlushed)
        }
        try bytes.flush()
        if !isNameFlushed { try bytes.flushName() }
        state.withLock { $0.noteFlushed(generation, fills: fills, promising: promising) }
    }

    /// Makes this content as safe as the content that it replaces, in the same transaction.
    package func inheritPromise(in transaction: Transaction) throws {
        try synchronize(promising: true)
        try persist(in: transaction)
    }

    /// Marks this file as replaced by another staging file, in the transaction that records that.
    /// Open readers continue with it; no later write changes it.
    package func replace() {
        state.withLock { $0.setReplaced(true) }
    }

    /// Undoes `replace`, because its transaction was rolled back.
    package func takeBack() {
        state.withLock { $0.setReplaced(false) }
    }

    /// Whether an fsync has acknowledged some version of this content.
    package var isPromised: Bool {
        state.withLock { $0.end == nil && $0.content.promised > 0 }
    }

    /// Whether some version of this content was flushed.
    package var hasFlushedContent: Bool {
        state.withLock { $0.end == nil && $0.content.flushed > 0 }
    }

    /// Notes that the flusher has flushed a generation, with so many filled blocks. Not flushed if
    /// bytes of the row's content were written over, or blocks filled in, before the flush ended:
    /// the disk may have a mixture then. Called in the transaction of the row, so that later writes
    /// invalidate the row first.
    ///
    /// The stamp is the file's time, unless it has bytes that the row does not know.
    func noteFlushed(
        _ generation: Int64, fills: Int
    ) -> (isFlushed: Bool, stamp: WallTime?) {
        state.withLock { state in
            guard state.noteRowFlushed(generation, fills: fills) else { return (false, nil) }
            if state.isRowVouched { bytes.flusher.invalidated.remove(number) }
            return (true, state.content.generation == generation ? bytes.stamp : nil)
        }
    }

    /// Notes that an fsync has acknowledged a flushed generation, and that the row says so.
    func notePromise(_ generation: Int64) {
        state.withLock { $0.notePromise(generation) }
    }
}
