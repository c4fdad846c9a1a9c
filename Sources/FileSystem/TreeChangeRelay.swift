// From changes of the tree to the kernel's caches.

import Core
import MetadataStore
public import Sync
import Synchronization

/// Tells the kernel what the server's side changed.
///
/// It is made before Sync and the filesystem, which both need it, and gets its kernel when a session is
/// mounted. An answer that was read before a change and is sent after it must not be kept by the
/// kernel, because the invalidation has passed it: such answers see that `epoch` has moved on.
public final class TreeChangeRelay: TreeChangeObserving {
    private struct State {
        var epoch: UInt64 = 0
        var kernel: (any KernelInvalidating)?
        /// Finds nodes, if the kernel keeps sizes for itself.
        var sizeOwner: (@Sendable (InodeID) -> Node?)?
    }

    /// What the kernel knows; it is told of nothing else.
    let inodes = InodeTable()
    /// Held for an assignment; no other lock is taken under it.
    private let state = Mutex(State())

    /// Starts without a kernel.
    public init() {}

    /// Sets who is told, or with nil nobody any more.
    public func attach(_ kernel: (any KernelInvalidating)?) {
        state.withLock { $0.kernel = kernel }
    }

    /// The kernel keeps the sizes of files for itself: a file whose content changes has to become
    /// another inode for it. `node` finds files, and is asked under no lock.
    func keepSizesInKernel(_ node: @escaping @Sendable (InodeID) -> Node?) {
        state.withLock { $0.sizeOwner = node }
        inodes.leaveSizesToKernel()
    }

    /// Has the kernel look a file up again, whose size it has from an earlier content.
    func forgetSize(of node: Node) {
        guard let place = node.place, let kernel = state.withLock({ $0.kernel }) else { return }
        kernel.invalidateEntry(place.name, in: place.parent)
    }

    /// Has the kernel forget a name that it has for an inode beside the one by which that was changed.
    func forgetName(_ place: Place) {
        state.withLock { $0.kernel }?.invalidateEntry(place.name, in: place.parent)
    }

    /// Grows with every change that was announced.
    var epoch: UInt64 { state.withLock { $0.epoch } }

    /// Passes changes on that concern inodes which the kernel knows.
    public func treeDidChange(_ changes: [TreeChange]) {
        // First the epoch, then the question whether an inode is known: an answer on its way either
        // has made it known or will see the epoch.
        let kernel = state.withLock { state in
            state.epoch += 1
            return state.kernel
        }
        guard let kernel else { return }
        for change in changes {
            relay(change, to: kernel)
        }
    }

    private func relay(_ change: TreeChange, to kernel: any KernelInvalidating) {
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
            if let find = state.withLock({ $0.sizeOwner }) {
                inodes.noteNewContent(inode)
                if let node = find(inode) { forgetSize(of: node) }
            }
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
