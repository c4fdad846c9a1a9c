// The inodes that the kernel knows of. Not responsible for what they are: that is in the store.

import Core
import MetadataStore
import RemoteStore
import Synchronization

/// Counts how often the kernel was told of each inode.
///
/// An inode enters when a lookup is answered and leaves when the kernel has forgotten it as often as it
/// was told of it. Whether the file still has a name does not matter here. After a crash or an
/// unmount nothing is forgotten one by one; the store then drops unlinked nodes when it is opened.
final class InodeTable: Sendable {
    private struct State {
        var counts: [InodeID: UInt64] = [:]
        var unlinked: Set<InodeID> = []
        var opened: [InodeID: ContentVersion] = [:]
        var generations: [InodeID: Generation] = [:]
    }

    /// Which of an inode's contents the kernel has the size of, where it keeps that for itself.
    private struct Generation {
        var current: UInt64 = 0
        var told: UInt64 = 0
    }

    /// Lock rank 3 of 4 (see `OpenFiles`), held for dictionary accesses.
    private let state = Mutex(State())

    /// Counts one lookup. To be called before the kernel is answered: it may forget at once. Returns the
    /// generation to answer with: a file that is open stays the one that it was.
    func remember(_ inode: InodeID, isOpen: Bool) -> UInt64 {
        state.withLock { state in
            state.counts[inode, default: 0] += 1
            guard var generation = state.generations[inode] else { return 0 }
            if !isOpen {
                generation.told = generation.current
                state.generations[inode] = generation
            }
            return generation.told
        }
    }

    /// Notes that an inode which the kernel knows has content of another size from now on.
    func noteNewContent(_ inode: InodeID) {
        state.withLock { state in
            guard state.counts[inode] != nil else { return }
            state.generations[inode, default: Generation()].current += 1
        }
    }

    /// Whether the kernel has an earlier content's size.
    func isOutdated(_ inode: InodeID) -> Bool {
        state.withLock { $0.generations[inode].map { $0.told != $0.current } ?? false }
    }

    /// Takes back lookups. Returns whether the kernel has forgotten an inode that has no name.
    func forget(_ inode: InodeID, count: UInt64) -> Bool {
        state.withLock { state in
            guard let known = state.counts[inode] else { return false }
            guard count >= known else {
                state.counts[inode] = known - count
                return false
            }
            state.counts[inode] = nil
            state.opened[inode] = nil
            state.generations[inode] = nil
            return state.unlinked.remove(inode) != nil
        }
    }

    /// Whether the kernel may ask for this inode. It always knows the root.
    func isKnown(_ inode: InodeID) -> Bool {
        inode == .root || state.withLock { $0.counts[inode] != nil }
    }

    /// Notes that an inode has no name any more, so that it ends when the kernel forgets it. Returns
    /// false if the kernel does not know it.
    func noteUnlinked(_ inode: InodeID) -> Bool {
        state.withLock { state in
            guard state.counts[inode] != nil else { return false }
            state.unlinked.insert(inode)
            return true
        }
    }

    /// Notes which content an inode is opened with. Returns whether it was opened with the same one
    /// before, so that the pages which the kernel may still have are of that content.
    func noteOpened(_ inode: InodeID, with version: ContentVersion) -> Bool {
        state.withLock { state in
            guard state.counts[inode] != nil else { return false }
            return state.opened.updateValue(version, forKey: inode) == version
        }
    }
}

/// Tells one content of an inode from another.
enum ContentVersion: Hashable, Sendable {
    /// A revision on the server.
    case revision(Revision)
    /// A staging file; it changes only by what passes through the kernel.
    case staged(Int64)
}
