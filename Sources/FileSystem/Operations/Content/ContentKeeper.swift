// Keeping the content of open files: in the rows, on the disk, and on the server. Not responsible
// for changing it (`FileContents`).

import Core
import MetadataStore
import Staging
import Sync
import Tree

/// Keeps what handles have changed.
final class ContentKeeper: Sendable {
    private let store: MetadataStore
    private let tree: LocalTree
    private let openFiles: OpenFiles
    private let invalidator: KernelInvalidator
    private let sync: any Syncing
    private let options: FileSystemOptions
    private let work: LocalWork

    init(
        store: MetadataStore, tree: LocalTree, openFiles: OpenFiles, invalidator: KernelInvalidator,
        sync: any Syncing, options: FileSystemOptions, work: LocalWork
    ) {
        self.store = store
        self.tree = tree
        self.openFiles = openFiles
        self.invalidator = invalidator
        self.sync = sync
        self.options = options
        self.work = work
    }

    /// Saves size, block map and times of open handles in the rows, so that they survive this
    /// process. `isComplete` is false if the change has only begun.
    func save(_ file: OpenFile, isComplete: Bool = true) throws {
        guard let staged = file.staged, staged.hasUnsavedChanges else { return }
        let isQueued = try tree.change(space: .release) {
            try $0.save(staged, isComplete: isComplete)
        }
        // The staged bytes replace those that a flushed row names, so the new row is flushed too.
        if staged.isPromised { try store.synchronize() }
        if isQueued {
            sync.noteChange()
        }
    }

    /// Saves the content of a file that programs go on changing.
    func saveUnasked(_ file: OpenFile) throws {
        guard let staged = file.staged, staged.hasUnsavedChanges else { return }
        // First outside of the transaction, which flushes the bytes that come between the two. It
        // meets a failure again.
        if staged.isPromised { try? staged.synchronize(promising: false) }
        _ = try tree.change(space: .release) {
            try $0.save(staged, isComplete: false, isUnasked: true)
        }
        if staged.isPromised { try store.synchronize() }
    }

    /// Saves content that is complete, which has it flushed soon.
    func complete(_ file: OpenFile) throws {
        try save(file)
        file.staged?.noteComplete()
    }

    /// Makes content survive power loss: first the bytes, then the rows that name them.
    func synchronize(_ file: OpenFile) async throws(FileSystemError) {
        try await work.onDisk {
            try file.staged?.synchronize(promising: true)
            try self.save(file)
            guard let staged = file.staged else { return try self.store.synchronize() }
            try self.synchronizeRow(of: staged)
        }
        try await drainIfAsked(file.inode)
    }

    /// Makes the row that was saved last survive a power cut.
    func synchronizeRow(of staged: StagedFile) throws {
        try staged.synchronizeRow { try store.synchronize() }
    }

    /// With `fsync=remote`, waits until a node is uploaded.
    func drainIfAsked(_ inode: InodeID) async throws(FileSystemError) {
        guard options.synchronizesRemotely else { return }
        do throws(SyncError) {
            try await sync.drain(inode)
        } catch {
            throw work.failure(error)
        }
    }

    /// With `fsync=remote`, waits until a folder is on the server, and each change of a name in it.
    func drainIfAsked(folder: InodeID) async throws(FileSystemError) {
        guard options.synchronizesRemotely else { return }
        try await drainIfAsked(folder)
        let owing = try await work.onDisk {
            try self.store.read { try $0.nodesOwing(namesIn: folder) }
        }
        guard !owing.isEmpty else { return }
        do throws(SyncError) {
            try await sync.drainPlaces(of: owing)
        } catch {
            throw work.failure(error)
        }
    }

    /// Unregisters an open file. Pages of a mapping may have been written after the last flush. As
    /// long as others write, the content is not complete: what it replaces must stay until it is.
    func close(_ file: OpenFile, writes: Bool) {
        var isSaved = true
        do {
            // A handle that only reads may have made the file.
            let isComplete =
                writes
                ? openFiles.isOnlyWriter(file.inode) : !openFiles.isOpenForWriting(file.inode)
            if isComplete {
                try complete(file)
            } else {
                try save(file, isComplete: false)
            }
        } catch {
            isSaved = false
            _ = work.failure(error)
        }
        let left = openFiles.unregister(file.inode, writes: writes)
        // The kernel has been told attributes without the holes, which may have been gaps between
        // two writes.
        if writes, !openFiles.isOpenForWriting(file.inode), file.staged?.hasHoles == true {
            invalidator.treeDidChange([.attributes(file.inode)])
        }
        // From here on, readers get the content of the row, and the kernel has the bytes that were
        // written, or refused.
        if !isSaved || file.hasRefusedPages { invalidator.forgetContent(of: file.inode) }
        // Most files have a name, and the kernel has their size: there is nothing to be read.
        guard left.isLast, left.mayBeUnlinked || invalidator.inodes.isOutdated(file.inode) else {
            return
        }
        do {
            guard let node = try store.readBriefly({ try $0.node(file.inode) }) else { return }
            if node.place == nil {
                tree.end([file.inode])
            } else if invalidator.inodes.isOutdated(file.inode) {
                invalidator.forgetSize(of: node)
            }
        } catch {
            _ = work.failure(error)
        }
    }
}
