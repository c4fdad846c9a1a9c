// Changing content: staging it over a base, fetching missing bytes of the base first, and saving
// its rows.

import Blocking
import Core
import MetadataStore
import RemoteStore
import Staging
import Sync
import Tree

extension DropboxFileSystem {
    /// Largest file that Dropbox stores, in bytes: 2^41 less one block of an upload session.
    /// https://www.dropbox.com/developers/documentation/http/documentation#files-upload_session-finish
    static let maximumFileSize: Int64 = (1 << 41) - (1 << 22)
    /// Rounds of a change at most, before it fails with `busy`. A further round takes a commit of the content between two steps
    /// of this process. So many in a row are a defect, which must not keep a thread forever.
    private static let mostRounds = 64

    // MARK: Finding content

    /// Sets the content of an open file, unless another handle has done so. Returns its node after
    /// `check` has seen it. With `evenWithoutName`, a revision is opened even if its name was just
    /// removed.
    func settle(
        _ file: OpenFile, evenWithoutName: Bool = false, _ check: (Node) throws -> Void = { _ in }
    ) throws -> Node {
        // Content can be committed, and its staging file removed, after the row was read. The next
        // round finds the revision.
        for _ in 0..<4 {
            let (node, content) = try look(at: file.inode)
            try check(node)
            guard case .unknown = file.content else { return node }
            if node.place == nil, !evenWithoutName || node.staged != nil {
                // The name was removed during the open, and its content perhaps with it. At this
                // error the kernel repeats the lookup.
                throw FileSystemError.staleHandle
            }
            if let content {
                file.settle(content)
                return node
            }
            guard node.staged != nil else {
                // Without a name, its content went with it.
                if node.place == nil { throw FileSystemError.staleHandle }
                throw FileSystemError.inputOutput("the file \(node.inode) has no content")
            }
        }
        throw FileSystemError.busy
    }

    /// A node that is being opened, and its content; nil content if the row is out of date.
    private func look(at inode: InodeID) throws -> (Node, OpenFile.Content?) {
        // A transaction that is running may not know of this handle yet, so the node is read after it. The same holds for the
        // size of staged content, which the last handle may be saving: bytes beyond the size in the row would be cut off.
        let found = try store.readIfFree { snapshot in
            let node = try snapshot.existing(inode)
            return (node, try self.content(of: node))
        }
        if let found { return found }
        if !openFiles.isClaimed(inode) {
            let node = try store.readBriefly { try $0.existing(inode) }
            if node.kind != .file || node.staged == nil {
                return (node, FileVersion(of: node).map { .revision($0) })
            }
        }
        return try store.readBetweenTransactions { snapshot in
            let node = try snapshot.existing(inode)
            return (node, try self.content(of: node))
        }
    }

    /// The content of a node; nil if the row is out of date. Before another transaction begins.
    private func content(of node: Node) throws -> OpenFile.Content? {
        guard node.staged != nil else { return FileVersion(of: node).map { .revision($0) } }
        do throws(StagingError) {
            guard let staged = try staging.file(of: node) else { return nil }
            return staged.retired.map { .revision($0) } ?? .staged(staged)
        } catch {
            if error.isMissingFile { return nil }
            throw error
        }
    }

    /// The base revision of staged content.
    func content(of base: StagedContent.Base) -> FileVersion {
        FileVersion(revision: base.revision, hash: base.hash, size: base.size)
    }

    // MARK: Beginning

    /// The staging file of an open file, created over its revision if there is none. With
    /// `discardingContent`, a new file is created without base. A present file that was never
    /// flushed is truncated instead.
    func stage(_ file: OpenFile, discardingContent: Bool = false) throws -> StagedFile {
        var revision: FileVersion?
        switch file.content {
        case .unknown: break
        case .revision(let content): revision = content
        case .exported: throw FileSystemError.unsupported
        case .staged(let staged):
            if let committed = staged.retired {
                file.retire(staged, as: committed)
                revision = committed
            } else if !discardingContent && !staged.isReplaced {
                return staged
            }
        }
        let staged = try changeTree { [revision] changes in
            try changes.beginContent(
                of: file.inode, over: revision, discardingContent: discardingContent)
        }
        file.begin(staged)
        sync.noteChange()
        return staged
    }

    // MARK: Changing

    /// The result of one try to change content.
    enum Progress {
        /// The content is changed.
        case changed
        /// These ranges of the base must be fetched first.
        case needs([Range<Int64>], StagedFile)
    }

    /// Changes content, unless bytes of the base must be fetched first.
    func change(
        _ file: OpenFile, _ body: (StagedFile, WallTime) throws -> StagedWrite
    ) throws -> Progress {
        // Content can be committed between `stage` and `body`; the next round stages anew over that
        // revision.
        for _ in 0..<Self.mostRounds {
            let staged = try stage(file)
            let now = clock.date()
            switch try body(staged, now) {
            case .written:
                file.noteModified(now)
                return .changed
            case .retired(let revision):
                file.retire(staged, as: revision)
            case .replaced:
                // The next round finds its successor.
                continue
            case .vouched:
                staged.withdraw()
                try save(file, isComplete: false)
                try store.synchronize()
            case .needsBase(let ranges):
                guard try fillFromCache(ranges, staged) else { return .needs(ranges, staged) }
            }
        }
        throw FileSystemError.busy
    }

    /// Like `change`, but fetches missing bytes of the base.
    func changeWaiting(
        _ file: OpenFile, session: ReadSession,
        _ body: @escaping @Sendable (StagedFile, WallTime) throws -> StagedWrite
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

    /// Fetches a range of a revision.
    func fetch(
        _ content: FileVersion, _ range: Range<Int64>, session: ReadSession
    ) async throws(FileSystemError) -> [UInt8] {
        do throws(RemoteError) {
            return try await reader.bytes(of: content, range: range, session: session)
        } catch {
            throw failure(error)
        }
    }

    /// Runs blocking work on the disk queue.
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

    /// Fetches all missing bytes of a file into its staging file.
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
            try self.changeTree { try $0.saveBlocks(of: staged) }
        }
    }

    // MARK: Keeping

    /// Saves size, block map and times of open handles in the rows, so that they survive this
    /// process. `isComplete` is false if the change has only begun.
    func save(_ file: OpenFile, isComplete: Bool = true) throws {
        guard let staged = file.staged, staged.hasUnsavedChanges else { return }
        let isQueued = try changeTree { try $0.save(staged, isComplete: isComplete) }
        // The staged bytes replace those that a flushed row names, so the new row is flushed too.
        if staged.isPromised { try store.synchronize() }
        if isQueued {
            sync.noteChange()
        }
    }
}

extension FileVersion {
    /// The revision of a clean node; nil if its bytes cannot be downloaded.
    init?(of node: Node) {
        guard let revision = node.facts.revision, let hash = node.facts.hash else { return nil }
        self.init(revision: revision, hash: hash, size: node.facts.size)
    }
}
