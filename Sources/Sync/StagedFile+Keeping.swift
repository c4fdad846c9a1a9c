// What of staged content is written into the store and onto the disk, and what an upload needs of it.

import ContentHashing
import Glibc
public import MetadataStore
import RemoteStore
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
        state.withLock { state in
            state.persistedGeneration = max(state.persistedGeneration, content.generation)
            if state.modified == snapshot.modified {
                state.modified = nil
            }
        }
    }

    /// Makes the bytes survive power loss. What the rows say is the store's matter.
    public func synchronize() throws(StagingError) {
        guard fdatasync(descriptor) == 0 else { throw StagingError(code: errno) }
    }

    // MARK: Sending

    /// The content as it stands, for an upload; nil once it is committed.
    func contentToSend() -> StagedContent? {
        state.withLock { state in
            guard state.retired == nil else { return nil }
            var content = state.content
            content.blocks = state.blocks.bytes
            return content
        }
    }

    /// Notes the hash of a generation, unless the content has changed since.
    func noteHash(_ hash: ContentHash, generation: Int64) {
        state.withLock { state in
            if state.content.generation == generation {
                state.content.hash = hash
            }
        }
    }

    /// Ends this staged content if nothing changed since `generation`: it is `revision` now. Called in
    /// the transaction that records the commit. Returns false when there is more to send.
    func retire(generation: Int64, as revision: FileContent) -> Bool {
        state.withLock { state in
            guard state.content.generation == generation, state.retired == nil else { return false }
            state.retired = revision
            return true
        }
    }

    /// Takes `retire` back: the transaction that it belonged to has failed.
    func revive() {
        state.withLock { $0.retired = nil }
    }

    /// Reads for an upload, from the staging file only.
    func readForUpload(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(StagingError) -> Int {
        guard let address = buffer.baseAddress else { return 0 }
        var done = 0
        while done < buffer.count {
            let count = pread(
                descriptor, address + done, buffer.count - done, off_t(offset) + off_t(done))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw StagingError(code: errno) }
            if count == 0 {
                // A hole behind the file's end, where a truncation extended the content.
                (address + done).initializeMemory(
                    as: UInt8.self, repeating: 0, count: buffer.count - done)
                return buffer.count
            }
            done += count
        }
        return done
    }
}
