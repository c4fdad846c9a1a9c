// The sizes, generations and pages of contents that the kernel has cached. A value without a clock
// or a lock. Not responsible for lookup counts: `KernelInodeCache`.

import Core
import Saturating

/// The kernel's cached contents of the inodes that it has.
struct KernelContents {
    /// `writeback_cache`: the kernel takes a file's size from the lookup that creates the inode,
    /// and from no later answer.
    var isSizeKernels = false
    /// The cached size of each inode that the kernel has; the kernel reads no further than that.
    private var sizes: [InodeID: Int64] = [:]
    /// Files that were opened although the kernel had another size.
    private var mistaken: Set<InodeID> = []
    /// Until when opens use direct I/O after a change of size.
    private var changeEnds: [InodeID: WallTime] = [:]
    /// The content of the last open.
    private var opened: [InodeID: ContentVersion] = [:]
    /// How many writes have begun within a page, since the kernel last read whole pages.
    private var raggedWrites: [InodeID: Int64] = [:]
    private var generations: [InodeID: Generation] = [:]
    /// Until when an opener may come to an inode that the kernel has replaced.
    private var renewalEnds: [InodeID: WallTime] = [:]

    /// The generation of an inode's content, and the kernel's generation of it, if the kernel keeps
    /// sizes itself.
    private struct Generation {
        var current: UInt64 = 0
        var told: UInt64 = 0
        /// The version that was told with the generation, until the file is written here.
        var version: FileVersion?

        var isOutdated: Bool { told != current }

        /// Makes the next lookup return a new generation.
        mutating func renew() {
            if !isOutdated { current +|= 1 }
        }
    }

    /// How long after a size change opens use direct I/O, in nanoseconds: the kernel adopts the new
    /// size only once the looking-up process has run. Short, because kernels before 6.6 cannot map
    /// such files shared.
    private static let changeLife: Int64 = 2_000_000_000

    // MARK: Sizes

    /// Notes a lookup, with the size in its reply and the version that has it. Returns the
    /// generation for the reply.
    mutating func noteLookup(
        of inode: InodeID, size: Int64, _ version: FileVersion?, keepsGeneration: Bool,
        at now: WallTime
    ) -> UInt64 {
        if sizes[inode] == nil { sizes[inode] = size }
        guard var generation = generations[inode] else { return 0 }
        if keepsGeneration, !isSizeKernels {
            generation.current = generation.told
            generations[inode] = generation
        }
        if !keepsGeneration && generation.isOutdated {
            generation.told = generation.current
            generation.version = version
            generations[inode] = generation
            // The kernel replaces the inode with this number, and takes the new size.
            if isSizeKernels {
                tell(size, of: inode, at: now)
                renewalEnds[inode] = now.adding(nanoseconds: Self.changeLife)
            }
        }
        return generation.told
    }

    /// Drops an inode that the kernel has forgotten.
    mutating func forget(_ inode: InodeID) {
        sizes[inode] = nil
        mistaken.remove(inode)
        changeEnds[inode] = nil
        opened[inode] = nil
        raggedWrites[inode] = nil
        generations[inode] = nil
        renewalEnds[inode] = nil
    }

    /// Notes a size that the kernel knows from its own writes.
    mutating func noteWrittenSize(_ size: Int64, of inode: InodeID) {
        generations[inode]?.version = nil
        if sizes[inode] != nil { sizes[inode] = size }
    }

    /// Notes that the kernel truncates a file to 0 as soon as it has the reply.
    mutating func noteEmptied(_ inode: InodeID) {
        noteWrittenSize(0, of: inode)
        mistaken.remove(inode)
    }

    /// Notes the size in the next reply about a file without a local writer.
    mutating func noteToldSize(_ size: Int64, of inode: InodeID, at now: WallTime) {
        if !isSizeKernels { tell(size, of: inode, at: now) }
    }

    private mutating func tell(_ size: Int64, of inode: InodeID, at now: WallTime) {
        guard let told = sizes[inode], told != size else { return }
        sizes[inode] = size
        changeEnds[inode] = now.adding(nanoseconds: Self.changeLife)
    }

    /// Whether the kernel has the size of a file that is about to be read.
    mutating func knowledge(
        ofSize size: Int64, of inode: InodeID, at now: WallTime
    ) -> SizeKnowledge {
        guard let known = sizes[inode], known != size else {
            mistaken.remove(inode)
            return isChanging(inode, at: now) ? .uncertain : .right
        }
        changeEnds[inode] = now.adding(nanoseconds: Self.changeLife)
        // The store has the change, which may not have been announced yet.
        if isSizeKernels { generations[inode, default: Generation()].renew() }
        return .wrong
    }

    /// The version that a lookup told the kernel together with the generation that it has; nil if
    /// its size is another by now.
    func toldVersion(of inode: InodeID) -> FileVersion? {
        guard let version = generations[inode]?.version, sizes[inode] == version.size else {
            return nil
        }
        return version
    }

    /// Notes that a file is opened although the kernel has another size.
    mutating func noteMistaken(_ inode: InodeID) {
        if sizes[inode] != nil { mistaken.insert(inode) }
    }

    /// Whether the kernel may have another size of an open file.
    mutating func isSizeWrong(of inode: InodeID, at now: WallTime) -> Bool {
        isChanging(inode, at: now) || mistaken.contains(inode)
    }

    /// Whether the size has changed a moment ago.
    private mutating func isChanging(_ inode: InodeID, at now: WallTime) -> Bool {
        guard let end = changeEnds[inode] else { return false }
        if now < end { return true }
        changeEnds[inode] = nil
        return false
    }

    // MARK: Generations

    /// Notes that an inode has content of another size from now on, if the kernel has cached it.
    mutating func noteNewContent(_ inode: InodeID) {
        guard sizes[inode] != nil else { return }
        generations[inode, default: Generation()].current +|= 1
    }

    /// Whether the kernel has the size of an earlier generation.
    func isOutdated(_ inode: InodeID) -> Bool {
        generations[inode]?.isOutdated ?? false
    }

    /// Whether a lookup has just told the kernel a new generation: an opener that had looked up the
    /// name before comes to an inode that the kernel has given up, and could not read it.
    mutating func isRenewed(_ inode: InodeID, at now: WallTime) -> Bool {
        guard let end = renewalEnds[inode] else { return false }
        if now < end { return true }
        renewalEnds[inode] = nil
        return false
    }

    /// The generation that the kernel has.
    func toldGeneration(of inode: InodeID) -> UInt64 {
        generations[inode]?.told ?? 0
    }

    // MARK: Pages

    /// The unit of the kernel's cache in bytes, or a part of it.
    private static let pageSize: Int64 = 4096
    /// Bytes that the kernel reads with one request, at least, when it reads ahead.
    private static let readSize: Int64 = 128 << 10

    /// Notes the content of an open. Returns whether the last open had the same one, so that the
    /// kernel may keep its pages, and whether that pays.
    mutating func noteOpened(_ inode: InodeID, with version: ContentVersion) -> Bool {
        guard let size = sizes[inode] else { return false }
        guard opened.updateValue(version, forKey: inode) == version else {
            raggedWrites[inode] = nil
            return false
        }
        // The kernel has a part of each page in which a write has begun, and asks for every such
        // page alone; without pages it asks for all of the file with few requests.
        guard let ragged = raggedWrites[inode], ragged > size / Self.readSize else { return true }
        raggedWrites[inode] = nil
        return false
    }

    /// Notes a write through the kernel's pages.
    mutating func noteWrite(at offset: Int64, of inode: InodeID) {
        guard offset % Self.pageSize != 0, sizes[inode] != nil else { return }
        raggedWrites[inode, default: 0] +|= 1
    }

    /// Notes that the kernel may have pages of no content: the next open drops them.
    mutating func noteUnknownPages(of inode: InodeID) {
        opened[inode] = nil
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
    /// An export of a cloud document, by its number.
    case export(UInt64)
}
