// Changing the content of open files.

package import Core
import MetadataStore
import RemoteStore
import Saturating
import Staging
import Sync

extension DropboxFileSystem {
    /// Writes all bytes and returns their count.
    package func write(
        _ inode: InodeID, handle: HandleID, offset: Int64, bytes: UnsafeRawBufferPointer,
        isPage: Bool
    ) -> Answer<Int> {
        do {
            let handle = try files.handle(handle)
            let count = bytes.count
            try requireRoom(for: handle, offset: offset, count: Int64(clamping: count))
            guard count > 0 else { return .ready(0) }
            // With `writeback_cache` the kernel has resolved O_APPEND itself, except for direct
            // I/O.
            let appends =
                handle.flags.appends && !isPage && (handle.isDirect || !options.gathersWrites)
            let progress = try change(handle.file) { staged, now in
                try Self.write(bytes, at: offset, appends: appends, into: staged, now: now)
            }
            if !isPage, !handle.isDirect { inodes.noteWrite(at: offset, of: inode) }
            if case .changed = progress, !handle.flags.isSynchronous {
                if StagedFile.endsPiece(from: offset, count: count), !handle.isLocalOnly {
                    sync.noteGrowth(of: inode)
                }
                return .ready(count)
            }
            let isWritten = if case .changed = progress { true } else { false }
            // The buffer is valid during this call only.
            let copy = isWritten ? [] : Array(bytes)
            return .pending { () async throws(FileSystemError) in
                if !isWritten {
                    try await self.changeWaiting(handle.file, session: handle.session) {
                        staged, now in
                        try copy.withUnsafeBytes { bytes in
                            try Self.write(
                                bytes, at: offset, appends: appends, into: staged, now: now)
                        }
                    }
                }
                if handle.flags.isSynchronous {
                    try await self.synchronize(handle.file)
                }
                return count
            }
        } catch {
            return .failed(failure(error))
        }
    }

    private static func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, appends: Bool, into staged: StagedFile,
        now: WallTime
    ) throws -> StagedWrite {
        appends
            ? try staged.append(bytes, now: now).result
            : try staged.write(at: offset, bytes, now: now)
    }

    /// Reserves, extends or zeroes a range.
    package func allocate(
        _ inode: InodeID, handle: HandleID, offset: Int64, count: Int64, mode: AllocationMode
    ) -> Answer<Void> {
        do {
            let handle = try files.handle(handle)
            guard handle.flags.writes else { return .failed(.badHandle) }
            guard offset >= 0, count > 0 else { return .failed(.invalidArgument) }
            try requireRoom(for: handle, offset: offset, count: count)
            switch mode {
            case .keepSize:
                return .ready(())
            case .extend:
                let size = try size(of: handle.file)
                if offset +| count > size {
                    try resize(handle.file, to: offset +| count)
                }
                return .ready(())
            case .punchHole:
                return zero(offset ..<| offset +| count, extends: false, handle)
            case .zeroRange(let keepsSize):
                return zero(offset ..<| offset +| count, extends: !keepsSize, handle)
            }
        } catch {
            return .failed(failure(error))
        }
    }

    private func zero(
        _ range: Range<Int64>, extends: Bool, _ handle: FileHandle
    ) -> Answer<Void> {
        let body: @Sendable (StagedFile, WallTime) throws -> StagedWrite = { staged, now in
            try staged.zero(range, extends: extends, now: now)
        }
        do {
            if case .changed = try change(handle.file, body) {
                return .ready(())
            }
            return .pending { () async throws(FileSystemError) in
                try await self.changeWaiting(handle.file, session: handle.session, body)
            }
        } catch {
            return .failed(failure(error))
        }
    }

    private func requireRoom(
        for handle: FileHandle, offset: Int64, count: Int64
    ) throws(FileSystemError) {
        guard offset >= 0 else { throw .invalidArgument }
        if offset +| count > Self.maximumFileSize { throw .tooLarge }
        if !handle.isLocalOnly && sync.isQuotaExceeded { throw .quotaExceeded }
    }

    // MARK: Size

    /// Size of an open file's content in bytes.
    func size(of file: OpenFile) throws(FileSystemError) -> Int64 {
        switch file.content {
        case .unknown: throw .inputOutput("the file \(file.inode) has no content")
        case .revision(let content): content.size
        case .staged(let staged): staged.retired?.size ?? staged.size
        case .exported(let export): export.size
        }
    }

    /// Truncates or extends the content, and saves the row at once: after a crash, a row with the
    /// old size would turn the truncated bytes into zeros.
    func resize(_ file: OpenFile, to size: Int64) throws {
        let old = try self.size(of: file)
        guard old != size else { return }
        if size == 0 {
            _ = try stage(file, discardingContent: true)
            file.noteModified(clock.date())
        }
        // A new staging file is empty already. It is not new if another handle or a delta began it.
        if try self.size(of: file) != size {
            _ = try change(file) { staged, now in try staged.truncate(to: size, now: now) }
        }
        guard let staged = file.staged else { return }
        // A flushed row must not name more bytes than are on the disk.
        let cutsFlushed = size < old && staged.hasFlushedContent
        if cutsFlushed { try staged.synchronize(promising: false) }
        try save(file, isComplete: false)
        if cutsFlushed { try store.synchronize() }
        try staged.trim()
    }
}
