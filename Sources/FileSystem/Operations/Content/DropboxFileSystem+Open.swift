// Opening and closing files, and making their content durable.

package import Core
import MetadataStore
import RemoteStore
import Staging
import Sync
import Tree

extension DropboxFileSystem {
    /// Opens a file, open(2).
    package func open(
        _ inode: InodeID, flags: OpenFlags, caller: CallingProcess
    ) -> Answer<OpenedFile> {
        answer { _ in try self.openExisting(inode, flags: flags, caller: caller) }
    }

    /// Opens a file with a known node.
    ///
    /// Throws `staleHandle`, at which the kernel repeats the lookup, if the kernel has the size of
    /// another content or the name leads elsewhere by now. Only once for each caller, which would
    /// otherwise get ESTALE from open(2).
    func openExisting(
        _ inode: InodeID, flags: OpenFlags, caller: CallingProcess
    ) throws -> OpenedFile {
        let hasAsked = sentBack.takes(back: caller, at: clock.now())
        let file = openFiles.register(inode, writes: flags.writes)
        let generation = options.gathersWrites ? inodes.toldGeneration(of: inode) : 0
        do {
            if !hasAsked, isReplaced(inode) { throw FileSystemError.staleHandle }
            let node = try settle(file, evenWithoutName: hasAsked) {
                try self.requireOpenable($0, flags)
                if hasAsked { self.settleToldVersion(of: file, instead: $0, flags) }
                // Without a name it is looked up again.
                if $0.place != nil || hasAsked {
                    try self.settleExport(file, of: $0, caller: caller)
                }
            }
            if node.place == nil { openFiles.noteUnlinked(inode) }
            try refuseFetching(file, flags: flags, caller: caller)
            if flags.truncates {
                try empty(file)
                inodes.noteEmptied(inode)
            }
            let size = try knowledgeOfSize(of: file)
            if size == .wrong {
                guard hasAsked else { throw FileSystemError.staleHandle }
                inodes.noteMistaken(inode)
            }
            let keepsCache = version(of: file).map { inodes.noteOpened(inode, with: $0) }
            let folder = node.place?.parent
            let isHeaderProbe = folder.map { headerProbes.isProbed($0) } ?? false
            let handle = FileHandle(
                inode: inode, flags: flags, file: file,
                session: ReadSession(isHeaderProbe: isHeaderProbe),
                folder: folder, isLocalOnly: node.flags.contains(.localOnly),
                isDirect: size != .right)
            return OpenedFile(
                handle: files.insert(handle), keepsCache: keepsCache ?? false,
                isDirect: handle.isDirect, isFlushed: flags.writes)
        } catch {
            if !hasAsked, FileSystemError(cause: error) == .staleHandle {
                sentBack.note(caller, inode, generation: generation, at: clock.now())
            }
            // It may have been emptied before the failure.
            if flags.truncates { forgetContent(of: inode) }
            close(file, writes: flags.writes)
            throw error
        }
    }

    /// Opens the version that the repeated lookup told the kernel, if another client has changed the file since then: the
    /// kernel takes no new size, and a second ESTALE would reach the process. A writer gets the present version past the
    /// kernel's pages, so that its changes are no conflict.
    private func settleToldVersion(of file: OpenFile, instead node: Node, _ flags: OpenFlags) {
        guard !flags.writes, !flags.truncates, node.staged == nil, !node.isCloudDocument,
            let present = FileVersion(of: node), let told = inodes.toldVersion(of: file.inode),
            told.size != present.size
        else { return }
        file.settle(.revision(told))
    }

    /// Whether the next lookup makes the kernel replace an inode, or another caller's lookup just has.
    private func isReplaced(_ inode: InodeID) -> Bool {
        options.gathersWrites && inodes.isRenewed(inode, at: clock.now())
            || inodes.isOutdated(inode) && openFiles.isOnlyHandle(inode)
    }

    /// Whether the kernel has the right size; it reads no further than that. The kernel learns of a
    /// delta a moment after the store. Staged content was written through the kernel.
    private func knowledgeOfSize(of file: OpenFile) throws(FileSystemError) -> SizeKnowledge {
        guard file.staged == nil else {
            return inodes.isSizeWrong(of: file.inode, at: clock.now()) ? .uncertain : .right
        }
        return inodes.knowledge(ofSize: try size(of: file), of: file.inode, at: clock.now())
    }

    /// Truncates to 0. A file that is empty already gets a new time, because makefiles use `: >
    /// stamp`.
    private func empty(_ file: OpenFile) throws {
        if try size(of: file) > 0 {
            return try resize(file, to: 0)
        }
        let now = clock.date()
        _ = try changeTree { tree in
            try tree.setLocal(of: file.inode) { local in
                var local = local
                local.modified = now
                local.changed = now
                return local
            }
        }
        file.noteModified(now)
    }

    private func requireOpenable(_ node: Node, _ flags: OpenFlags) throws(FileSystemError) {
        switch node.kind {
        case .folder: throw .isADirectory
        case .symbolicLink: throw .tooManyLinks
        // The kernel opens these by itself.
        case .fifo, .socket: throw .invalidArgument
        case .file: break
        }
        if flags.writes || flags.truncates {
            if options.isReadOnly { throw .readOnly }
            if node.flags.contains(.readOnly) { throw .accessDenied }
        }
        try requireReadable(node, flags)
    }

    /// The content that an open file's pages in the kernel belong to.
    func version(of file: OpenFile) -> ContentVersion? {
        switch file.content {
        case .unknown: nil
        case .revision(let content): .revision(content.revision)
        case .staged(let staged): .staged(staged.number)
        case .exported(let export): .export(export.number)
        }
    }

    /// Called when a descriptor is closed: its writes survive this process from now on.
    package func flush(_ inode: InodeID, handle: HandleID) -> Answer<Void> {
        answer { _ in
            let handle = try self.files.handle(handle)
            try self.save(handle.file)
            handle.file.staged?.noteComplete()
            if handle.flags.writes { self.noteWrittenSize(of: handle.file) }
        }
    }

    /// Tells the inode table the size that the kernel has seen through its own writes.
    private func noteWrittenSize(of file: OpenFile) {
        if let size = try? size(of: file) { inodes.noteWrittenSize(size, of: file.inode) }
    }

    /// Makes content survive power loss, or reach the server with `fsync=remote`. Pending, so that
    /// a slow disk does not hold the caller's thread.
    package func synchronize(
        _ inode: InodeID, handle: HandleID, dataOnly: Bool
    ) -> Answer<Void> {
        do {
            let file = try files.handle(handle).file
            return .pending { () async throws(FileSystemError) in try await self.synchronize(file) }
        } catch {
            return .failed(error)
        }
    }

    /// Makes content survive power loss: first the bytes, then the rows that name them.
    func synchronize(_ file: OpenFile) async throws(FileSystemError) {
        try await onDisk {
            try file.staged?.synchronize(promising: true)
            try self.save(file)
            try self.store.synchronize()
        }
        try await drainIfAsked(file.inode)
    }

    /// With `fsync=remote`, waits until a node is uploaded.
    func drainIfAsked(_ inode: InodeID) async throws(FileSystemError) {
        guard options.synchronizesRemotely else { return }
        do throws(SyncError) {
            try await sync.drain(inode)
        } catch {
            throw failure(error)
        }
    }

    /// Called when the last descriptor of the handle is closed.
    package func release(_ inode: InodeID, handle: HandleID) {
        guard let handle = files.remove(handle) else { return }
        if handle.flags.writes { noteWrittenSize(of: handle.file) }
        if handle.session.hasFetched { noteFetched(inode) }
        if let folder = handle.folder, case .revision(let content) = handle.file.content {
            headerProbes.noteClosed(in: folder, read: handle.session.furthest, of: content.size)
        }
        close(handle.file, writes: handle.flags.writes)
    }

    /// Unregisters an open file. Pages of a mapping may have been written after the last flush.
    func close(_ file: OpenFile, writes: Bool) {
        var isSaved = true
        do {
            try save(file)
            file.staged?.noteComplete()
        } catch {
            isSaved = false
            _ = failure(error)
        }
        let left = openFiles.unregister(file.inode, writes: writes)
        // The kernel has been told attributes without the holes, which may have been gaps between two writes.
        if writes, !openFiles.isOpenForWriting(file.inode), file.staged?.hasHoles == true {
            relay.treeDidChange([.attributes(file.inode)])
        }
        // From here on, readers get the content of the row, and the kernel has the bytes that were written.
        if !isSaved { forgetContent(of: file.inode) }
        // Most files have a name, and the kernel has their size: there is nothing to be read.
        guard left.isLast, left.mayBeUnlinked || inodes.isOutdated(file.inode) else { return }
        do {
            guard let node = try store.readBriefly({ try $0.node(file.inode) }) else { return }
            if node.place == nil {
                end([file.inode])
            } else if inodes.isOutdated(file.inode) {
                relay.forgetSize(of: node)
            }
        } catch {
            _ = failure(error)
        }
    }
}
