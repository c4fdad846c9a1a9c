// Copying between open files without moving bytes, and looking for holes.

public import Core
import MetadataStore
import RemoteStore
import Staging
import Sync

extension DropboxFileSystem {
    /// Smaller content travels in batches anyway.
    private static let smallestQueuedCopy: Int64 = 4 << 20

    /// Copies a range between two open files.
    ///
    /// Bytes of a clean file, from its beginning on, become the base under the target's staged content:
    /// nothing is read, and a whole file is copied by the server, as is a whole file that is queued.
    /// The kernel copies large files in pieces, of which each must follow the one before. Everything
    /// else it copies by itself, when it is told that this is unsupported.
    public func copyRange(
        from source: InodeID, handle: HandleID, offset: Int64,
        to target: InodeID, targetHandle: HandleID, targetOffset: Int64, count: Int64
    ) -> Answer<Int> {
        do {
            let from = try files.handle(handle)
            let to = try files.handle(targetHandle)
            guard to.flags.writes, !to.flags.appends else { return .failed(.badHandle) }
            guard offset >= 0, count >= 0 else { return .failed(.invalidArgument) }
            // Asked of the row: the file may have been renamed to a local name since it was opened, and what
            // stays here must have all its bytes here.
            guard offset == targetOffset, source != target,
                try store.read({ try $0.existing(target) }).flags.isDisjoint(with: .localOnly)
            else { return .failed(.unsupported) }
            if sync.isQuotaExceeded { return .failed(.quotaExceeded) }
            if case .staged(let staged) = from.file.content, !from.isLocalOnly {
                return copyQueued(staged, offset..<offset.addingOrMaximum(count), to: to.file)
            }
            guard case .revision(let content) = from.file.content else {
                return .failed(.unsupported)
            }
            let end = min(content.size, offset.addingOrMaximum(count))
            guard offset < end else { return .ready(0) }
            guard try clone(content, offset..<end, to: to.file) else {
                return .failed(.unsupported)
            }
            return .ready(Int(clamping: end -| offset))
        } catch {
            return .failed(failure(error))
        }
    }

    /// Copies content that is queued, whole, into an empty file: on the local disk at once, and on the
    /// server when that has it. Small files are not worth waiting for each other.
    private func copyQueued(
        _ source: StagedFile, _ range: Range<Int64>, to file: OpenFile
    ) -> Answer<Int> {
        let size = source.size
        guard range.lowerBound == 0, range.upperBound >= size, size > Self.smallestQueuedCopy
        else { return .failed(.unsupported) }
        return .pending { () async throws(FileSystemError) in
            try await self.onDisk {
                guard source.size == size, try self.size(of: file) == 0 else {
                    throw FileSystemError.unsupported
                }
                let now = self.clock.date()
                let target = try self.stage(file)
                guard let copied = try target.copy(source, now: now) else {
                    throw FileSystemError.unsupported
                }
                file.noteModified(now)
                let twin = Twin(
                    source: source.inode, sourceGeneration: copied.source,
                    generation: copied.own)
                let isQueued = try self.update { transaction in
                    try transaction.setTwin(twin, of: file.inode)
                    return try self.save(target, transaction)
                }
                if isQueued { self.sync.noteChange() }
                return Int(clamping: size)
            }
        }
    }

    private func clone(
        _ content: FileContent, _ range: Range<Int64>, to file: OpenFile
    ) throws -> Bool {
        guard try size(of: file) == range.lowerBound else { return false }
        var isCloned = false
        let progress = try change(file) { staged, now in
            let outcome = try staged.clone(content, range: range, now: now)
            isCloned = outcome != nil
            return outcome ?? .written
        }
        guard case .changed = progress else { return false }
        return isCloned
    }

    /// Finds data or a hole. Holes are those of what is not sent yet, as long as nothing is written to it: what
    /// the kernel has gathered, or was mapped, is not in the staging file. All else counts as data: to know
    /// better, it would have to be fetched.
    public func seek(
        _ inode: InodeID, handle: HandleID, offset: Int64, target: SeekTarget
    ) -> Answer<Int64> {
        do {
            let file = try files.handle(handle).file
            let size = try self.size(of: file)
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
