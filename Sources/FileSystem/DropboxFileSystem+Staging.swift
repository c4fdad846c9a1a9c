// Content that changes: beginning to stage it, changing it over what must be fetched first, and keeping
// its rows up to date.

import Blocking
import Core
import MetadataStore
import RemoteStore
import Staging
import Sync

extension DropboxFileSystem {
    /// Largest file that Dropbox stores, in bytes: 2^41 less one block of an upload session.
    /// https://www.dropbox.com/developers/documentation/http/documentation#files-upload_session-finish
    static let maximumFileSize: Int64 = (1 << 41) - (1 << 22)

    // MARK: Finding content

    /// Notes in an open file where its bytes are, if no handle has done so before. Returns its node,
    /// after `check` has seen it. With `evenWithoutName`, a revision is opened whose name has just gone.
    func settle(
        _ file: OpenFile, evenWithoutName: Bool = false, _ check: (Node) throws -> Void = { _ in }
    ) throws -> Node {
        // Content can be committed, and its staging file taken away, after the row was read. The next
        // look finds the revision.
        for _ in 0..<4 {
            let (node, content) = try look(at: file.inode)
            try check(node)
            guard case .unknown = file.content else { return node }
            if node.place == nil, !evenWithoutName || node.staged != nil {
                // Its name went while it was being opened, and its content may have gone with it. At
                // this error the kernel looks the name up again.
                throw FileSystemError.staleHandle
            }
            if let content {
                file.settle(content)
                return node
            }
            guard node.staged != nil else {
                throw FileSystemError.inputOutput("the file \(node.inode) has no content")
            }
        }
        throw FileSystemError.busy
    }

    /// A node that is being opened, and where its bytes are; nil for those when its row is out of date.
    private func look(at inode: InodeID) throws -> (Node, OpenFile.Content?) {
        // Who writes at this moment may not know of this handle. What that does to the node is found in a
        // transaction of one's own, which comes after. So is the size of staged content, which its last
        // handle may be saving: what is beyond the size in the row would be cut off.
        if !openFiles.isClaimed(inode) {
            let node = try store.read { try $0.existing(inode) }
            if node.kind != .file || node.staged == nil {
                return (node, FileContent(of: node).map { .revision($0) })
            }
        }
        return try update { transaction in
            let node = try transaction.existing(inode)
            return (node, try self.content(of: node))
        }
    }

    /// Where a node's bytes are; nil when its row is out of date. In the transaction that has read it.
    private func content(of node: Node) throws -> OpenFile.Content? {
        guard node.staged != nil else { return FileContent(of: node).map { .revision($0) } }
        do throws(StagingError) {
            guard let staged = try staging.file(of: node) else { return nil }
            return staged.retired.map { .revision($0) } ?? .staged(staged)
        } catch {
            if error.isMissingFile { return nil }
            throw error
        }
    }

    /// The revision that staged content lies over.
    func content(of base: StagedContent.Base) -> FileContent {
        FileContent(revision: base.revision, hash: base.hash, size: base.size)
    }

    // MARK: Beginning

    /// The staging file of an open file, begun over its revision if there is none. With
    /// `discardingContent`, a new one is begun over nothing, unless the disk does not have what the present one
    /// holds: that can be emptied.
    func stage(_ file: OpenFile, discardingContent: Bool = false) throws -> StagedFile {
        var revision: FileContent?
        switch file.content {
        case .unknown: break
        case .revision(let content): revision = content
        case .staged(let staged):
            if let committed = staged.retired {
                file.retire(staged, as: committed)
                revision = committed
            } else if !discardingContent && !staged.isReplaced {
                return staged
            }
        }
        let (staged, changes) = try update { [revision] in
            try self.stage(file, over: revision, discardingContent: discardingContent, $0)
        }
        file.begin(staged)
        if !changes.isEmpty { relay.treeDidChange(changes) }
        sync.noteChange()
        return staged
    }

    private func stage(
        _ file: OpenFile, over revision: FileContent?, discardingContent: Bool,
        _ transaction: Transaction
    ) throws -> (StagedFile, [TreeChange]) {
        guard var node = try transaction.node(file.inode) else {
            throw FileSystemError.staleHandle
        }
        if let begun = try staging.file(of: node), begun.retired == nil {
            // Another handle was faster, unless this is the content that is to be discarded. What a power cut
            // would leave of it must stay until the disk has more.
            guard discardingContent, node.place != nil, node.staged?.isFlushed == true else {
                return (begun, [])
            }
            begun.replace()
            transaction.afterUndo { begun.takeBack() }
        }
        if let revision, revision.revision != node.facts.revision,
            // A move gives another revision to the same bytes.
            revision.hash != node.facts.hash
        {
            // The file was deleted here and edited there, and came back while it was open. What
            // this handle would write belongs to the version before.
            throw FileSystemError.staleHandle
        }
        guard discardingContent || revision != nil else {
            throw FileSystemError.inputOutput("the file \(file.inode) has no content")
        }
        var changes: [TreeChange] = []
        if node.isOrphan {
            changes = try sync.returnToTree(node, in: transaction)
            node = try transaction.existing(node.inode)
        }
        let base = discardingContent ? nil : revision.map { StagedContent.Base(whole: $0) }
        let begun = try staging.begin(
            node.inode, base: base, size: base?.size ?? 0, in: transaction)
        return (begun, changes)
    }

    // MARK: Changing

    /// Outcome of trying to change content.
    enum Progress {
        /// It is changed.
        case changed
        /// These ranges must be filled in first.
        case needs([Range<Int64>], StagedFile)
    }

    /// Changes content, unless bytes of the base must be fetched first and are not here.
    func change(
        _ file: OpenFile, _ body: (StagedFile, Timestamp) throws -> StagedWrite
    ) throws -> Progress {
        // Content can be committed between looking and changing, which then begins anew over the new
        // revision. That this happens time after time is not to be expected.
        for _ in 0..<64 {
            let staged = try stage(file)
            let now = clock.date()
            switch try body(staged, now) {
            case .written:
                file.noteModified(now)
                return .changed
            case .retired(let revision):
                file.retire(staged, as: revision)
            case .replaced:
                // The next look finds the file that has taken its place.
                continue
            case .needsBase(let ranges):
                guard try fillFromCache(ranges, staged) else { return .needs(ranges, staged) }
            }
        }
        throw FileSystemError.busy
    }

    /// Like `change`, and fetches what is missing.
    func changeWaiting(
        _ file: OpenFile, session: ReadSession,
        _ body: @escaping @Sendable (StagedFile, Timestamp) throws -> StagedWrite
    ) async throws(FileSystemError) {
        while true {
            let progress = try await onDisk { try self.change(file, body) }
            switch progress {
            case .changed: return
            case .needs(let ranges, let staged):
                try await fill(ranges, staged, session: session)
            }
        }
    }

    private func fillFromCache(_ ranges: [Range<Int64>], _ staged: StagedFile) throws -> Bool {
        guard let base = staged.base else { return true }
        for range in ranges {
            guard let bytes = reader.cachedBytes(of: content(of: base), range: range) else {
                return false
            }
            try staged.fill(range, with: bytes, of: base)
        }
        return true
    }

    /// Fetches bytes of the base into a staging file.
    func fill(
        _ ranges: [Range<Int64>], _ staged: StagedFile, session: ReadSession
    ) async throws(FileSystemError) {
        guard let base = staged.base else { return }
        for range in ranges {
            let bytes = try await fetch(content(of: base), range, session: session)
            try await onDisk { try staged.fill(range, with: bytes, of: base) }
        }
    }

    /// Fetches bytes of a revision.
    func fetch(
        _ content: FileContent, _ range: Range<Int64>, session: ReadSession
    ) async throws(FileSystemError) -> [UInt8] {
        do throws(RemoteError) {
            return try await reader.bytes(of: content, range: range, session: session)
        } catch {
            throw failure(error)
        }
    }

    /// Runs blocking work for a task.
    func onDisk<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws(FileSystemError) -> Value {
        try await disk.run { () throws(FileSystemError) in
            do {
                return try work()
            } catch {
                throw self.failure(error)
            }
        }
    }

    /// Brings all bytes of a file into its staging file.
    func stageWhole(_ inode: InodeID) async throws(FileSystemError) {
        let file = openFiles.register(inode, writes: true)
        let outcome: Result<Void, FileSystemError>
        do throws(FileSystemError) {
            outcome = .success(try await stageWhole(file))
        } catch {
            outcome = .failure(error)
        }
        await disk.run { self.close(file, writes: true) }
        try outcome.get()
    }

    private func stageWhole(_ file: OpenFile) async throws(FileSystemError) {
        let staged = try await onDisk {
            _ = try self.settle(file)
            return try self.stage(file)
        }
        try await fill(staged.missingRanges, staged, session: ReadSession())
        try await onDisk {
            try self.update { transaction in
                let row = try transaction.node(file.inode)?.staged
                guard row?.file == staged.number else { return }
                try staged.persist(in: transaction)
            }
        }
    }

    // MARK: Keeping

    /// Writes what handles have changed into the rows, so that it survives this process. Content is complete
    /// unless the change has only begun.
    func save(_ file: OpenFile, isComplete: Bool = true) throws {
        guard let staged = file.staged, staged.hasUnsavedChanges else { return }
        let isQueued = try update { try self.save(staged, $0, isComplete: isComplete) }
        // The bytes are on the disk, over those that the disk's row speaks of.
        if staged.isPromised { try store.synchronize() }
        if isQueued {
            sync.noteChange()
        }
    }

    /// Like `save`, as part of a transaction. Returns whether the journal has changed.
    func save(
        _ staged: StagedFile, _ transaction: Transaction, isComplete: Bool = true
    ) throws -> Bool {
        let isNew = staged.hasUnsavedContent
        guard staged.hasUnsavedChanges, let node = try transaction.node(staged.inode),
            // Content that no row names belongs to a file that was deleted here and edited there.
            node.staged?.file == staged.number
        else { return false }
        try staged.persist(in: transaction, isComplete: isComplete)
        return isNew && node.isOwed
    }
}

extension FileContent {
    /// The revision of a clean node; nil when it has none whose bytes can be had.
    init?(of node: Node) {
        guard let revision = node.facts.revision, let hash = node.facts.hash else { return nil }
        self.init(revision: revision, hash: hash, size: node.facts.size)
    }
}

extension StagedContent.Base {
    /// All bytes of a revision.
    init(whole content: FileContent) {
        self.init(
            revision: content.revision, hash: content.hash, size: content.size,
            limit: content.size)
    }
}
