// Changing the content of open files: staging it over a base, and fetching missing bytes of the
// base first. Not responsible for finding it (`ContentFinder`), nor for its rows (`ContentKeeper`).

import Core
import MetadataStore
import RemoteStore
import Staging
import Sync
import Tree

/// Changes the content of open files.
final class FileContents: Sendable {
    /// Largest file that Dropbox stores, in bytes: 2^41 less one block of an upload session.
    /// https://www.dropbox.com/developers/documentation/http/documentation#files-upload_session-finish
    static let maximumSize: Int64 = (1 << 41) - (1 << 22)
    /// Rounds of a change at most, before it fails with `busy`. A further round takes a commit of
    /// the content between two steps of this process. So many in a row are a defect, which must not
    /// keep a thread forever.
    private static let mostRounds = 64

    private let store: MetadataStore
    private let tree: LocalTree
    private let finder: ContentFinder
    private let keeper: ContentKeeper
    private let unsaved: UnsavedFiles
    private let openFiles: OpenFiles
    private let reader: any ContentReading
    private let sync: any Syncing
    private let clock: any SyncClock
    private let work: LocalWork

    init(
        store: MetadataStore, tree: LocalTree, finder: ContentFinder, keeper: ContentKeeper,
        unsaved: UnsavedFiles, openFiles: OpenFiles, reader: any ContentReading,
        sync: any Syncing, clock: any SyncClock, work: LocalWork
    ) {
        self.store = store
        self.tree = tree
        self.finder = finder
        self.keeper = keeper
        self.unsaved = unsaved
        self.openFiles = openFiles
        self.reader = reader
        self.sync = sync
        self.clock = clock
        self.work = work
    }

    // MARK: Beginning

    /// The staging file of an open file, created over its revision if there is none. With
    /// `discardingContent`, a new file is created without base. A present file that was never
    /// flushed is truncated instead.
    func stage(
        _ file: OpenFile, discardingContent: Bool = false, space: SpaceReserve.Use = .change
    ) throws -> StagedFile {
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
        // A truncation makes room.
        let use = discardingContent ? .release : space
        let staged = try tree.change(space: use) { [revision] changes in
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
        /// The local disk has taken the first bytes of a write, and refused the others.
        case partly(PartialWrite)
        /// These ranges of the base must be fetched first.
        case needs([Range<Int64>], StagedFile)
    }

    /// Changes content, unless bytes of the base must be fetched first.
    func change(
        _ file: OpenFile, space: SpaceReserve.Use = .change,
        _ body: (StagedFile, WallTime) throws -> StagedWrite
    ) throws -> Progress {
        // Content can be committed between `stage` and `body`; the next round stages anew over that
        // revision.
        for _ in 0..<Self.mostRounds {
            let staged = try stage(file, space: space)
            let now = clock.date()
            switch try body(staged, now) {
            case .written:
                noteChange(of: file, at: now)
                return .changed
            case .partly(let part):
                noteChange(of: file, at: now)
                return .partly(part)
            case .retired(let revision):
                file.retire(staged, as: revision)
            case .replaced:
                // The next round finds its successor.
                continue
            case .vouched:
                staged.invalidateFlushedRow()
                try keeper.save(file, isComplete: false)
                try keeper.synchronizeRow(of: staged)
            case .needsBase(let ranges):
                guard try fillFromCache(ranges, staged) else { return .needs(ranges, staged) }
            }
        }
        throw FileSystemError.busy
    }

    private func noteChange(of file: OpenFile, at time: WallTime) {
        if file.noteChange(at: time) { unsaved.note(file.inode) }
    }

    /// Like `change`, but fetches missing bytes of the base. Returns the part that was written, if
    /// that is not all.
    @discardableResult
    func changeWaiting(
        _ file: OpenFile, session: ReadSession,
        _ body: @escaping @Sendable (StagedFile, WallTime) throws -> StagedWrite
    ) async throws(FileSystemError) -> PartialWrite? {
        while true {
            let progress = try await work.onDisk { try self.change(file, body) }
            switch progress {
            case .changed: return nil
            case .partly(let part): return part
            case .needs(let ranges, let staged):
                try await fill(ranges, staged, session: session)
            }
        }
    }

    private func fillFromCache(_ ranges: [Range<Int64>], _ staged: StagedFile) throws -> Bool {
        guard let base = staged.base else { return true }
        for range in ranges {
            guard let bytes = reader.cachedBytes(of: FileVersion(of: base), range: range) else {
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
            let bytes = try await fetch(FileVersion(of: base), range, session: session)
            try await work.onDisk { try staged.fill(range, with: bytes, of: base) }
        }
    }

    /// Fetches a range of a revision.
    func fetch(
        _ content: FileVersion, _ range: Range<Int64>, session: ReadSession
    ) async throws(FileSystemError) -> [UInt8] {
        do throws(RemoteError) {
            return try await reader.bytes(of: content, range: range, session: session)
        } catch {
            throw work.failure(error)
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
        await work.onDisk(alwaysDone: { self.keeper.close(file, writes: true) })
        try outcome.get()
    }

    private func stageWhole(_ file: OpenFile) async throws(FileSystemError) {
        let staged = try await work.onDisk {
            _ = try self.finder.settle(file)
            return try self.stage(file)
        }
        try await fill(staged.missingRanges, staged, session: ReadSession())
        try await work.onDisk {
            try self.tree.change(space: .release) { try $0.saveBlocks(of: staged) }
        }
    }

    // MARK: Size

    /// Truncates or extends the content, and saves the row at once: after a crash, a row with the
    /// old size would turn the truncated bytes into zeros.
    func resize(_ file: OpenFile, to size: Int64) throws {
        let old = try file.size
        guard old != size else { return }
        if size == 0 {
            _ = try stage(file, discardingContent: true)
            file.noteModified(clock.date())
        }
        // A new staging file is empty already. It is not new if another handle or a delta began it.
        if try file.size != size {
            _ = try change(file, space: size < old ? .release : .change) { staged, now in
                try staged.truncate(to: size, now: now)
            }
        }
        guard let staged = file.staged else { return }
        // A flushed row must not name more bytes than are on the disk. Emptied content is no
        // complete content, which a power cut may leave.
        let cutsFlushed = size < old && staged.hasFlushedContent
        if cutsFlushed, size > 0 { try staged.synchronize(promising: false) }
        try keeper.save(file, isComplete: false)
        if cutsFlushed { try keeper.synchronizeRow(of: staged) }
        try staged.trim()
    }

    /// Extends the content to a size with zeros, unless it is as long: with `writeback_cache`, the
    /// kernel may send writes at the same time.
    func extend(_ file: OpenFile, to size: Int64) throws {
        guard try file.size < size else { return }
        _ = try change(file) { staged, now in
            try staged.truncate(to: size, onlyGrows: true, now: now)
        }
        try keeper.save(file, isComplete: false)
    }

    /// Truncates to 0. A file that is empty already gets a new time, because makefiles use `: >
    /// stamp`.
    func empty(_ file: OpenFile) throws {
        if try file.size > 0 {
            return try resize(file, to: 0)
        }
        let now = clock.date()
        _ = try tree.change(space: .release) { tree in
            try tree.setLocal(of: file.inode) { local in
                var local = local
                local.modified = now
                local.changed = now
                return local
            }
        }
        file.noteModified(now)
    }
}
