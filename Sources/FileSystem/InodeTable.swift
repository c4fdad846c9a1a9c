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
        /// Whether the kernel takes a file's size from the lookup that makes it an inode, and from no later
        /// answer.
        var isSizeKernels = false
        var known: [InodeID: Known] = [:]
        /// Files that were opened although the kernel had another size.
        var mistaken: Set<InodeID> = []
        /// Until when the kernel may take files for what they were, after it was told of a change.
        var changeEnds: [InodeID: Timestamp] = [:]
        var unlinked: Set<InodeID> = []
        var opened: [InodeID: ContentVersion] = [:]
        var generations: [InodeID: Generation] = [:]
    }

    /// What the kernel was told of an inode.
    private struct Known {
        var lookups: UInt64 = 0
        /// The size, in bytes: it reads no further than that.
        var size: Int64
    }

    /// Which of an inode's contents the kernel has the size of, where it keeps that for itself.
    private struct Generation {
        var current: UInt64 = 0
        var told: UInt64 = 0

        var isOutdated: Bool { told != current }

        /// Has the next lookup bring another one.
        mutating func renew() {
            if !isOutdated { current +|= 1 }
        }
    }

    /// Lock rank 3 of 4 (see `OpenFiles`), held for dictionary accesses.
    private let state = Mutex(State())

    /// From now on, the kernel keeps the sizes of files for itself.
    func leaveSizesToKernel() {
        state.withLock { $0.isSizeKernels = true }
    }

    /// Counts one lookup. To be called before the kernel is answered: it may forget at once. Returns the
    /// generation to answer with: a file that is open stays the one that it was.
    func remember(
        _ inode: InodeID, size: Int64, isOpen: Bool, at now: Timestamp
    ) -> UInt64 {
        state.withLock { state in
            state.known[inode, default: Known(size: size)].lookups +|= 1
            guard var generation = state.generations[inode] else { return 0 }
            if !isOpen && generation.isOutdated {
                generation.told = generation.current
                state.generations[inode] = generation
                // The kernel gives up what it had under this number, and takes this one's size.
                if state.isSizeKernels { Self.tell(size, of: inode, &state, at: now) }
            }
            return generation.told
        }
    }

    /// Notes which size the kernel knows because the file was written through it.
    func noteWrittenSize(_ size: Int64, of inode: InodeID) {
        state.withLock { $0.known[inode]?.size = size }
    }

    /// Notes that the kernel cuts a file to nothing as soon as it has the answer.
    func noteEmptied(_ inode: InodeID) {
        state.withLock { state in
            state.known[inode]?.size = 0
            state.mistaken.remove(inode)
        }
    }

    /// Notes which size the kernel is about to be told of a file that no process here is writing to.
    func noteToldSize(_ size: Int64, of inode: InodeID, at now: Timestamp) {
        state.withLock { state in
            if !state.isSizeKernels { Self.tell(size, of: inode, &state, at: now) }
        }
    }

    private static func tell(
        _ size: Int64, of inode: InodeID, _ state: inout State, at now: Timestamp
    ) {
        guard let told = state.known[inode]?.size, told != size else { return }
        state.known[inode]?.size = size
        state.changeEnds[inode] = now.adding(nanoseconds: changeLife)
    }

    /// Nanoseconds for which the kernel may take a file for what it was before a change: it knows better when
    /// the process that asked has run. Not longer than needed: meanwhile the file is read past its pages,
    /// and kernels before 6.6 do not map it shared.
    private static let changeLife: Int64 = 2_000_000_000

    /// Whether the kernel has the size of a file that is about to be read.
    func knowledge(ofSize size: Int64, of inode: InodeID, at now: Timestamp) -> SizeKnowledge {
        state.withLock { state in
            guard let known = state.known[inode], known.size != size else {
                state.mistaken.remove(inode)
                return Self.isOutdated(inode, &state, at: now) ? .uncertain : .right
            }
            state.changeEnds[inode] = now.adding(nanoseconds: Self.changeLife)
            // The store has the change, and this table may not have been told of it yet.
            if state.isSizeKernels { state.generations[inode, default: Generation()].renew() }
            return .wrong
        }
    }

    /// Notes that a file is opened although the kernel has another size.
    func noteMistaken(_ inode: InodeID) {
        state.withLock { state in
            if state.known[inode] != nil { state.mistaken.insert(inode) }
        }
    }

    /// Whether the kernel may have another size of a file that is open.
    func isSizeWrong(of inode: InodeID, at now: Timestamp) -> Bool {
        state.withLock { state in
            Self.isOutdated(inode, &state, at: now) || state.mistaken.contains(inode)
        }
    }

    private static func isOutdated(
        _ inode: InodeID, _ state: inout State, at now: Timestamp
    ) -> Bool {
        guard let end = state.changeEnds[inode] else { return false }
        if now < end { return true }
        state.changeEnds[inode] = nil
        return false
    }

    /// Notes that an inode which the kernel knows has content of another size from now on.
    func noteNewContent(_ inode: InodeID) {
        state.withLock { state in
            guard state.known[inode] != nil else { return }
            state.generations[inode, default: Generation()].current +|= 1
        }
    }

    /// Notes that the kernel takes an inode for dead: it does so with folders that were removed, for as long as
    /// anything holds them. If the folder comes back, it has to be another one for the kernel.
    func noteDead(_ inode: InodeID) {
        noteNewContent(inode)
    }

    /// Whether the kernel has an earlier content's size.
    func isOutdated(_ inode: InodeID) -> Bool {
        state.withLock { $0.generations[inode]?.isOutdated ?? false }
    }

    /// Takes back lookups. Returns whether the kernel has forgotten an inode that has no name.
    func forget(_ inode: InodeID, count: UInt64) -> Bool {
        state.withLock { state in
            guard let known = state.known[inode]?.lookups else { return false }
            guard count >= known else {
                state.known[inode]?.lookups = known -| count
                return false
            }
            state.known[inode] = nil
            state.mistaken.remove(inode)
            state.changeEnds[inode] = nil
            state.opened[inode] = nil
            state.generations[inode] = nil
            return state.unlinked.remove(inode) != nil
        }
    }

    /// Whether the kernel may ask for this inode. It always knows the root.
    func isKnown(_ inode: InodeID) -> Bool {
        inode == .root || state.withLock { $0.known[inode] != nil }
    }

    /// Notes that an inode has no name any more, so that it ends when the kernel forgets it. Returns
    /// false if the kernel does not know it.
    func noteUnlinked(_ inode: InodeID) -> Bool {
        state.withLock { state in
            guard state.known[inode] != nil else { return false }
            state.unlinked.insert(inode)
            return true
        }
    }

    /// Notes which content an inode is opened with. Returns whether it was opened with the same one
    /// before, so that the pages which the kernel may still have are of that content.
    func noteOpened(_ inode: InodeID, with version: ContentVersion) -> Bool {
        state.withLock { state in
            guard state.known[inode] != nil else { return false }
            return state.opened.updateValue(version, forKey: inode) == version
        }
    }
}

/// Whether the kernel has the size of a file that is to be read.
enum SizeKnowledge {
    /// It has.
    case right
    /// It was told of it, and may not have taken that in.
    case uncertain
    /// It has another one, and should look the file up again.
    case wrong
}

/// Tells one content of an inode from another.
enum ContentVersion: Hashable, Sendable {
    /// A revision on the server.
    case revision(Revision)
    /// A staging file; it changes only by what passes through the kernel.
    case staged(Int64)
}
