// Creating folders, files, symbolic links, FIFOs and sockets.

import Core
import MetadataStore
import Staging
import Sync
import Tree

/// Creates nodes for users.
final class NewNodes: Sendable {
    private let store: MetadataStore
    private let tree: LocalTree
    private let attempts: StoreAttempts
    private let entries: KernelEntries
    private let handles: FileHandles
    private let openFiles: OpenFiles
    private let inodes: KernelInodeCache
    private let sync: any Syncing
    private let clock: any SyncClock
    private let options: FileSystemOptions

    init(
        store: MetadataStore, tree: LocalTree, attempts: StoreAttempts, entries: KernelEntries,
        handles: FileHandles, openFiles: OpenFiles, inodes: KernelInodeCache, sync: any Syncing,
        clock: any SyncClock, options: FileSystemOptions
    ) {
        self.store = store
        self.tree = tree
        self.attempts = attempts
        self.entries = entries
        self.handles = handles
        self.openFiles = openFiles
        self.inodes = inodes
        self.sync = sync
        self.clock = clock
        self.options = options
    }

    /// Creates a folder, mkdir(2).
    func makeDirectory(
        _ name: [UInt8], in parent: InodeID, permissions: UInt16, caller: CallingProcess
    ) -> Answer<Entry> {
        do throws(FileSystemError) {
            try options.refuseTrash(name, in: parent)
        } catch {
            return .failed(error)
        }
        return make(.folder, name, in: parent) {
            self.localFacts(.directory, permissions: permissions, caller: caller)
        }
    }

    /// Creates an empty file, a FIFO or a socket, mknod(2). Only files are sent.
    func makeNode(
        _ kind: MakeableKind, _ name: [UInt8], in parent: InodeID, permissions: UInt16,
        caller: CallingProcess
    ) -> Answer<Entry> {
        let new: NewNode =
            switch kind {
            case .regular: .file
            case .fifo: .fifo
            case .socket: .socket
            }
        return make(new, name, in: parent) {
            self.localFacts(FileKind(kind), permissions: permissions, caller: caller)
        }
    }

    /// Creates a symbolic link, to any bytes.
    func makeSymbolicLink(
        _ name: [UInt8], in parent: InodeID, target: [UInt8], caller: CallingProcess
    ) -> Answer<Entry> {
        if target.isEmpty { return .failed(.noEntry) }
        if target.count > LinkTarget.longest { return .failed(.nameTooLong) }
        guard let target = LinkTarget(target) else { return .failed(.invalidArgument) }
        return make(.symbolicLink(target: target), name, in: parent) {
            self.localFacts(.symbolicLink, permissions: 0o777, caller: caller)
        }
    }

    /// Creates and opens a file, or opens the existing one unless exclusive.
    func create(
        _ name: [UInt8], in parent: InodeID, permissions: UInt16, flags: OpenFlags,
        caller: CallingProcess
    ) -> Answer<CreatedFile> {
        let repeated = handles.takeRetry(of: caller)
        return attempts.answer { known in
            let moment = self.entries.moment()
            let name = try FileName(creating: name)
            let local = self.localFacts(.regular, permissions: permissions, caller: caller)
            let outcome = try self.makeOrFind(
                name, in: parent, local, flags: flags, known)
            switch outcome {
            case .found(let node):
                return try self.openFound(node.inode, flags, caller, repeated, since: moment)
            case .made(let node, let file):
                self.sync.noteChange()
                let handle = FileHandle(
                    inode: node.inode, flags: flags, file: file, session: ReadSession(),
                    isLocalOnly: node.flags.contains(.localOnly))
                let opened = OpenedFile(
                    handle: self.handles.insert(handle), keepsCache: false, isDirect: false,
                    isFlushed: flags.writes)
                return self.created(node, opened, since: moment)
            }
        }
    }

    private enum Creation {
        case found(Node)
        case made(Node, OpenFile)
    }

    /// Creates a file, or finds the existing one. The new file is registered as open before the
    /// commit, so that no delta takes it for closed.
    private func makeOrFind(
        _ name: FileName, in parent: InodeID, _ local: LocalFacts, flags: OpenFlags,
        _ known: KnownFolders
    ) throws -> Creation {
        var registered: InodeID?
        do {
            // A file that is there may be opened on a full disk; for a new one there is no room
            // (`StagingArea.beginNew`).
            return try tree.change(known, space: .release) { changes in
                let outcome = try changes.findOrMakeFile(
                    named: name, in: parent, local, isExclusive: flags.isExclusive)
                switch outcome {
                case .found(let node): return .found(node)
                case .made(let node, let staged):
                    let file = openFiles.register(node.inode, writes: flags.writes)
                    registered = node.inode
                    file.settle(.staged(staged))
                    return .made(node, file)
                }
            }
        } catch {
            if let registered { _ = openFiles.unregister(registered, writes: flags.writes) }
            throw error
        }
    }

    private func openFound(
        _ inode: InodeID, _ flags: OpenFlags, _ caller: CallingProcess,
        _ repeated: RepeatedOpens, since moment: Moment
    ) throws -> CreatedFile {
        let opened = try handles.openExisting(inode, flags: flags, caller: caller, repeated)
        do {
            // The open may have truncated it.
            let node = try store.readBriefly { try $0.existing(inode) }
            return created(node, opened, since: moment)
        } catch {
            handles.release(inode, handle: opened.handle)
            throw error
        }
    }

    private func created(
        _ node: Node, _ opened: OpenedFile, since moment: Moment
    ) -> CreatedFile {
        let entry = entries.found(node, since: moment)
        // All pages that the kernel will cache of a new file are written through this handle.
        if let version = openFiles[node.inode]?.version {
            _ = inodes.noteOpened(node.inode, with: version)
        }
        return CreatedFile(entry: entry, opened: opened)
    }

    // MARK: Parts

    /// Creates a node under a free name in one transaction, and counts a lookup.
    private func make(
        _ new: NewNode, _ name: [UInt8], in parent: InodeID,
        _ local: @escaping @Sendable () -> LocalFacts
    ) -> Answer<Entry> {
        attempts.answer { known in
            let moment = self.entries.moment()
            let name = try FileName(creating: name)
            let node = try self.tree.change(known, space: .growth) { changes in
                try changes.make(new, named: name, in: parent, local())
            }
            self.sync.noteChange()
            return self.entries.found(node, since: moment)
        }
    }

    /// Facts of a new node. A value that equals the mount's default is not stored, so that the node
    /// follows a later default.
    private func localFacts(_ kind: FileKind, permissions: UInt16, caller: CallingProcess)
        -> LocalFacts
    {
        let now = clock.date()
        let permissions = permissions & 0o7777
        return LocalFacts(
            permissions: permissions == options.defaultPermissions(of: kind) ? nil : permissions,
            userID: caller.userID == options.userID ? nil : caller.userID,
            groupID: caller.groupID == options.groupID ? nil : caller.groupID,
            modified: now, changed: now)
    }
}
