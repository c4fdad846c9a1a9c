// All operations of the kernel, free of FUSE types. `Fuse` calls it, `DropboxFileSystem` implements
// it, and tests run it without a mount.

package import Core

/// The operations of a filesystem.
///
/// Operations run on several threads at once. Names are raw bytes, because the filesystem decides
/// how to refuse a name that is not UTF-8 (`EILSEQ` on create, `ENOENT` on lookup). Buffers are
/// valid during the call only.
package protocol FileSystemOperations: Sendable {
    // MARK: Names

    /// Finds a name in a folder; for "." the inode itself, for ".." its folder, also if the kernel
    /// has forgotten them. Adds one lookup to a found inode.
    func lookup(_ name: [UInt8], in parent: InodeID) -> Answer<LookupResult>
    /// Subtracts `count` lookups. An unlinked inode with no lookup and no handle is removed.
    func forget(_ inode: InodeID, count: UInt64)
    /// Creates a folder. Adds one lookup.
    func makeDirectory(
        _ name: [UInt8], in parent: InodeID, permissions: UInt16, caller: CallingProcess
    ) -> Answer<Entry>
    /// Creates an empty file without opening it, a FIFO or a socket (`mknod`). Adds one lookup.
    func makeNode(
        _ kind: MakeableKind, _ name: [UInt8], in parent: InodeID, permissions: UInt16,
        caller: CallingProcess
    ) -> Answer<Entry>
    /// Creates a symbolic link. Adds one lookup.
    func makeSymbolicLink(
        _ name: [UInt8], in parent: InodeID, target: [UInt8], caller: CallingProcess
    ) -> Answer<Entry>
    /// Removes the name of a file or link.
    func unlink(_ name: [UInt8], in parent: InodeID) -> Answer<Void>
    /// Removes an empty folder.
    func removeDirectory(_ name: [UInt8], in parent: InodeID) -> Answer<Void>
    /// Renames a node, over an existing target too.
    func rename(
        _ name: [UInt8], in parent: InodeID, to newName: [UInt8], in newParent: InodeID,
        mode: RenameMode
    ) -> Answer<Void>
    /// The target of a symbolic link.
    func readSymbolicLink(_ inode: InodeID) -> Answer<[UInt8]>

    // MARK: Attributes

    /// The attributes of an inode.
    func attributes(of inode: InodeID) -> Answer<Entry>
    /// Fails with `accessDenied` or `readOnly` if any of these uses would be refused. Asked only of
    /// mounts on which the kernel does not check permission bits itself: they refuse nothing there,
    /// except that a file without an execute bit is not executed.
    func checkAccess(_ kinds: AccessKinds, to inode: InodeID) -> Answer<Void>
    /// Changes attributes including the size; `handle` is the open file of an ftruncate, if any.
    func setAttributes(
        _ changes: AttributeChanges, of inode: InodeID, handle: HandleID?
    ) -> Answer<Entry>
    /// Reads the value of an extended attribute.
    func extendedAttribute(_ name: String, of inode: InodeID) -> Answer<[UInt8]>
    /// Lists the names of extended attributes.
    func extendedAttributeNames(of inode: InodeID) -> Answer<[String]>
    /// Creates or replaces an extended attribute.
    func setExtendedAttribute(
        _ name: String, of inode: InodeID, to value: [UInt8], mode: AttributeWriteMode
    ) -> Answer<Void>
    /// Deletes an extended attribute.
    func removeExtendedAttribute(_ name: String, of inode: InodeID) -> Answer<Void>
    /// The account's space. Never waits.
    func spaceUsage() -> SpaceUsage

    // MARK: Files

    /// Opens a file, open(2).
    func open(_ inode: InodeID, flags: OpenFlags, caller: CallingProcess) -> Answer<OpenedFile>
    /// Creates and opens a file, or opens the existing one unless exclusive. Adds one lookup.
    func create(
        _ name: [UInt8], in parent: InodeID, permissions: UInt16, flags: OpenFlags,
        caller: CallingProcess
    ) -> Answer<CreatedFile>
    /// Reads up to `count` bytes; returns fewer only at the end of the file.
    func read(_ inode: InodeID, handle: HandleID, offset: Int64, count: Int) -> Answer<[UInt8]>
    /// Writes all bytes and returns their count. `bytes` is valid during the call only.
    func write(
        _ inode: InodeID, handle: HandleID, offset: Int64, bytes: UnsafeRawBufferPointer,
        from origin: WriteOrigin
    ) -> Answer<Int>
    /// Called when a descriptor is closed; errors reach `close(2)`.
    func flush(_ inode: InodeID, handle: HandleID) -> Answer<Void>
    /// Makes content (and, unless `dataOnly`, attributes) survive power loss.
    func synchronize(_ inode: InodeID, handle: HandleID, dataOnly: Bool) -> Answer<Void>
    /// Called when the last descriptor of the handle is closed; the kernel does not wait for it.
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
    /// Finds data or a hole at or behind an offset.
    func seek(_ inode: InodeID, handle: HandleID, offset: Int64, target: SeekTarget)
        -> Answer<Int64>

    // MARK: Folders

    /// Opens a folder; waits until its listing is complete.
    func openDirectory(_ inode: InodeID) -> Answer<OpenedDirectory>
    /// Notes that a process has opened a folder, after its answer. Returns at once.
    func noteVisit(at folder: InodeID, by caller: CallingProcess)
    /// Passes entries from an offset on to `accept` until it returns false; waits until the
    /// folder's listing is complete. With `withEntries`, each accepted entry except "." and ".."
    /// adds one lookup. Fails only if no entry was accepted.
    func readDirectory(
        _ inode: InodeID, _ read: DirectoryRead,
        accept: @escaping @Sendable (DirectoryEntry) -> Bool
    ) -> Answer<Void>
    /// Makes a folder's names survive power loss.
    func synchronizeDirectory(_ inode: InodeID) -> Answer<Void>
}

/// The result of a create.
package struct CreatedFile: Hashable, Sendable {
    /// The entry of the file.
    package var entry: Entry
    /// The result of its open.
    package var opened: OpenedFile

    /// Creates the result of a create.
    package init(entry: Entry, opened: OpenedFile) {
        self.entry = entry
        self.opened = opened
    }
}

/// Invalidates what the kernel has cached. Implemented by `Fuse`.
///
/// Calls return at once: threads of their own send the notifications, because a notification from
/// a request's path deadlocks with the kernel's locks.
package protocol KernelInvalidating: Sendable {
    /// Drops a name's entry, a negative one too.
    func invalidateEntry(_ name: FileName, in parent: InodeID)
    /// Drops the entry of a deleted name, and notifies inotify watchers.
    func invalidateDeletedEntry(_ name: FileName, of child: InodeID, in parent: InodeID)
    /// Drops an inode's attributes, and with `content` its pages.
    func invalidateInode(_ inode: InodeID, content: Bool)
    /// Drops a folder's cached listing, also one that is being read.
    func invalidateListing(of folder: InodeID)
    /// Waits until the kernel has processed all of these; false if it has not within `limit`. Not
    /// without a short limit while a request is served: the kernel may wait for its answer.
    func settle(within limit: Duration) -> Bool
}
