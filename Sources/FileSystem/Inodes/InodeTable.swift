// The inodes that the kernel has cached. Not responsible for nodes: those are in the store.

import Core
import MetadataStore
import RemoteStore
import Saturating
import Synchronization
import Tree

/// The lookup count of each inode, and the size that the kernel has cached.
///
/// An inode enters with its first lookup and leaves when the kernel has forgotten all of them,
/// whether or not the file still has a name. After a crash or an unmount the kernel sends no
/// forgets; the store then drops unlinked nodes when it is opened.
final class InodeTable: KernelReferences {
    private struct State {
        /// `writeback_cache`: the kernel takes a file's size from the lookup that creates the
        /// inode, and from no later answer.
        var isSizeKernels = false
        var known: [InodeID: Known] = [:]
        /// Files that were opened although the kernel had another size.
        var mistaken: Set<InodeID> = []
        /// Until when opens use direct I/O after a change of size.
        var changeEnds: [InodeID: WallTime] = [:]
        var unlinked: Set<InodeID> = []
        var opened: [InodeID: ContentVersion] = [:]
        var generations: [InodeID: Generation] = [:]
        /// Until when an opener may come to an inode that the kernel has replaced.
        var renewalEnds: [InodeID: WallTime] = [:]
    }

    /// The kernel's cached state of an inode.
    private struct Known {
        var lookups: UInt64 = 0
        /// The cached size in bytes; the kernel reads no further than that.
        var size: Int64
    }

    /// The generation of an inode's content, and the one that the kernel has, if it keeps sizes
    /// itself.
    private struct Generation {
        var current: UInt64 = 0
        var told: UInt64 = 0

        var isOutdated: Bool { told != current }

        /// Makes the next lookup return a new generation.
        mutating func renew() {
            if !isOutdated { current +|= 1 }
        }
    }

    /// Lock rank 3 of 4 (see `OpenFiles`), held for dictionary accesses.
    private let state = Mutex(State())

    /// Sets that the kernel keeps the sizes of files itself.
    func leaveSizesToKernel() {
        state.withLock { $0.isSizeKernels = true }
    }

    /// Adds one lookup. Call it before the reply is sent, because a forget may follow at once.
    /// Returns the generation for the reply. With `keepsGeneration`, as for an open file, that is the
    /// one that the kernel has: with another one it fails all calls on the inode that it has.
    func remember(
        _ inode: InodeID, size: Int64, keepsGeneration: Bool, at now: WallTime
    ) -> UInt64 {
        state.withLock { state in
            state.known[inode, default: Known(size: size)].lookups +|= 1
            guard var generation = state.generations[inode] else { return 0 }
            if !keepsGeneration && generation.isOutdated {
                generation.told = generation.current
                state.generations[inode] = generation
                // The kernel replaces the inode with this number, and takes the new size.
                if state.isSizeKernels {
                    Self.tell(size, of: inode, &state, at: now)
                    state.renewalEnds[inode] = now.adding(nanoseconds: Self.changeLife)
                }
            }
            return generation.told
        }
    }

    /// Notes a size that the kernel knows from its own writes.
    func noteWrittenSize(_ size: Int64, of inode: InodeID) {
        state.withLock { $0.known[inode]?.size = size }
    }

    /// Notes that the kernel truncates a file to 0 as soon as it has the reply.
    func noteEmptied(_ inode: InodeID) {
        state.withLock { state in
            state.known[inode]?.size = 0
            state.mistaken.remove(inode)
        }
    }

    /// Notes the size in the next reply about a file without a local writer.
    func noteToldSize(_ size: Int64, of inode: InodeID, at now: WallTime) {
        state.withLock { state in
            if !state.isSizeKernels { Self.tell(size, of: inode, &state, at: now) }
        }
    }

    private static func tell(
        _ size: Int64, of inode: InodeID, _ state: inout State, at now: WallTime
    ) {
        guard let told = state.known[inode]?.size, told != size else { return }
        state.known[inode]?.size = size
        state.changeEnds[inode] = now.adding(nanoseconds: changeLife)
    }

    /// How long after a size change opens use direct I/O, in nanoseconds: the kernel adopts the new
    /// size only once the looking-up process has run. Short, because kernels before 6.6 cannot map
    /// such files shared.
    private static let changeLife: Int64 = 2_000_000_000

    /// Whether the kernel has the size of a file that is about to be read.
    func knowledge(ofSize size: Int64, of inode: InodeID, at now: WallTime) -> SizeKnowledge {
        state.withLock { state in
            guard let known = state.known[inode], known.size != size else {
                state.mistaken.remove(inode)
                return Self.isOutdated(inode, &state, at: now) ? .uncertain : .right
            }
            state.changeEnds[inode] = now.adding(nanoseconds: Self.changeLife)
            // The store has the change, which may not have been announced to this table yet.
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

    /// Whether the kernel may have another size of an open file.
    func isSizeWrong(of inode: InodeID, at now: WallTime) -> Bool {
        state.withLock { state in
            Self.isOutdated(inode, &state, at: now) || state.mistaken.contains(inode)
        }
    }

    private static func isOutdated(
        _ inode: InodeID, _ state: inout State, at now: WallTime
    ) -> Bool {
        guard let end = state.changeEnds[inode] else { return false }
        if now < end { return true }
        state.changeEnds[inode] = nil
        return false
    }

    /// Notes that an inode has content of another size from now on, if the kernel has cached it.
    func noteNewContent(_ inode: InodeID) {
        state.withLock { state in
            guard state.known[inode] != nil else { return }
            state.generations[inode, default: Generation()].current +|= 1
        }
    }

    /// Notes that the kernel marks an inode as dead: it does so with removed folders for as long as
    /// they are referenced. If the folder comes back, it needs a new generation.
    func noteDead(_ inode: InodeID) {
        noteNewContent(inode)
    }

    /// Whether the kernel has the size of an earlier generation.
    func isOutdated(_ inode: InodeID) -> Bool {
        state.withLock { $0.generations[inode]?.isOutdated ?? false }
    }

    /// Whether a lookup has just told the kernel a new generation: an opener that had looked up the
    /// name before comes to an inode that the kernel has given up, and could not read it.
    func isRenewed(_ inode: InodeID, at now: WallTime) -> Bool {
        state.withLock { state in
            guard let end = state.renewalEnds[inode] else { return false }
            if now < end { return true }
            state.renewalEnds[inode] = nil
            return false
        }
    }

    /// The generation that the kernel has.
    func toldGeneration(of inode: InodeID) -> UInt64 {
        state.withLock { $0.generations[inode]?.told ?? 0 }
    }

    /// Subtracts lookups. Returns whether the kernel has forgotten an unlinked inode.
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
            state.renewalEnds[inode] = nil
            return state.unlinked.remove(inode) != nil
        }
    }

    /// Whether the kernel may use this inode. It always has the root.
    func isKnown(_ inode: InodeID) -> Bool {
        inode == .root || state.withLock { $0.known[inode] != nil }
    }

    /// Notes that an inode was unlinked, so that it is removed when the kernel forgets it. Returns
    /// false if the kernel does not have it.
    func noteUnlinked(_ inode: InodeID) -> Bool {
        state.withLock { state in
            guard state.known[inode] != nil else { return false }
            state.unlinked.insert(inode)
            return true
        }
    }

    /// Notes the content of an open. Returns whether the last open had the same one, so that the
    /// kernel may keep its pages.
    func noteOpened(_ inode: InodeID, with version: ContentVersion) -> Bool {
        state.withLock { state in
            guard state.known[inode] != nil else { return false }
            return state.opened.updateValue(version, forKey: inode) == version
        }
    }

    /// Notes that the kernel may have pages of no content: the next open drops them.
    func noteUnknownPages(of inode: InodeID) {
        state.withLock { $0.opened[inode] = nil }
    }
}

/// Whether the kernel has the size of a file that is about to be read.
enum SizeKnowledge {
    /// The kernel has the right size.
    case right
    /// The size was sent to the kernel, which may not have adopted it yet.
    case uncertain
    /// The kernel has another size, and should repeat the lookup.
    case wrong
}

/// Distinguishes the contents of an inode.
enum ContentVersion: Hashable, Sendable {
    /// A revision on the server.
    case revision(Revision)
    /// A staging file; it changes only through the kernel.
    case staged(Int64)
}
