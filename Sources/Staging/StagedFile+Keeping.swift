// What of staged content is written into the store and onto the disk.

import Core
import Glibc
public import MetadataStore
import Synchronization

extension StagedFile {
    // MARK: Keeping

    /// Writes size, generation, blocks and the modification time into the node's rows, unless the node
    /// has given this content up.
    ///
    /// Content with a promise reaches the disk first: the row that replaces a safe one is as safe. Content
    /// that is not complete, as that of a file that was only emptied so far, is not flushed by itself: until
    /// it is complete, a power cut leaves what the server has.
    public func persist(in transaction: Transaction, isComplete: Bool = true) throws {
        // Most of it with the lock free, so that writers need not wait.
        if state.withLock({ $0.owesFlush }) { try synchronize(promising: false) }
        // What they have written meanwhile belongs to the same row.
        let (snapshot, stamp) = try state.withLock { (state) throws(StagingError) in
            if state.owesFlush {
                guard fdatasync(descriptor) == 0 else { throw StagingError(code: errno) }
                state.content.flushed = state.content.generation
            }
            return (state, fileStamp)
        }
        guard snapshot.end == nil else { return }
        var content = snapshot.content
        content.blocks = snapshot.blocks.bytes
        content.stamp = stamp
        let isNew = content.generation > snapshot.persistedGeneration
        guard try transaction.updateStaged(content, of: inode, isNew: isNew) else { return }
        if let modified = snapshot.modified, var local = try transaction.node(inode)?.local {
            local.modified = modified
            local.changed = modified
            try transaction.setLocal(local, of: inode)
        }
        // A full disk can undo the transaction, and then there still is something to save.
        let (generation, modified) = (content.generation, snapshot.modified)
        let (isFlushed, promised) = (content.isFlushed, content.promised)
        transaction.afterCommit { [self] in
            state.withLock { state in
                state.persistedGeneration = max(state.persistedGeneration, generation)
                state.persistedPromise = max(state.persistedPromise, promised)
                if state.modified == modified {
                    state.modified = nil
                }
            }
            if isComplete && !isFlushed {
                flusher.add(FlushedContent(inode: inode, file: number, generation: generation))
            }
        }
    }

    /// The content that the rows speak of is complete: somebody has closed the file.
    public func noteComplete() {
        let saved = state.withLock { state in
            let content = state.content
            let isSaved = content.generation == state.persistedGeneration
            return isSaved && state.end == nil && content.flushed < content.generation
                ? content.generation : nil
        }
        guard let saved else { return }
        flusher.add(FlushedContent(inode: inode, file: number, generation: saved))
    }

    /// Makes the bytes survive power loss. What the rows say is the store's matter.
    ///
    /// With `promising`, that has been acknowledged to a user: no later content without as much may take
    /// the place of this one.
    public func synchronize(promising: Bool) throws(StagingError) {
        let (generation, isNameFlushed) = state.withLock {
            ($0.content.generation, $0.isNameFlushed)
        }
        guard fdatasync(descriptor) == 0 else { throw StagingError(code: errno) }
        if !isNameFlushed { try flusher.flushFolder() }
        state.withLock { state in
            state.isNameFlushed = true
            state.content.flushed = max(state.content.flushed, generation)
            if promising { state.content.promised = max(state.content.promised, generation) }
        }
    }

    /// Makes content that replaces a safe one as safe as that, in the transaction that replaces it.
    public func inheritPromise(in transaction: Transaction) throws {
        try synchronize(promising: true)
        try persist(in: transaction)
    }

    /// Another staging file takes this one's place, in the transaction that records that. Readers who have this
    /// one open read on in it; nothing changes it any more.
    public func replace() {
        state.withLock { $0.isReplaced = true }
    }

    /// Takes `replace` back: the transaction that it belonged to has failed.
    public func takeBack() {
        state.withLock { $0.isReplaced = false }
    }

    /// Whether an fsync has acknowledged some version of this content.
    public var isPromised: Bool {
        state.withLock { $0.end == nil && $0.content.promised > 0 }
    }

    /// Whether the disk has some version of this content.
    public var hasFlushedContent: Bool {
        state.withLock { $0.end == nil && $0.content.flushed > 0 }
    }

    /// The flusher's work has reached this file.
    func noteFlushed(_ generation: Int64) {
        state.withLock { state in
            state.isNameFlushed = true
            state.content.flushed = max(state.content.flushed, generation)
        }
    }

    /// The staging file's own modification time; nil if the system does not tell.
    private var fileStamp: Timestamp? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return Timestamp(modificationTimeOf: status)
    }
}

extension Timestamp {
    /// When a local file was last written to.
    init(modificationTimeOf status: stat) {
        self.init(
            seconds: Int64(clamping: status.st_mtim.tv_sec),
            nanoseconds: Int64(clamping: status.st_mtim.tv_nsec))
    }
}
