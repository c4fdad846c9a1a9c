// Invalidates the kernel's caches after changes of the tree.

package import Core
import MetadataStore
import Saturating
import Sync
import Synchronization
package import Tree

/// Invalidates what the kernel cached of nodes that Sync changed.
///
/// Sync and the filesystem both need it, so it is created before them, and gets its kernel when a
/// session is mounted. An answer may be read before a change and sent after the invalidation of
/// that change. The kernel must not cache it; `epoch` has grown by then, which tells.
package final class KernelInvalidator: TreeChangeObserving {
    private struct State {
        var epoch: UInt64 = 0
        var kernel: (any KernelInvalidating)?
        /// Finds files, if the kernel keeps sizes itself.
        var sizeOwner: (@Sendable ([InodeID]) -> [Node])?
    }

    /// The inodes that the kernel has cached; changes of other inodes are not announced.
    let inodes = KernelInodeCache()
    /// Held for an assignment; no other lock is taken under it.
    private let state = Mutex(State())

    /// Creates an invalidator that has no kernel yet.
    package init() {}

    /// Sets the kernel to notify; nil detaches it.
    package func attach(_ kernel: (any KernelInvalidating)?) {
        state.withLock { $0.kernel = kernel }
    }

    /// Sets that the kernel keeps the sizes of files itself: a file whose content changes then
    /// needs a new generation. `nodes` finds files, and is called under no lock.
    func keepSizesInKernel(_ nodes: @escaping @Sendable ([InodeID]) -> [Node]) {
        state.withLock { $0.sizeOwner = nodes }
        inodes.leaveSizesToKernel()
    }

    /// Makes the kernel repeat the lookup of a file whose size it has from an earlier content.
    func forgetSize(of node: Node) {
        guard let place = node.place, let kernel = state.withLock({ $0.kernel }) else { return }
        kernel.invalidateEntry(place.name, in: place.parent)
    }

    /// Drops the kernel's entry of another spelling of a changed name.
    func forgetName(_ place: Place) {
        state.withLock { $0.kernel }?.invalidateEntry(place.name, in: place.parent)
    }

    /// Makes the kernel forget the size and the pages of a file, whose content may have changed
    /// without a delta. The next open does not wait for the notification.
    package func forgetContent(of inode: InodeID) {
        inodes.noteUnknownPages(of: inode)
        treeDidChange([.content(inode)])
    }

    /// Makes the kernel drop the pages of a file. Its size is the kernel's already.
    func dropPages(of inode: InodeID) {
        inodes.noteUnknownPages(of: inode)
        state.withLock { $0.kernel }?.invalidateInode(inode, content: true)
    }

    /// Makes the kernel drop a part of a folder's listing, before users change a name in it.
    ///
    /// Linux (fs/fuse/readdir.c) knows that a listing is outdated only where it has all of it. To a
    /// part that a reader has left it adds the end of a later listing, and a reader who is in the
    /// middle gets names of both.
    func dropPartOfListing(of folder: InodeID) {
        guard inodes.takePartOfListing(folder) else { return }
        state.withLock { $0.kernel }?.invalidateListing(of: folder)
    }

    /// Dropping pages takes longer only if the kernel waits for something. Then the listing goes
    /// a moment after the answer.
    private static let longestWait = Duration.milliseconds(20)

    /// Notes that the kernel is about to have all of a folder's listing, and makes it drop one that
    /// fills its last page. Before the kernel knows that it has all: until then it uses none of it.
    ///
    /// Linux takes the end of such a page for the end of the folder, also for a reader whose last
    /// name is gone and who has to go on behind it.
    func noteListed(_ folder: InodeID, fillsPages: Bool) {
        inodes.noteListed(folder)
        guard fillsPages, let kernel = state.withLock({ $0.kernel }) else { return }
        // Takes no lock that the reader's request holds.
        kernel.invalidateInode(folder, content: true)
        _ = kernel.settle(within: Self.longestWait)
    }

    /// Number of announced changes.
    var epoch: UInt64 { state.withLock { $0.epoch } }

    /// Whether the kernel has cached an inode: a program has looked at it.
    package func isCached(_ inode: InodeID) -> Bool { inodes.isKnown(inode) }

    /// Announces changes of inodes that the kernel has cached. Reads the store if the kernel keeps
    /// sizes itself.
    package func treeDidChange(_ changes: [TreeChange]) {
        // First the epoch, then the check whether an inode is cached: a concurrent answer either
        // has registered it or sees the new epoch.
        let (kernel, sizeOwner) = state.withLock { state in
            state.epoch +|= 1
            return (state.kernel, state.sizeOwner)
        }
        guard let kernel else { return }
        let files = sizeOwner.map { renewFiles(in: changes, by: $0) } ?? [:]
        for change in changes {
            send(change, files, to: kernel)
        }
    }

    /// Has the files whose content has changed get a new generation, and finds their names.
    private func renewFiles(
        in changes: [TreeChange], by find: ([InodeID]) -> [Node]
    ) -> [InodeID: Node] {
        let changed = changes.compactMap { change -> InodeID? in
            guard case .content(let inode) = change, inodes.isKnown(inode) else { return nil }
            inodes.noteNewContent(inode)
            return inode
        }
        guard !changed.isEmpty else { return [:] }
        return Dictionary(find(changed).map { ($0.inode, $0) }) { first, _ in first }
    }

    private func send(
        _ change: TreeChange, _ files: [InodeID: Node], to kernel: any KernelInvalidating
    ) {
        switch change {
        case .entry(let parent, let name):
            guard inodes.isKnown(parent) else { return }
            kernel.invalidateEntry(name, in: parent)
        case .deletedEntry(let parent, let child, let name):
            guard inodes.isKnown(parent) else { return }
            inodes.noteDead(child)
            kernel.invalidateDeletedEntry(name, of: child, in: parent)
        case .content(let inode):
            guard inodes.isKnown(inode) else { return }
            if let node = files[inode] { forgetSize(of: node) }
            kernel.invalidateInode(inode, content: true)
        case .listing(let inode):
            guard inodes.isKnown(inode) else { return }
            kernel.invalidateListing(of: inode)
        case .attributes(let inode):
            guard inodes.isKnown(inode) else { return }
            kernel.invalidateInode(inode, content: false)
        }
    }
}
