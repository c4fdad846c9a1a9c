// Handles of open files: open(2), close(2) and fsync(2). Not responsible for their content.

import Core
import MetadataStore
import RemoteStore
import Staging
import Sync
import Tree

/// The files that are open, by the handles that the kernel has.
final class FileHandles: Sendable {
    private let table = HandleTable()
    private let attempts: StoreAttempts
    private let finder: ContentFinder
    private let contents: FileContents
    private let keeper: ContentKeeper
    private let documents: DocumentContents
    private let cachedOnly: CachedOnlyPrograms
    private let openFiles: OpenFiles
    private let invalidator: KernelInvalidator
    private let staleOpens: StaleOpens
    private let headerProbes = HeaderProbes()
    private let clock: any SyncClock
    private let options: FileSystemOptions
    /// Gets the files for which content was fetched, when they are closed.
    private let noteFetched: @Sendable (InodeID) -> Void

    private var inodes: KernelInodeCache { invalidator.inodes }

    init(
        attempts: StoreAttempts, finder: ContentFinder, contents: FileContents,
        keeper: ContentKeeper, documents: DocumentContents, cachedOnly: CachedOnlyPrograms,
        openFiles: OpenFiles, invalidator: KernelInvalidator, staleOpens: StaleOpens,
        clock: any SyncClock, options: FileSystemOptions,
        noteFetched: @escaping @Sendable (InodeID) -> Void
    ) {
        self.attempts = attempts
        self.finder = finder
        self.contents = contents
        self.keeper = keeper
        self.documents = documents
        self.cachedOnly = cachedOnly
        self.openFiles = openFiles
        self.invalidator = invalidator
        self.staleOpens = staleOpens
        self.clock = clock
        self.options = options
        self.noteFetched = noteFetched
    }

    /// The handle with this number.
    func handle(_ id: HandleID) throws(FileSystemError) -> FileHandle {
        try table.handle(id)
    }

    /// Adds a handle until `release`.
    func insert(_ handle: FileHandle) -> HandleID {
        table.insert(handle)
    }

    /// Opens a file, open(2).
    func open(
        _ inode: InodeID, flags: OpenFlags, caller: CallingProcess
    ) -> Answer<OpenedFile> {
        let repeated = takeRetry(of: caller)
        return attempts.answer { _ in
            try self.openExisting(inode, flags: flags, caller: caller, repeated)
        }
    }

    /// The opens of a caller that repeat one which was answered with ESTALE. To be asked for once
    /// for each request, which may need several attempts.
    func takeRetry(of caller: CallingProcess) -> RepeatedOpens {
        staleOpens.takeRetry(of: caller, at: clock.now())
    }

    /// Opens a file with a known node.
    ///
    /// Throws `staleHandle`, at which the kernel repeats the lookup, if the kernel has the size of
    /// another content or the name leads elsewhere by now. Only once for each caller, which would
    /// otherwise get ESTALE from open(2).
    func openExisting(
        _ inode: InodeID, flags: OpenFlags, caller: CallingProcess, _ repeated: RepeatedOpens
    ) throws -> OpenedFile {
        let isRetry = repeated.contains(inode)
        let file = openFiles.register(inode, writes: flags.writes)
        let generation = options.gathersWrites ? inodes.toldGeneration(of: inode) : 0
        do {
            if !isRetry, isReplaced(inode) { throw FileSystemError.staleHandle }
            let node = try finder.settle(file, evenWithoutName: isRetry) {
                try self.requireOpenable($0, flags)
                // Without a name it is looked up again.
                if $0.place != nil || isRetry {
                    try self.documents.settle(file, of: $0, caller: caller)
                }
            }
            if node.place == nil { openFiles.noteUnlinked(inode) }
            let told = isRetry ? toldVersion(instead: node, flags) : nil
            let content = told.map { OpenFile.Content.revision($0) } ?? file.content
            try cachedOnly.refuse(content, of: inode, flags: flags, caller: caller)
            if flags.truncates {
                try contents.empty(file)
                inodes.noteEmptied(inode)
            }
            let isDirect = try isReadDirectly(file, told, isRetry: isRetry)
            return addHandle(on: file, of: node, told, flags, isDirect: isDirect)
        } catch {
            if !isRetry, FileSystemError(cause: error) == .staleHandle {
                staleOpens.note(caller, inode, generation: generation, at: clock.now())
            }
            // It may have been emptied before the failure.
            if flags.truncates { invalidator.forgetContent(of: inode) }
            keeper.close(file, writes: flags.writes)
            throw error
        }
    }

    /// The version that the repeated lookup told the kernel, if another client has changed the file
    /// since then: the kernel takes no new size, and a second ESTALE would reach the process. Only
    /// for this handle: a writer gets the present version past the kernel's pages, so that its
    /// changes are no conflict.
    private func toldVersion(instead node: Node, _ flags: OpenFlags) -> FileVersion? {
        guard !flags.writes, !flags.truncates, node.staged == nil, !node.isCloudDocument,
            let present = FileVersion(of: node), let told = inodes.toldVersion(of: node.inode),
            told.size != present.size
        else { return nil }
        return told
    }

    /// Whether the next lookup makes the kernel replace an inode, or another caller's lookup just
    /// has.
    private func isReplaced(_ inode: InodeID) -> Bool {
        options.gathersWrites && inodes.isRenewed(inode, at: clock.now())
            || inodes.isOutdated(inode) && openFiles.isOnlyHandle(inode)
    }

    /// Whether the kernel has the right size; it reads no further than that. The kernel learns of a
    /// delta a moment after the store. Staged content was written through the kernel.
    private func knowledgeOfSize(
        of file: OpenFile, _ told: FileVersion?
    ) throws(FileSystemError) -> SizeKnowledge {
        if let told {
            return inodes.knowledge(ofSize: told.size, of: file.inode, at: clock.now())
        }
        guard file.staged == nil else {
            return inodes.isSizeWrong(of: file.inode, at: clock.now()) ? .uncertain : .right
        }
        return inodes.knowledge(ofSize: try file.size, of: file.inode, at: clock.now())
    }

    /// Whether reads go past the kernel's pages, because the kernel may not have the right size.
    private func isReadDirectly(
        _ file: OpenFile, _ told: FileVersion?, isRetry: Bool
    ) throws(FileSystemError) -> Bool {
        let size = try knowledgeOfSize(of: file, told)
        if size == .wrong {
            guard isRetry else { throw .staleHandle }
            inodes.noteMistaken(file.inode)
        }
        return size != .right
    }

    /// Adds a handle on a file whose content is settled; with `told`, it reads that version.
    private func addHandle(
        on file: OpenFile, of node: Node, _ told: FileVersion?, _ flags: OpenFlags, isDirect: Bool
    ) -> OpenedFile {
        let version = told.map { ContentVersion.revision($0.revision) } ?? file.version
        let keepsCache = version.map { inodes.noteOpened(file.inode, with: $0) }
        let folder = node.place?.parent
        let isHeaderProbe = folder.map { headerProbes.isProbed($0) } ?? false
        let handle = FileHandle(
            inode: file.inode, flags: flags, file: file,
            session: ReadSession(isHeaderProbe: isHeaderProbe),
            folder: folder, told: told, isLocalOnly: node.flags.contains(.localOnly),
            isDirect: isDirect)
        return OpenedFile(
            handle: insert(handle), keepsCache: keepsCache ?? false, isDirect: isDirect,
            isFlushed: flags.writes)
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
        try documents.requireReadable(node, flags)
    }

    /// Called when a descriptor is closed: its writes survive this process from now on.
    func flush(_ id: HandleID) -> Answer<Void> {
        attempts.answer { _ in
            let handle = try self.handle(id)
            guard handle.flags.writes else {
                return try self.keeper.save(handle.file, isComplete: false)
            }
            try self.keeper.complete(handle.file)
            self.noteWrittenSize(of: handle.file)
        }
    }

    /// Tells the `KernelInodeCache` the size that the kernel has seen through its own writes.
    private func noteWrittenSize(of file: OpenFile) {
        if let size = try? file.size { inodes.noteWrittenSize(size, of: file.inode) }
    }

    /// Makes content survive power loss, or reach the server with `fsync=remote`. Pending, so that
    /// a slow disk does not hold the caller's thread.
    func synchronize(_ id: HandleID) -> Answer<Void> {
        do {
            let handle = try handle(id)
            return .pending { () async throws(FileSystemError) in
                // With O_SYNC, the kernel calls this at the end of each write(2).
                try await self.synchronize(
                    handle.file, ofWrite: handle.flags.isSynchronous)
            }
        } catch {
            return .failed(error)
        }
    }

    /// The same for an open file. A program that is interrupted in a write(2) while the server is
    /// waited for has written its bytes to the disk: it must not write them again.
    func synchronize(_ file: OpenFile, ofWrite: Bool) async throws(FileSystemError) {
        do {
            try await keeper.synchronize(file)
        } catch {
            guard ofWrite, case .interrupted = error else { throw error }
        }
    }

    /// Called when the last descriptor of the handle is closed.
    func release(_ inode: InodeID, handle: HandleID) {
        guard let handle = table.remove(handle) else { return }
        if handle.flags.writes { noteWrittenSize(of: handle.file) }
        if handle.session.hasFetched { noteFetched(inode) }
        if let folder = handle.folder, case .revision(let content) = handle.content {
            headerProbes.noteClosed(in: folder, read: handle.session.furthest, of: content.size)
        }
        keeper.close(handle.file, writes: handle.flags.writes)
    }
}
