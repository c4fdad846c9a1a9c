// Copying between open files without moving bytes, and SEEK_DATA/SEEK_HOLE.

import Core
import MetadataStore
import RemoteStore
import Saturating
import Staging
import Sync
import Tree

/// Copies between open files, and finds their holes.
final class FileCopies: Sendable {
    /// Files of one block at most are uploaded in batches anyway.
    private static var largestBatched: Int64 { StagedFile.blockSize }
    /// Unsent files of this size at most, in bytes (1 MiB), are copied by the thread that has the
    /// request: the kernel would need a request for every few pages.
    private static var largestSmallCopy: Int64 { StagedFile.blockSize / 4 }

    private let store: MetadataStore
    private let tree: LocalTree
    private let handles: FileHandles
    private let contents: FileContents
    private let openFiles: OpenFiles
    private let sync: any Syncing
    private let clock: any SyncClock
    private let options: FileSystemOptions
    private let work: LocalWork

    init(
        store: MetadataStore, tree: LocalTree, handles: FileHandles, contents: FileContents,
        openFiles: OpenFiles, sync: any Syncing, clock: any SyncClock,
        options: FileSystemOptions, work: LocalWork
    ) {
        self.store = store
        self.tree = tree
        self.handles = handles
        self.contents = contents
        self.openFiles = openFiles
        self.sync = sync
        self.clock = clock
        self.options = options
        self.work = work
    }

    /// Copies a range between two open files (copy_file_range).
    ///
    /// A range of a clean file becomes the base under the target's staged content, so that no byte
    /// is read, and the server copies a file that is copied as a whole. The first range has to
    /// begin at offset 0, and each further one where the one before has ended: the kernel splits
    /// large copies so. A whole file that is still queued is copied by the server as well. For all
    /// other ranges the answer is "unsupported", and the kernel copies by itself.
    func copyRange(
        from source: InodeID, handle: HandleID, offset: Int64,
        to target: InodeID, targetHandle: HandleID, targetOffset: Int64, count: Int64
    ) -> Answer<Int> {
        do {
            let from = try handles.handle(handle)
            let to = try handles.handle(targetHandle)
            // The kernel refuses a target that appends.
            guard to.flags.writes else { return .failed(.badHandle) }
            // The kernel writes by itself then, and each write waits for the disk.
            guard !to.flags.isSynchronous else { return .failed(.unsupported) }
            guard offset >= 0, count >= 0 else { return .failed(.invalidArgument) }
            if case .staged(let staged) = from.content, staged.size <= Self.largestSmallCopy {
                let range = offset ..<| offset +| count
                return try copySmall(staged, range, to: to, at: targetOffset)
            }
            // The row decides: a rename to a local-only name since the open is only there, and a
            // local-only file must have all its bytes here.
            guard offset == targetOffset, source != target,
                try store.read({ try $0.existing(target) }).flags.isDisjoint(with: .localOnly)
            else { return .failed(.unsupported) }
            if sync.isQuotaExceeded { return .failed(.quotaExceeded) }
            if case .staged(let staged) = from.content, !from.isLocalOnly {
                return copyQueued(staged, offset ..<| offset +| count, to: to.file)
            }
            guard case .revision(let content) = from.content else {
                return .failed(.unsupported)
            }
            let end = min(content.size, offset +| count)
            guard offset < end else { return .ready(0) }
            guard try clone(content, offset..<end, to: to.file) else {
                return .failed(.unsupported)
            }
            return .ready(Int(clamping: end -| offset))
        } catch {
            return .failed(work.failure(error))
        }
    }

    /// Copies all bytes of a small file into an empty one.
    private func copySmall(
        _ source: StagedFile, _ range: Range<Int64>, to handle: FileHandle, at offset: Int64
    ) throws -> Answer<Int> {
        let size = source.size
        guard range.lowerBound == 0, offset == 0, size > 0, range.upperBound >= size,
            try handle.file.size == 0
        else { return .failed(.unsupported) }
        if !handle.isLocalOnly && sync.isQuotaExceeded { return .failed(.quotaExceeded) }
        guard case .bytes(let bytes) = try source.read(at: 0, count: Int(clamping: size)),
            Int64(clamping: bytes.count) == size
        else { return .failed(.unsupported) }
        let progress = try contents.change(handle.file) { staged, now in
            try bytes.withUnsafeBytes { try staged.write(at: 0, $0, now: now) }
        }
        switch progress {
        case .changed: return .ready(bytes.count)
        case .partly(let part): return .ready(part.count)
        case .needs: return .failed(.unsupported)
        }
    }

    /// Copies queued content as a whole into an empty file: on the local disk at once, and on the
    /// server by a pending copy. For small files a pending copy is not worth the wait.
    private func copyQueued(
        _ source: StagedFile, _ range: Range<Int64>, to file: OpenFile
    ) -> Answer<Int> {
        let size = source.size
        guard range.lowerBound == 0, range.upperBound >= size, size > Self.largestBatched
        else { return .failed(.unsupported) }
        return .pending { () async throws(FileSystemError) in
            try await self.work.onDisk {
                guard source.size == size, try file.size == 0 else {
                    throw FileSystemError.unsupported
                }
                let now = self.clock.date()
                let target = try self.contents.stage(file)
                guard let copied = try target.copy(source, now: now) else {
                    throw FileSystemError.unsupported
                }
                file.noteModified(now)
                let pendingCopy = PendingCopy(
                    source: source.inode, sourceGeneration: copied.source,
                    generation: copied.own)
                try self.save(target, as: pendingCopy, of: source)
                return Int(clamping: size)
            }
        }
    }

    /// Saves a copy, and its source before that: after a kill, the source would go on from its row,
    /// and could have other content with the generation that was copied.
    private func save(
        _ target: StagedFile, as pendingCopy: PendingCopy, of source: StagedFile
    ) throws {
        // The transaction flushes only later bytes.
        if source.isPromised { try? source.synchronize(promising: false) }
        let isQueued = try tree.change(space: .release) {
            _ = try $0.save(source, isComplete: false, isUnasked: true)
            return try $0.save(target, as: pendingCopy)
        }
        if source.isPromised { try store.synchronize() }
        if isQueued { sync.noteChange() }
    }

    private func clone(
        _ content: FileVersion, _ range: Range<Int64>, to file: OpenFile
    ) throws -> Bool {
        guard try file.size == range.lowerBound else { return false }
        var isCloned = false
        let progress = try contents.change(file) { staged, now in
            let outcome = try staged.clone(content, range: range, now: now)
            isCloned = outcome != nil
            return outcome ?? .written
        }
        guard case .changed = progress else { return false }
        return isCloned
    }

    /// Finds data or a hole. Holes are known only in staged content without a writer: writes that
    /// the kernel gathers and mapped pages are not in the staging file yet. Everything else counts
    /// as data, because it would have to be fetched to know.
    ///
    /// With `writeback_cache` only the kernel knows where a file ends, also for some time after its
    /// last writer has closed it: it takes all bytes up to there for data.
    func seek(
        _ inode: InodeID, handle: HandleID, offset: Int64, target: SeekTarget
    ) -> Answer<Int64> {
        if options.gathersWrites { return .failed(.notImplemented) }
        do {
            let file = try handles.handle(handle).file
            let size = try file.size
            guard offset >= 0, offset < size else { return .failed(.noSuchOffset) }
            if let staged = file.staged, !openFiles.isOpenForWriting(inode) {
                let isData = target == .data
                switch isData ? staged.data(from: offset) : staged.hole(from: offset) {
                case .begins(let found): return .ready(found)
                case .none: return .failed(.noSuchOffset)
                case .unknown: break
                }
            }
            switch target {
            case .data: return .ready(offset)
            case .hole: return .ready(size)
            }
        } catch {
            return .failed(error)
        }
    }
}
