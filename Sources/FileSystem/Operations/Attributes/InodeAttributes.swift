// Reading and changing attributes.

import Core
import MetadataStore
import Sync
import Tree

/// The attributes of inodes, for reading and changing.
final class InodeAttributes: Sendable {
    private let store: MetadataStore
    private let tree: LocalTree
    private let attempts: StoreAttempts
    private let entries: KernelEntries
    private let finder: ContentFinder
    private let contents: FileContents
    private let keeper: ContentKeeper
    private let openFiles: OpenFiles
    private let invalidator: KernelInvalidator
    private let sync: any Syncing
    private let options: FileSystemOptions

    init(
        store: MetadataStore, tree: LocalTree, attempts: StoreAttempts, entries: KernelEntries,
        finder: ContentFinder, contents: FileContents, keeper: ContentKeeper, openFiles: OpenFiles,
        invalidator: KernelInvalidator, sync: any Syncing, options: FileSystemOptions
    ) {
        self.store = store
        self.tree = tree
        self.attempts = attempts
        self.entries = entries
        self.finder = finder
        self.contents = contents
        self.keeper = keeper
        self.openFiles = openFiles
        self.invalidator = invalidator
        self.sync = sync
        self.options = options
    }

    /// The attributes of an inode.
    func get(of inode: InodeID) -> Answer<Entry> {
        attempts.answer { _ in
            let moment = self.entries.moment()
            let node = try self.store.readBriefly { try $0.existing(inode) }
            return self.entries.entry(node, since: moment)
        }
    }

    /// Fails if any of these uses of an inode would be refused to all processes.
    func checkAccess(_ kinds: AccessKinds, to inode: InodeID) -> Answer<Void> {
        attempts.answer { _ in
            let node = try self.store.readBriefly { try $0.existing(inode) }
            // The kernel serves FIFOs and sockets itself.
            if kinds.contains(.write), self.options.isReadOnly,
                [.file, .folder, .symbolicLink].contains(node.kind)
            {
                throw FileSystemError.readOnly
            }
            if !kinds.isDisjoint(with: node.refusedAccess(self.options)) {
                throw FileSystemError.accessDenied
            }
        }
    }

    /// Changes attributes. A content change is uploaded, and the modification time with it; others
    /// are kept on Dropbox by `PosixRules`.
    func set(_ changes: AttributeChanges, of inode: InodeID) -> Answer<Entry> {
        attempts.answer { _ in
            let moment = self.entries.moment()
            if self.options.isReadOnly { throw FileSystemError.readOnly }
            // A failure may come after the content has changed.
            var hasFailed = true
            defer {
                if hasFailed && changes.size != nil { self.invalidator.forgetContent(of: inode) }
            }
            if let size = changes.size {
                try self.setSize(size, of: inode)
            }
            var isQueued = false
            // `setSize` has refused what the disk has no space for.
            let space: SpaceReserve.Use = changes.size == nil ? .change : .release
            let node = try self.tree.change(space: space) { tree in
                let open = self.openFiles[inode]
                if let staged = open?.staged {
                    // Saved first, so that the time of the last write does not overwrite the one to
                    // be set.
                    isQueued = try tree.save(
                        staged, isComplete: !self.openFiles.isOpenForWriting(inode))
                }
                let isTimeSet = changes.modificationTime != nil
                let node = try tree.setLocal(of: inode, timeIsSet: isTimeSet) {
                    $0.changed(by: changes, at: tree.now)
                }
                if node.flags.contains(.factsOwed) { isQueued = true }
                if changes.changesModification, let modified = node.local.modified {
                    open?.noteModified(modified)
                }
                return node
            }
            if isQueued {
                self.sync.noteChange()
            }
            hasFailed = false
            return self.entries.entry(node, since: moment)
        }
    }

    private func setSize(_ size: Int64, of inode: InodeID) throws {
        guard size >= 0 else { throw FileSystemError.invalidArgument }
        if size > FileContents.maximumSize { throw FileSystemError.tooLarge }
        let file = openFiles.register(inode, writes: true)
        defer { keeper.close(file, writes: true) }
        let node = try finder.settle(file) { node in
            switch node.kind {
            case .folder: throw FileSystemError.isADirectory
            case .symbolicLink, .fifo, .socket: throw FileSystemError.invalidArgument
            case .file: break
            }
            if node.flags.contains(.readOnly) { throw FileSystemError.accessDenied }
            if node.isCloudDocument { throw FileSystemError.unsupported }
        }
        let grows = try size > file.size
        if grows && !node.flags.contains(.localOnly) && sync.isQuotaExceeded {
            throw FileSystemError.quotaExceeded
        }
        try contents.resize(file, to: size)
        invalidator.inodes.noteWrittenSize(size, of: inode)
    }
}

extension LocalFacts {
    /// The facts after a change at `now`. A new size sets the modification time unless one is
    /// given.
    fileprivate func changed(by changes: AttributeChanges, at now: WallTime) -> LocalFacts {
        var facts = self
        facts.changed = now
        facts.permissions = changes.permissions.map { $0 & 0o7777 } ?? permissions
        facts.userID = changes.userID ?? userID
        facts.groupID = changes.groupID ?? groupID
        facts.accessed = changes.accessTime?.time(at: now) ?? accessed
        if let modification = changes.modificationTime {
            facts.modified = modification.time(at: now)
        } else if changes.size != nil {
            facts.modified = now
        }
        return facts
    }
}

extension AttributeChanges {
    fileprivate var changesModification: Bool { modificationTime != nil || size != nil }
}

extension AttributeChanges.TimeChange {
    fileprivate func time(at now: WallTime) -> WallTime {
        switch self {
        case .now: now
        case .time(let time): time
        }
    }
}
