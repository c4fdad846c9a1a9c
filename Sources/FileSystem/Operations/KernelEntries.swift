// The entries of nodes for the kernel, and how long it may cache them.

import Core
import MetadataStore
import Staging
import Sync
import Tree

/// When an answer to the kernel was read: decides whether the kernel may cache it.
struct Moment {
    let epoch: UInt64
    let isFeedHealthy: Bool
    let isTreeComplete: Bool
}

/// Makes the entries of nodes, and notes what the kernel learns from them.
final class KernelEntries: Sendable {
    /// Timeout in seconds of entries that are invalidated explicitly.
    private static let longTimeout = 3600.0
    /// Timeout in seconds of entries that may change without a delta, and of attributes that the
    /// kernel changes by itself.
    private static let shortTimeout = 1.0

    private let invalidator: KernelInvalidator
    private let openFiles: OpenFiles
    private let staleOpens: StaleOpens
    private let documents: DocumentContents
    private let staging: StagingArea
    private let sync: any Syncing
    private let clock: any SyncClock
    private let options: FileSystemOptions
    /// The times shown for folders, which Dropbox does not store: when this account was first
    /// mounted here, so that they stay the same.
    let folderTime: WallTime

    private var inodes: KernelInodeCache { invalidator.inodes }

    init(
        invalidator: KernelInvalidator, openFiles: OpenFiles, staleOpens: StaleOpens,
        documents: DocumentContents, staging: StagingArea, sync: any Syncing, clock: any SyncClock,
        options: FileSystemOptions, folderTime: WallTime
    ) {
        self.invalidator = invalidator
        self.openFiles = openFiles
        self.staleOpens = staleOpens
        self.documents = documents
        self.staging = staging
        self.sync = sync
        self.clock = clock
        self.options = options
        self.folderTime = folderTime
    }

    /// Captures the current moment; call it before reading the store.
    func moment() -> Moment {
        Moment(
            epoch: invalidator.epoch, isFeedHealthy: sync.isFeedHealthy,
            isTreeComplete: sync.isTreeComplete)
    }

    /// The entry of a node that was read after `moment`; counts a lookup.
    func found(_ node: Node, since moment: Moment) -> Entry {
        // Remembered before the entry is made, so that a concurrent change is either invalidated or
        // in the entry.
        let generation = remember(node)
        var entry = entry(node, since: moment)
        entry.generation = generation
        guard options.gathersWrites, node.kind == .file else { return entry }
        keepSize(of: node, in: &entry)
        if invalidator.epoch != moment.epoch {
            // The size may be that of an earlier content, and this kernel does not ask for it
            // again.
            inodes.noteNewContent(node.inode)
        }
        return entry
    }

    /// Makes the reply to a lookup tell the size of the generation that it has: the kernel takes it
    /// where it does not have the inode yet.
    private func keepSize(of node: Node, in entry: inout Entry) {
        guard node.staged == nil, let told = inodes.toldVersion(of: node.inode) else { return }
        entry.attributes.size = told.size
    }

    /// Counts a lookup, and returns the generation for the reply.
    private func remember(_ node: Node) -> UInt64 {
        let (inode, now) = (node.inode, clock.now())
        let size = documents.size(of: node, openFiles[inode]) ?? node.size
        guard options.gathersWrites else {
            // The kernel has marked a deleted folder as dead; a file that comes back is the one
            // that processes have open.
            return inodes.remember(
                inode, size: size, keepsGeneration: node.kind != .folder, at: now)
        }
        // A caller that was sent back, and has looked up the name since, opens that inode.
        let isAwaited =
            inodes.isOutdated(inode)
            && staleOpens.isAboutToOpen(inodes.toldGeneration(of: inode), of: inode, at: now)
        let isRevision = node.staged == nil && !node.isCloudDocument
        let version = isRevision ? FileVersion(of: node) : nil
        return openFiles.decide(on: inode) { isOpen in
            inodes.remember(
                inode, size: size, of: version, keepsGeneration: isOpen || isAwaited, at: now)
        }
    }

    /// The entry of a node that was read after `moment`.
    func entry(_ node: Node, since moment: Moment) -> Entry {
        let open = node.kind == .file ? openFiles[node.inode] : nil
        var attributes = Attributes(
            node, unsaved: open?.unsaved, options: options, folderTime: folderTime)
        if let size = documents.size(of: node, open) { attributes.size = size }
        let isWritten = open != nil && openFiles.isOpenForWriting(node.inode)
        // With a writer, mapped pages are not in the staging file yet, and neither are writes that
        // the kernel gathers.
        if options.gathersWrites {
            attributes.isSizeKernels = attributes.kind == .regular
        } else if let staged = node.staged, !isWritten {
            attributes.occupied = staging.occupiedBytes(of: staged)
        }
        noteTold(attributes)
        guard invalidator.epoch == moment.epoch else {
            return Entry(attributes: attributes, timeouts: Timeouts(entry: 0, attributes: 0))
        }
        let timeout = moment.isFeedHealthy ? Self.longTimeout : Self.shortTimeout
        // The kernel forgets the attributes of a file that is being written at each change that it
        // passes on.
        let isMomentary = isWritten && options.gathersWrites
        return Entry(
            attributes: attributes,
            timeouts: Timeouts(
                entry: timeout, attributes: isMomentary ? Self.shortTimeout : timeout))
    }

    private func noteTold(_ attributes: Attributes) {
        guard attributes.kind == .regular else { return }
        if openFiles.isOpenForWriting(attributes.inode) {
            inodes.noteWrittenSize(attributes.size, of: attributes.inode)
        } else {
            inodes.noteToldSize(attributes.size, of: attributes.inode, at: clock.now())
        }
    }

    /// Timeout of a negative entry, in seconds.
    func absenceTimeout(since moment: Moment) -> Double {
        // When case is folded, a create in another case makes this name exist without an
        // invalidation.
        moment.isFeedHealthy && moment.isTreeComplete && invalidator.epoch == moment.epoch
            && !options.foldsCase ? Self.longTimeout : 0
    }
}
