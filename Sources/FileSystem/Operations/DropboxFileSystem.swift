// POSIX on Dropbox: connects the parts, and passes each operation on to the one that has it. Not
// responsible for any rule.

package import Blocking
package import Core
package import Logging
package import MetadataStore
package import Staging
package import Sync
import Tree

/// A Dropbox account as a filesystem.
///
/// The tree in the store is authoritative. A change of names or attributes is one transaction on
/// the caller's thread that checks, changes local facts and puts the node into the journal; Sync
/// derives the server's step from that. Changed content goes into staging files, whose sizes and
/// block maps are saved when a handle is flushed. Four things wait for the network: the listing of
/// a folder that was never listed, bytes that are not cached, the export of a cloud document, and
/// an fsync with `fsync=remote`.
package final class DropboxFileSystem: FileSystemOperations {
    /// The attribute whose setting changes nothing: the kernel raises an inotify event for the
    /// call. It has no value.
    package static let changeSignalAttribute = "user.dropbox.changed"

    private let lookups: NodeLookups
    private let newNodes: NewNodes
    private let names: NameChanges
    let folders: FolderReads
    private let attributes: InodeAttributes
    private let extendedAttributes: ExtendedAttributes
    private let space: AccountSpace
    let handles: FileHandles
    private let reads: FileReads
    private let writes: FileWrites
    private let copies: FileCopies
    private let unsaved: UnsavedFiles
    private let store: MetadataStore
    private let openFiles: OpenFiles
    private let invalidator: KernelInvalidator
    let entries: KernelEntries

    /// Connects the parts. `openFiles` and `invalidator` must be those that Sync uses. Without a
    /// `folderReader`, every file is fetched alone; without `documents`, cloud documents cannot be
    /// opened; without `thumbnails`, none are made. `queue` makes a queue of background work;
    /// `programName` finds the name of the caller's program, if it can be known; `noteFetched` gets
    /// the files for which content was fetched, when they are closed.
    ///
    /// Throws when the local database is unusable.
    package init(
        store: MetadataStore, staging: StagingArea, sync: any Syncing, reader: any ContentReading,
        folderReader: FolderReader? = nil, documents: DocumentExports? = nil,
        thumbnails: FolderThumbnails? = nil, openFiles: OpenFiles, invalidator: KernelInvalidator,
        options: FileSystemOptions, clock: any SyncClock = SystemClock(),
        disk: DiskQueue = DiskQueue(label: "dbxfs.filesystem"),
        ended: EndedInodes = EndedInodes(delay: 0),
        queue: (_ label: String) -> any BackgroundQueue = { ThreadQueue(label: $0) },
        programName: @escaping @Sendable (CallingProcess) -> String? = { _ in nil },
        noteFetched: @escaping @Sendable (InodeID) -> Void = { _ in }, log: Logger
    ) throws(FileSystemError) {
        let work = LocalWork(disk: disk, log: log)
        let tree = LocalTree(
            store: store, staging: staging, sync: sync, invalidator: invalidator,
            context: LocalContext(
                rules: LocalRules(options, host: sync.host), staging: staging,
                openFiles: openFiles, references: invalidator.inodes),
            clock: clock, work: work)
        (self.store, self.openFiles, self.invalidator) = (store, openFiles, invalidator)
        let folderTime = try Self.adoptAccount(in: store, tree, now: clock.date())
        if options.gathersWrites {
            invalidator.keepSizesInKernel { inodes in
                let nodes = try? store.read { snapshot in
                    try inodes.compactMap { try snapshot.node($0) }
                }
                // If the read fails, each name is looked up when its timeout ends.
                return nodes ?? []
            }
        }
        // Content of open files.
        let finder = ContentFinder(store: store, staging: staging, openFiles: openFiles)
        let keeper = ContentKeeper(
            store: store, tree: tree, openFiles: openFiles, invalidator: invalidator, sync: sync,
            options: options, work: work)
        unsaved = UnsavedFiles(
            keeper: keeper, openFiles: openFiles, queue: queue("dbxfs.filesystem.unsaved"),
            work: work)
        let contents = FileContents(
            store: store, tree: tree, finder: finder, keeper: keeper, unsaved: unsaved,
            openFiles: openFiles, reader: reader, sync: sync, clock: clock, work: work)
        let cachedOnly = CachedOnlyPrograms(
            options.cachedOnly, reader: reader, programName: programName, log: log)
        let documents = DocumentContents(
            documents, cachedOnly: cachedOnly, work: work, noteFetched: noteFetched)
        // Answers to the kernel.
        let attempts = StoreAttempts(
            sync: sync, contents: contents, documents: documents, work: work)
        let staleOpens = StaleOpens()
        entries = KernelEntries(
            invalidator: invalidator, openFiles: openFiles, staleOpens: staleOpens,
            documents: documents, staging: staging, sync: sync, clock: clock, options: options,
            folderTime: folderTime)
        // Operations.
        handles = FileHandles(
            attempts: attempts, finder: finder, contents: contents, keeper: keeper,
            documents: documents, cachedOnly: cachedOnly, openFiles: openFiles,
            invalidator: invalidator, staleOpens: staleOpens, clock: clock, options: options,
            noteFetched: noteFetched)
        reads = FileReads(
            handles: handles, contents: contents, reader: reader, folderReader: folderReader,
            work: work)
        writes = FileWrites(
            handles: handles, contents: contents, openFiles: openFiles,
            invalidator: invalidator, sync: sync, options: options, work: work)
        copies = FileCopies(
            store: store, tree: tree, handles: handles, contents: contents, openFiles: openFiles,
            sync: sync, clock: clock, options: options, work: work)
        lookups = NodeLookups(
            store: store, tree: tree, attempts: attempts, entries: entries,
            inodes: invalidator.inodes, ended: ended, foldsCase: options.foldsCase)
        newNodes = NewNodes(
            store: store, tree: tree, attempts: attempts, entries: entries, handles: handles,
            openFiles: openFiles, inodes: invalidator.inodes, sync: sync, clock: clock,
            options: options)
        names = NameChanges(tree: tree, attempts: attempts, sync: sync, options: options)
        folders = FolderReads(
            store: store, staging: staging, sync: sync, attempts: attempts, entries: entries,
            lookups: lookups, keeper: keeper, invalidator: invalidator, thumbnails: thumbnails,
            listings: DirectoryListings(budget: options.listingBytes), programName: programName,
            work: work)
        attributes = InodeAttributes(
            store: store, tree: tree, attempts: attempts, entries: entries, finder: finder,
            contents: contents, keeper: keeper, openFiles: openFiles, invalidator: invalidator,
            sync: sync, options: options)
        extendedAttributes = ExtendedAttributes(
            store: store, tree: tree, attempts: attempts, sync: sync, options: options)
        space = AccountSpace(store: store, sync: sync, clock: clock, work: work)
    }

    /// Has the rows that an earlier mount left obey the rules of this one. Returns when the account
    /// was first mounted here.
    private static func adoptAccount(
        in store: MetadataStore, _ tree: LocalTree, now: WallTime
    ) throws(FileSystemError) -> WallTime {
        do {
            let firstMount = try folderTime(in: store, now: now)
            try tree.change(space: .release) { changes in
                try changes.adoptRules()
                try changes.adoptNames()
            }
            return firstMount
        } catch {
            throw FileSystemError(cause: error)
        }
    }

    /// When this account was first mounted here.
    private static func folderTime(in store: MetadataStore, now: WallTime) throws -> WallTime {
        let key = StoredSetting.folderTime
        return try store.write { transaction in
            if let known = try transaction.setting(key).flatMap({ Int64($0, radix: 10) }) {
                return WallTime(nanoseconds: known)
            }
            try transaction.setSetting(key, to: String(now.nanoseconds))
            return now
        }
    }

    /// The paths, from the mount's root, of the files that programs have open and may change, also
    /// by memory mappings.
    package var writtenPaths: [[UInt8]] {
        let inodes = openFiles.written
        if inodes.isEmpty { return [] }
        let paths = try? store.read { snapshot in
            try inodes.compactMap { try snapshot.shownPath(of: $0) }
        }
        return paths ?? []
    }

    /// Saves the content of files that programs still have open. Called at the end, after the last
    /// request.
    package func saveOpenFiles() { unsaved.end() }

    // MARK: Names

    package func lookup(_ name: [UInt8], in parent: InodeID) -> Answer<LookupResult> {
        lookups.lookup(name, in: parent)
    }

    package func forget(_ inode: InodeID, count: UInt64) {
        lookups.forget(inode, count: count)
    }

    package func makeDirectory(
        _ name: [UInt8], in parent: InodeID, permissions: UInt16, caller: CallingProcess
    ) -> Answer<Entry> {
        invalidator.dropPartOfListing(of: parent)
        return newNodes.makeDirectory(name, in: parent, permissions: permissions, caller: caller)
    }

    package func makeNode(
        _ kind: MakeableKind, _ name: [UInt8], in parent: InodeID, permissions: UInt16,
        caller: CallingProcess
    ) -> Answer<Entry> {
        invalidator.dropPartOfListing(of: parent)
        return newNodes.makeNode(kind, name, in: parent, permissions: permissions, caller: caller)
    }

    package func makeSymbolicLink(
        _ name: [UInt8], in parent: InodeID, target: [UInt8], caller: CallingProcess
    ) -> Answer<Entry> {
        invalidator.dropPartOfListing(of: parent)
        return newNodes.makeSymbolicLink(name, in: parent, target: target, caller: caller)
    }

    package func readSymbolicLink(_ inode: InodeID) -> Answer<[UInt8]> {
        lookups.readSymbolicLink(inode)
    }

    package func unlink(_ name: [UInt8], in parent: InodeID) -> Answer<Void> {
        invalidator.dropPartOfListing(of: parent)
        return names.unlink(name, in: parent)
    }

    package func removeDirectory(_ name: [UInt8], in parent: InodeID) -> Answer<Void> {
        invalidator.dropPartOfListing(of: parent)
        return names.removeDirectory(name, in: parent)
    }

    package func rename(
        _ name: [UInt8], in parent: InodeID, to newName: [UInt8], in newParent: InodeID,
        mode: RenameMode
    ) -> Answer<Void> {
        invalidator.dropPartOfListing(of: parent)
        invalidator.dropPartOfListing(of: newParent)
        return names.rename(name, in: parent, to: newName, in: newParent, mode: mode)
    }

    // MARK: Attributes

    package func attributes(of inode: InodeID) -> Answer<Entry> {
        attributes.get(of: inode)
    }

    package func checkAccess(_ kinds: AccessKinds, to inode: InodeID) -> Answer<Void> {
        attributes.checkAccess(kinds, to: inode)
    }

    package func setAttributes(
        _ changes: AttributeChanges, of inode: InodeID, handle: HandleID?
    ) -> Answer<Entry> {
        attributes.set(changes, of: inode)
    }

    package func extendedAttribute(_ name: String, of inode: InodeID) -> Answer<[UInt8]> {
        extendedAttributes.value(name, of: inode)
    }

    package func extendedAttributeNames(of inode: InodeID) -> Answer<[String]> {
        extendedAttributes.names(of: inode)
    }

    package func setExtendedAttribute(
        _ name: String, of inode: InodeID, to value: [UInt8], mode: AttributeWriteMode
    ) -> Answer<Void> {
        extendedAttributes.set(name, of: inode, to: value, mode: mode)
    }

    package func removeExtendedAttribute(_ name: String, of inode: InodeID) -> Answer<Void> {
        extendedAttributes.remove(name, of: inode)
    }

    package func spaceUsage() -> SpaceUsage {
        space.usage()
    }

    // MARK: Files

    package func open(
        _ inode: InodeID, flags: OpenFlags, caller: CallingProcess
    ) -> Answer<OpenedFile> {
        handles.open(inode, flags: flags, caller: caller)
    }

    package func create(
        _ name: [UInt8], in parent: InodeID, permissions: UInt16, flags: OpenFlags,
        caller: CallingProcess
    ) -> Answer<CreatedFile> {
        invalidator.dropPartOfListing(of: parent)
        return newNodes.create(
            name, in: parent, permissions: permissions, flags: flags, caller: caller)
    }

    package func read(
        _ inode: InodeID, handle: HandleID, offset: Int64, count: Int
    ) -> Answer<[UInt8]> {
        reads.read(inode, handle: handle, offset: offset, count: count)
    }

    package func write(
        _ inode: InodeID, handle: HandleID, offset: Int64, bytes: UnsafeRawBufferPointer,
        from origin: WriteOrigin
    ) -> Answer<Int> {
        writes.write(inode, handle: handle, offset: offset, bytes: bytes, from: origin)
    }

    package func flush(_ inode: InodeID, handle: HandleID) -> Answer<Void> {
        handles.flush(handle)
    }

    package func synchronize(
        _ inode: InodeID, handle: HandleID, dataOnly: Bool
    ) -> Answer<Void> {
        handles.synchronize(handle)
    }

    package func release(_ inode: InodeID, handle: HandleID) {
        handles.release(inode, handle: handle)
    }

    package func allocate(
        _ inode: InodeID, handle: HandleID, offset: Int64, count: Int64, mode: AllocationMode
    ) -> Answer<Void> {
        writes.allocate(handle, offset: offset, count: count, mode: mode)
    }

    package func copyRange(
        from source: InodeID, handle: HandleID, offset: Int64,
        to target: InodeID, targetHandle: HandleID, targetOffset: Int64, count: Int64
    ) -> Answer<Int> {
        copies.copyRange(
            from: source, handle: handle, offset: offset, to: target, targetHandle: targetHandle,
            targetOffset: targetOffset, count: count)
    }

    package func seek(
        _ inode: InodeID, handle: HandleID, offset: Int64, target: SeekTarget
    ) -> Answer<Int64> {
        copies.seek(inode, handle: handle, offset: offset, target: target)
    }

    // MARK: Folders

    package func openDirectory(_ inode: InodeID) -> Answer<OpenedDirectory> {
        folders.open(inode)
    }

    package func noteVisit(at folder: InodeID, by caller: CallingProcess) {
        folders.noteVisit(at: folder, by: caller)
    }

    package func readDirectory(
        _ inode: InodeID, _ read: DirectoryRead,
        accept: @escaping @Sendable (DirectoryEntry) -> Bool
    ) -> Answer<Void> {
        folders.read(inode, read, accept: accept)
    }

    package func synchronizeDirectory(_ inode: InodeID) -> Answer<Void> {
        folders.synchronize(inode)
    }
}

extension LocalRules {
    fileprivate init(_ options: FileSystemOptions, host: String) {
        self.init(
            isReadOnly: options.isReadOnly, foldsCase: options.foldsCase,
            refusesNames: options.refusesNames, ignored: options.ignored,
            rootPath: options.rootPath, host: host, posix: options.posix)
    }
}
