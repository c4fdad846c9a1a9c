// The inodes that the kernel has cached. Not responsible for nodes: those are in the store. Their
// cached contents are in `KernelContents`.

import Core
import Saturating
import Synchronization
import Tree

/// The lookup count of each inode, and what the kernel has cached of its content.
///
/// An inode enters with its first lookup and leaves when the kernel has forgotten all of them,
/// whether or not the file still has a name. After a crash or an unmount the kernel sends no
/// forgets; the store then drops unlinked nodes when it is opened.
final class KernelInodeCache: KernelReferences {
    private struct State {
        var lookups: [InodeID: UInt64] = [:]
        var unlinked: Set<InodeID> = []
        var partlyListed: Set<InodeID> = []
        var contents = KernelContents()
    }

    /// Lock rank 3 of 4 (see `OpenFiles`), held for dictionary accesses.
    private let state = Mutex(State())

    // MARK: Lookups

    /// Adds one lookup. Must be called before the reply is sent, because a forget may follow it at
    /// once. Returns the generation for the reply. `keepsGeneration` is for an open file: the reply
    /// must have the generation that the kernel has already, because with another generation the
    /// kernel fails all calls on that inode.
    func remember(
        _ inode: InodeID, size: Int64, of version: FileVersion? = nil, keepsGeneration: Bool,
        at now: WallTime
    ) -> UInt64 {
        state.withLock { state in
            state.lookups[inode, default: 0] +|= 1
            return state.contents.noteLookup(
                of: inode, size: size, version, keepsGeneration: keepsGeneration, at: now)
        }
    }

    /// Subtracts lookups. Returns whether the kernel has forgotten an unlinked inode.
    func forget(_ inode: InodeID, count: UInt64) -> Bool {
        state.withLock { state in
            guard let lookups = state.lookups[inode] else { return false }
            guard count >= lookups else {
                state.lookups[inode] = lookups -| count
                return false
            }
            state.lookups[inode] = nil
            state.contents.forget(inode)
            state.partlyListed.remove(inode)
            return state.unlinked.remove(inode) != nil
        }
    }

    /// Whether the kernel may use this inode. It always has the root.
    func isKnown(_ inode: InodeID) -> Bool {
        inode == .root || state.withLock { $0.lookups[inode] != nil }
    }

    /// Notes that an inode was unlinked, so that it is removed when the kernel forgets it. Returns
    /// false if the kernel does not have it.
    func noteUnlinked(_ inode: InodeID) -> Bool {
        state.withLock { state in
            guard state.lookups[inode] != nil else { return false }
            state.unlinked.insert(inode)
            return true
        }
    }

    // MARK: Listings

    /// Notes that a process begins to list a folder.
    func noteListingBegun(_ folder: InodeID) {
        state.withLock { state in
            guard folder == .root || state.lookups[folder] != nil else { return }
            state.partlyListed.insert(folder)
        }
    }

    /// Notes that a process has listed all of a folder.
    func noteListed(_ folder: InodeID) {
        state.withLock { _ = $0.partlyListed.remove(folder) }
    }

    /// Whether the kernel may have a part of a folder's listing, and not all; noted as dropped.
    func takePartOfListing(_ folder: InodeID) -> Bool {
        state.withLock { $0.partlyListed.remove(folder) != nil }
    }

    // MARK: Contents

    /// Sets that the kernel keeps the sizes of files itself.
    func leaveSizesToKernel() {
        state.withLock { $0.contents.isSizeKernels = true }
    }

    /// Notes a size that the kernel knows from its own writes.
    func noteWrittenSize(_ size: Int64, of inode: InodeID) {
        state.withLock { $0.contents.noteWrittenSize(size, of: inode) }
    }

    /// Notes that the kernel truncates a file to 0 as soon as it has the reply.
    func noteEmptied(_ inode: InodeID) {
        state.withLock { $0.contents.noteEmptied(inode) }
    }

    /// Notes the size in the next reply about a file without a local writer.
    func noteToldSize(_ size: Int64, of inode: InodeID, at now: WallTime) {
        state.withLock { $0.contents.noteToldSize(size, of: inode, at: now) }
    }

    /// Whether the kernel has the size of a file that is about to be read.
    func knowledge(ofSize size: Int64, of inode: InodeID, at now: WallTime) -> SizeKnowledge {
        state.withLock { $0.contents.knowledge(ofSize: size, of: inode, at: now) }
    }

    /// The version that a lookup told the kernel together with the generation that it has; nil if
    /// its size is another by now.
    func toldVersion(of inode: InodeID) -> FileVersion? {
        state.withLock { $0.contents.toldVersion(of: inode) }
    }

    /// Notes that a file is opened although the kernel has another size.
    func noteMistaken(_ inode: InodeID) {
        state.withLock { $0.contents.noteMistaken(inode) }
    }

    /// Whether the kernel may have another size of an open file.
    func isSizeWrong(of inode: InodeID, at now: WallTime) -> Bool {
        state.withLock { $0.contents.isSizeWrong(of: inode, at: now) }
    }

    /// Notes that an inode has content of another size from now on, if the kernel has cached it.
    func noteNewContent(_ inode: InodeID) {
        state.withLock { $0.contents.noteNewContent(inode) }
    }

    /// Notes that the kernel marks an inode as dead: it does so with removed folders for as long as
    /// they are referenced. If the folder comes back, it needs a new generation.
    func noteDead(_ inode: InodeID) {
        noteNewContent(inode)
    }

    /// Whether the kernel has the size of an earlier generation.
    func isOutdated(_ inode: InodeID) -> Bool {
        state.withLock { $0.contents.isOutdated(inode) }
    }

    /// Whether a lookup has just told the kernel a new generation.
    func isRenewed(_ inode: InodeID, at now: WallTime) -> Bool {
        state.withLock { $0.contents.isRenewed(inode, at: now) }
    }

    /// The generation that the kernel has.
    func toldGeneration(of inode: InodeID) -> UInt64 {
        state.withLock { $0.contents.toldGeneration(of: inode) }
    }

    /// Notes the content of an open. Returns whether the last open had the same one.
    func noteOpened(_ inode: InodeID, with version: ContentVersion) -> Bool {
        state.withLock { $0.contents.noteOpened(inode, with: version) }
    }

    /// Notes a write through the kernel's pages.
    func noteWrite(at offset: Int64, of inode: InodeID) {
        state.withLock { $0.contents.noteWrite(at: offset, of: inode) }
    }

    /// Notes that the kernel may have pages of no content: the next open drops them.
    func noteUnknownPages(of inode: InodeID) {
        state.withLock { $0.contents.noteUnknownPages(of: inode) }
    }
}
