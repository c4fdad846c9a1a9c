// Writing to open files, and allocating space in them.

import Core
import MetadataStore
import RemoteStore
import Saturating
import Staging
import Sync

/// Writes to open files.
final class FileWrites: Sendable {
    private let handles: FileHandles
    private let contents: FileContents
    private let keeper: ContentKeeper
    private let inodes: KernelInodeCache
    private let sync: any Syncing
    private let options: FileSystemOptions
    private let work: LocalWork

    init(
        handles: FileHandles, contents: FileContents, keeper: ContentKeeper,
        inodes: KernelInodeCache, sync: any Syncing, options: FileSystemOptions, work: LocalWork
    ) {
        self.handles = handles
        self.contents = contents
        self.keeper = keeper
        self.inodes = inodes
        self.sync = sync
        self.options = options
        self.work = work
    }

    /// Writes bytes and returns their count: fewer if the local disk is full.
    func write(
        _ inode: InodeID, handle id: HandleID, offset: Int64, bytes: UnsafeRawBufferPointer,
        isPage: Bool
    ) -> Answer<Int> {
        do {
            let handle = try handles.handle(id)
            let answer = write(inode, handle, offset: offset, bytes: bytes, isPage: isPage)
            guard isPage else { return answer }
            switch answer {
            case .ready: break
            case .failed: handle.file.noteRefusedPages()
            case .pending(let work):
                return .pending { () async throws(FileSystemError) in
                    do throws(FileSystemError) {
                        return try await work()
                    } catch {
                        handle.file.noteRefusedPages()
                        throw error
                    }
                }
            }
            return answer
        } catch {
            return .failed(error)
        }
    }

    private func write(
        _ inode: InodeID, _ handle: FileHandle, offset: Int64, bytes: UnsafeRawBufferPointer,
        isPage: Bool
    ) -> Answer<Int> {
        do {
            let count = bytes.count
            try requireRoom(for: handle, offset: offset, count: Int64(clamping: count))
            // The kernel takes the refused ones for written, and they would become zeros.
            if isPage, handle.file.hasRefusedPages, try offset > handle.file.size {
                throw FileSystemError.inputOutput("pages before a write were refused")
            }
            guard count > 0 else { return .ready(0) }
            let appends = movesToEnd(handle, isPage: isPage)
            let progress = try contents.change(handle.file) { staged, now in
                try Self.write(bytes, at: offset, appends: appends, into: staged, now: now)
            }
            if !isPage, !handle.isDirect { inodes.noteWrite(at: offset, of: inode) }
            let written: Int? =
                switch progress {
                case .changed: count
                case .partly(let part): try Self.count(of: part, isPage: isPage)
                case .needs: nil
                }
            if let written, !handle.flags.isSynchronous {
                if StagedFile.endsPiece(from: offset, count: written), !handle.isLocalOnly {
                    sync.noteGrowth(of: inode)
                }
                return .ready(written)
            }
            // The buffer is valid during this call only.
            let copy = written == nil ? Array(bytes) : []
            return .pending { () async throws(FileSystemError) in
                var done = written ?? count
                if written == nil {
                    let part = try await self.contents.changeWaiting(
                        handle.file, session: handle.session
                    ) { staged, now in
                        try copy.withUnsafeBytes { bytes in
                            try Self.write(
                                bytes, at: offset, appends: appends, into: staged, now: now)
                        }
                    }
                    if let part {
                        do {
                            done = try Self.count(of: part, isPage: isPage)
                        } catch {
                            throw self.work.failure(error)
                        }
                    }
                }
                if handle.flags.isSynchronous {
                    try await self.keeper.synchronize(handle.file)
                }
                return done
            }
        } catch {
            return .failed(work.failure(error))
        }
    }

    /// Whether a write goes to the file's end, and not to the offset that the kernel believes to be
    /// that.
    ///
    /// With `writeback_cache` the kernel has resolved O_APPEND itself, except for direct I/O. A
    /// write with O_DIRECT it sends in pieces of 1 MiB at once (`fuse_direct_IO`), which come in
    /// any order: their offsets are the order.
    private func movesToEnd(_ handle: FileHandle, isPage: Bool) -> Bool {
        guard handle.flags.appends, !isPage else { return false }
        return handle.isDirect || !options.gathersWrites && !handle.flags.isDirect
    }

    /// The count of a write that the disk has taken in part. Of pages the kernel would take all for
    /// written.
    private static func count(of part: PartialWrite, isPage: Bool) throws(StagingError) -> Int {
        if isPage { throw part.refusal }
        return part.count
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
    func allocate(
        _ handle: HandleID, offset: Int64, count: Int64, mode: AllocationMode
    ) -> Answer<Void> {
        do {
            let handle = try handles.handle(handle)
            guard handle.flags.writes else { return .failed(.badHandle) }
            guard offset >= 0, count > 0 else { return .failed(.invalidArgument) }
            try requireRoom(for: handle, offset: offset, count: count)
            switch mode {
            case .keepSize:
                return .ready(())
            case .extend:
                try contents.extend(handle.file, to: offset +| count)
                return .ready(())
            case .punchHole:
                return zero(offset ..<| offset +| count, extends: false, handle)
            case .zeroRange(let keepsSize):
                return zero(offset ..<| offset +| count, extends: !keepsSize, handle)
            }
        } catch {
            return .failed(work.failure(error))
        }
    }

    private func zero(
        _ range: Range<Int64>, extends: Bool, _ handle: FileHandle
    ) -> Answer<Void> {
        let body: @Sendable (StagedFile, WallTime) throws -> StagedWrite = { staged, now in
            try staged.zero(range, extends: extends, now: now)
        }
        do {
            if case .changed = try contents.change(handle.file, body) {
                return .ready(())
            }
            return .pending { () async throws(FileSystemError) in
                try await self.contents.changeWaiting(handle.file, session: handle.session, body)
            }
        } catch {
            return .failed(work.failure(error))
        }
    }

    private func requireRoom(
        for handle: FileHandle, offset: Int64, count: Int64
    ) throws(FileSystemError) {
        guard offset >= 0 else { throw .invalidArgument }
        if offset +| count > FileContents.maximumSize { throw .tooLarge }
        if !handle.isLocalOnly && sync.isQuotaExceeded { throw .quotaExceeded }
    }
}
