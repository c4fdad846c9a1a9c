// Which inodes are open, and the state that all handles of one share. Not responsible for the
// handles themselves (`HandleTable`) nor for reading and writing.

package import Core
package import MetadataStore
import RemoteStore
import Saturating
import Staging
import Sync
import Synchronization
import Tree

/// The open files of a mount.
///
/// **Lock order of this module.** In rising rank: 1 `HandleTable`, 2 `OpenFiles`, 3
/// `KernelInodeCache`, 4 `OpenFile` and `DirectoryListings`; then Staging's files. A thread that
/// holds one of them takes no other one, except in `decide`. It does not wait for the store either:
/// the database comes first, and memory after it. Within a transaction all of them may be taken,
/// because no thread that holds one waits for a transaction.
package final class OpenFiles: OpenFileTracking {
    private struct Slot {
        let file: OpenFile
        var handles = 0
        var writers = 0
        /// Whether a transaction has asked for the inode, as each does that removes a name of an
        /// open file.
        var mayBeUnlinked = false
    }

    private struct State {
        var slots: [InodeID: Slot] = [:]
        /// Inodes that the running transaction takes for closed.
        var claimed: Set<InodeID> = []
    }

    /// Lock rank 2, held for a dictionary access.
    private let state = Mutex(State())

    /// Creates an empty table.
    package init() {}

    /// Decides something that depends on whether a handle is open on the inode. None is registered
    /// in between: `body` may take the lock of `KernelInodeCache`.
    func decide<Value: Sendable>(on inode: InodeID, _ body: (_ isOpen: Bool) -> Value) -> Value {
        state.withLock { body($0.slots[inode] != nil) }
    }

    /// Whether a handle is open on the inode. If not, openers wait for the end of the transaction.
    package func isOpen(_ inode: InodeID, in transaction: Transaction) -> Bool {
        let (isOpen, isFirst) = state.withLock { state in
            if state.slots[inode] != nil {
                state.slots[inode]?.mayBeUnlinked = true
                return (true, false)
            }
            let isFirst = state.claimed.isEmpty
            state.claimed.insert(inode)
            return (false, isFirst)
        }
        // Only one write transaction runs at a time.
        if isFirst {
            transaction.afterEnd { self.state.withLock { $0.claimed = [] } }
        }
        return isOpen
    }

    /// Whether a running transaction takes the inode for closed.
    func isClaimed(_ inode: InodeID) -> Bool {
        state.withLock { $0.claimed.contains(inode) }
    }

    /// Whether a handle that can write is open on the inode.
    package func isOpenForWriting(_ inode: InodeID) -> Bool {
        state.withLock { ($0.slots[inode]?.writers ?? 0) > 0 }
    }

    /// The inodes on which handles are open that can write, in their order.
    var written: [InodeID] {
        state.withLock { $0.slots.filter { $0.value.writers > 0 }.keys.sorted() }
    }

    /// Whether at most one handle that can write is open on the inode.
    func isOnlyWriter(_ inode: InodeID) -> Bool {
        state.withLock { ($0.slots[inode]?.writers ?? 0) <= 1 }
    }

    /// Whether at most one handle is open on the inode.
    func isOnlyHandle(_ inode: InodeID) -> Bool {
        state.withLock { ($0.slots[inode]?.handles ?? 0) <= 1 }
    }

    /// The state of each open file, in the order of the inodes.
    var all: [OpenFile] {
        let files = state.withLock { $0.slots.values.map(\.file) }
        return files.sorted { $0.inode < $1.inode }
    }

    /// The state shared by the handles of an inode, if any is open.
    subscript(inode: InodeID) -> OpenFile? {
        state.withLock { $0.slots[inode]?.file }
    }

    /// Counts a handle. Call it before `isClaimed`, and read the node after that.
    func register(_ inode: InodeID, writes: Bool) -> OpenFile {
        state.withLock { state in
            var slot = state.slots[inode] ?? Slot(file: OpenFile(inode: inode))
            slot.handles +|= 1
            slot.writers +|= writes ? 1 : 0
            state.slots[inode] = slot
            return slot.file
        }
    }

    /// Notes that an open file was found without a name.
    func noteUnlinked(_ inode: InodeID) {
        state.withLock { $0.slots[inode]?.mayBeUnlinked = true }
    }

    /// Removes a handle. Returns whether it was the last one, and whether the file may have lost
    /// its name while it was open.
    func unregister(_ inode: InodeID, writes: Bool) -> (isLast: Bool, mayBeUnlinked: Bool) {
        state.withLock { state in
            guard var slot = state.slots[inode] else { return (false, false) }
            slot.handles -|= 1
            slot.writers -|= writes ? 1 : 0
            state.slots[inode] = slot.handles > 0 ? slot : nil
            return (slot.handles == 0, slot.mayBeUnlinked)
        }
    }
}

/// The state that all handles of one inode share: the content that they read and write.
///
/// Clean content is one revision from the first open to the last close, also if deltas arrive in
/// between. The first change begins staged content over it; a commit turns that into the committed
/// revision.
final class OpenFile: Sendable {
    /// The location of the bytes.
    enum Content: Sendable {
        /// The content was not determined yet.
        case unknown
        /// A revision on the server.
        case revision(FileVersion)
        /// A staging file with local changes.
        case staged(StagedFile)
        /// The export of a cloud document, which is only read.
        case exported(ExportedFile)
    }

    private struct State {
        var content = Content.unknown
        var newestStaging: Int64 = 0
        var modified: WallTime?
        var hasRefusedPages = false
        var isSaveScheduled = false
    }

    /// Inode of the file.
    let inode: InodeID
    /// Lock rank 4, held for assignments.
    private let state = Mutex(State())

    init(inode: InodeID) {
        self.inode = inode
    }

    /// The present location of the bytes.
    var content: Content { state.withLock { $0.content } }

    /// Size of the content in bytes.
    var size: Int64 {
        get throws(FileSystemError) {
            switch content {
            case .unknown: throw .inputOutput("the file \(inode) has no content")
            case .revision(let content): content.size
            case .staged(let staged): staged.retired?.size ?? staged.size
            case .exported(let export): export.size
            }
        }
    }

    /// The content that the pages in the kernel belong to.
    var version: ContentVersion? {
        switch content {
        case .unknown: nil
        case .revision(let content): .revision(content.revision)
        case .staged(let staged): .staged(staged.number)
        case .exported(let export): .export(export.number)
        }
    }

    /// The staging file, until its content is committed.
    var staged: StagedFile? {
        guard case .staged(let file) = content, file.retired == nil else { return nil }
        return file
    }

    /// Facts that are not in the row yet; nil if the row is up to date.
    var unsaved: UnsavedFacts? {
        let (content, modified) = state.withLock { ($0.content, $0.modified) }
        guard case .staged(let file) = content, file.retired == nil else { return nil }
        return UnsavedFacts(size: file.size, modified: modified)
    }

    /// Whether pages that the kernel had gathered were refused, in any handle: the kernel shows
    /// them, and a size that they have given the file.
    var hasRefusedPages: Bool { state.withLock { $0.hasRefusedPages } }

    /// Notes that pages were refused, for as long as the file is open.
    func noteRefusedPages() {
        state.withLock { $0.hasRefusedPages = true }
    }

    /// Sets the content that the first handle finds; later handles share it.
    func settle(_ found: Content) {
        state.withLock { state in
            guard case .unknown = state.content else { return }
            state.content = found
            if case .staged(let file) = found {
                state.newestStaging = file.number
            }
        }
    }

    /// Switches to a staging file that a change has begun. An older one than the present is a late
    /// call of another thread. The same one may come back, if the transaction that ended it was
    /// rolled back.
    func begin(_ file: StagedFile) {
        state.withLock { state in
            guard file.number >= state.newestStaging else { return }
            state.newestStaging = file.number
            state.content = .staged(file)
        }
    }

    /// Switches from a staging file to the revision of its commit.
    func retire(_ file: StagedFile, as revision: FileVersion) {
        state.withLock { state in
            guard case .staged(let current) = state.content, current === file else { return }
            state.content = .revision(revision)
        }
    }

    /// Notes the time of a content change by a handle, or a time that a user set.
    func noteModified(_ time: WallTime) {
        state.withLock { $0.modified = time }
    }

    /// Notes a content change by a handle. Returns whether it is the first one since
    /// `noteSaveBegun`.
    func noteChange(at time: WallTime) -> Bool {
        state.withLock { state in
            defer { state.isSaveScheduled = true }
            state.modified = time
            return !state.isSaveScheduled
        }
    }

    /// Notes that the content is about to be saved.
    func noteSaveBegun() {
        state.withLock { $0.isSaveScheduled = false }
    }
}
