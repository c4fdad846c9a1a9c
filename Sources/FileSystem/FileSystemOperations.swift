// Every operation that the kernel can ask for, on one page, free of FUSE types. `Fuse` calls it,
// `DropboxFileSystem` implements it, tests drive it without a mount.

public import Core

/// A filesystem as the kernel sees it.
///
/// Operations are called from several threads at once. Names arrive as raw bytes, because turning
/// away a name that is not UTF-8 is a decision of the filesystem (`EILSEQ` on create, `ENOENT` on
/// lookup). Buffers are valid during the call only.
public protocol FileSystemOperations: Sendable {
    // MARK: Names

    /// Finds a name in a folder. A found entry counts one lookup.
    func lookup(_ name: [UInt8], in parent: InodeID) -> Answer<LookupResult>
    /// Takes back `count` lookups. At 0, and with no handle open, an unlinked inode ends.
    func forget(_ inode: InodeID, count: UInt64)
    /// Makes a folder. Counts one lookup.
    func makeDirectory(
        _ name: [UInt8], in parent: InodeID, permissions: UInt16, caller: Caller
    ) -> Answer<Entry>
    /// Makes an empty file without opening it (`mknod`). Counts one lookup.
    func makeFile(
        _ name: [UInt8], in parent: InodeID, permissions: UInt16, caller: Caller
    ) -> Answer<Entry>
    /// Makes a symbolic link. Counts one lookup.
    func makeSymbolicLink(
        _ name: [UInt8], in parent: InodeID, target: [UInt8], caller: Caller
    ) -> Answer<Entry>
    /// Removes a file's or a link's name.
    func unlink(_ name: [UInt8], in parent: InodeID) -> Answer<Void>
    /// Removes an empty folder.
    func removeDirectory(_ name: [UInt8], in parent: InodeID) -> Answer<Void>
    /// Renames, over an existing target too.
    func rename(
        _ name: [UInt8], in parent: InodeID, to newName: [UInt8], in newParent: InodeID,
        mode: RenameMode
    ) -> Answer<Void>
    /// A symbolic link's target.
    func readSymbolicLink(_ inode: InodeID) -> Answer<[UInt8]>

    // MARK: Attributes

    /// An inode's attributes.
    func attributes(of inode: InodeID) -> Answer<Entry>
    /// Changes attributes, the size included; `handle` is the open file by which size is set, if any.
    func setAttributes(
        _ changes: AttributeChanges, of inode: InodeID, handle: HandleID?
    ) -> Answer<Entry>
    /// The value of an extended attribute.
    func extendedAttribute(_ name: String, of inode: InodeID) -> Answer<[UInt8]>
    /// The names of the extended attributes that are listed.
    func extendedAttributeNames(of inode: InodeID) -> Answer<[String]>
    /// Sets an extended attribute.
    func setExtendedAttribute(
        _ name: String, of inode: InodeID, to value: [UInt8], mode: AttributeWriteMode
    ) -> Answer<Void>
    /// Removes an extended attribute.
    func removeExtendedAttribute(_ name: String, of inode: InodeID) -> Answer<Void>
    /// Space of the account. Never waits.
    func spaceUsage() -> SpaceUsage

    // MARK: Files

    /// Opens a file.
    func open(_ inode: InodeID, flags: OpenFlags, caller: Caller) -> Answer<OpenedFile>
    /// Makes and opens a file, or opens the one that is there unless exclusive. Counts one lookup.
    func create(
        _ name: [UInt8], in parent: InodeID, permissions: UInt16, flags: OpenFlags, caller: Caller
    ) -> Answer<CreatedFile>
    /// Reads up to `count` bytes; fewer only at the end of the file.
    func read(_ inode: InodeID, handle: HandleID, offset: Int64, count: Int) -> Answer<[UInt8]>
    /// Writes all bytes and returns their count. `bytes` is valid during the call only. With `isPage` they are
    /// a page that the kernel kept, as of a mapping, and go where they say even through a handle that appends.
    func write(
        _ inode: InodeID, handle: HandleID, offset: Int64, bytes: UnsafeRawBufferPointer,
        isPage: Bool
    ) -> Answer<Int>
    /// One descriptor of the handle is closed; errors reach `close(2)`.
    func flush(_ inode: InodeID, handle: HandleID) -> Answer<Void>
    /// Makes content (and, unless `dataOnly`, attributes) survive power loss.
    func synchronize(_ inode: InodeID, handle: HandleID, dataOnly: Bool) -> Answer<Void>
    /// The last descriptor of the handle is closed; nobody waits for it.
    func release(_ inode: InodeID, handle: HandleID)
    /// Reserves, extends or zeroes a range.
    func allocate(
        _ inode: InodeID, handle: HandleID, offset: Int64, count: Int64, mode: AllocationMode
    ) -> Answer<Void>
    /// Copies a range between two open files and returns the count of bytes copied.
    func copyRange(
        from source: InodeID, handle: HandleID, offset: Int64,
        to target: InodeID, targetHandle: HandleID, targetOffset: Int64, count: Int64
    ) -> Answer<Int>
    /// Finds data or a hole from an offset on.
    func seek(_ inode: InodeID, handle: HandleID, offset: Int64, target: SeekTarget)
        -> Answer<Int64>

    // MARK: Folders

    /// Opens a folder; waits until its listing is complete.
    func openDirectory(_ inode: InodeID) -> Answer<OpenedDirectory>
    /// Offers entries from `offset` on until `accept` returns false. With `withEntries`, each accepted
    /// entry but "." and ".." counts one lookup.
    func readDirectory(
        _ inode: InodeID, handle: HandleID, offset: UInt64, withEntries: Bool,
        accept: (DirectoryEntry) -> Bool
    ) -> FileSystemError?
    /// Makes a folder's names survive power loss.
    func synchronizeDirectory(_ inode: InodeID) -> Answer<Void>
    /// Closes a folder.
    func releaseDirectory(_ inode: InodeID, handle: HandleID)
}

/// What create gives back.
public struct CreatedFile: Hashable, Sendable {
    /// The file's entry.
    public var entry: Entry
    /// The open file.
    public var opened: OpenedFile

    /// Names both.
    public init(entry: Entry, opened: OpenedFile) {
        self.entry = entry
        self.opened = opened
    }
}

/// Tells the kernel to drop what it cached. Implemented by `Fuse`.
///
/// Calls return at once: they are queued for one thread, because a notification sent from a
/// request's own path deadlocks with the kernel's locks.
public protocol KernelInvalidating: Sendable {
    /// Forget what a name led to, a remembered absence included.
    func invalidateEntry(_ name: FileName, in parent: InodeID)
    /// Forget a name that was deleted, and tell inotify watchers of it.
    func invalidateDeletedEntry(_ name: FileName, of child: InodeID, in parent: InodeID)
    /// Forget an inode's attributes, and with `content` its pages.
    func invalidateInode(_ inode: InodeID, content: Bool)
    /// Forget a folder's cached listing, the one that is being read at this moment too.
    func invalidateListing(of folder: InodeID)
}
