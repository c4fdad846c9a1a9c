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
    private let openFiles: OpenFiles
    private let invalidator: KernelInvalidator
    private let sync: any Syncing
    private let options: FileSystemOptions
    private let work: LocalWork

    init(
        handles: FileHandles, contents: FileContents, openFiles: OpenFiles,
        invalidator: KernelInvalidator, sync: any Syncing,
        options: FileSystemOptions, work: LocalWork
    ) {
        self.handles = handles
        self.contents = contents
        self.openFiles = openFiles
        self.invalidator = invalidator
        self.sync = sync
        self.options = options
        self.work = work
    }

    /// Writes bytes and returns their count: fewer if the local disk is full.
    func write(
        _ inode: InodeID, handle id: HandleID, offset: Int64, bytes: UnsafeRawBufferPointer,
        from origin: WriteOrigin
    ) -> Answer<Int> {
        do {
            let handle = try handles.handle(id)
            let answer = write(inode, handle, offset: offset, bytes: bytes, from: origin)
            guard origin == .page else { return answer }
            switch answer {
            case .ready: break
            case .failed: handle.file.noteRefusedPages()
            case .pending(let finish):
                return .pending { () async throws(FileSystemError) in
                    do throws(FileSystemError) {
                        return try await finish()
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

    /// Where the bytes of a write go.
    private struct Target: Sendable {
        let handle: FileHandle
        let offset: Int64
        /// Whether the bytes go to the file's end, wherever that is.
        let appends: Bool
        /// Whether the kernel writes pages back.
        let isPage: Bool
    }

    private func write(
        _ inode: InodeID, _ handle: FileHandle, offset: Int64, bytes: UnsafeRawBufferPointer,
        from origin: WriteOrigin
    ) -> Answer<Int> {
        do {
            let isPage = origin == .page
            try requireRoom(for: handle, offset: offset, count: Int64(clamping: bytes.count))
            // The kernel believes that refused pages were written. A write behind them would make
            // zeros of them.
            if isPage, handle.file.hasRefusedPages, try offset > handle.file.size {
                throw FileSystemError.inputOutput("pages before a write were refused")
            }
            guard !bytes.isEmpty else { return .ready(0) }
            let target = Target(
                handle: handle, offset: offset, appends: movesToEnd(origin, handle),
                isPage: isPage)
            let written = try writeAtOnce(bytes, to: target)
            if !isPage, written != nil { notePages(of: handle, writtenAt: offset) }
            if let written, !origin.isSynchronous {
                if StagedFile.endsPiece(from: offset, count: written), !handle.isLocalOnly {
                    sync.noteGrowth(of: inode)
                }
                return .ready(written)
            }
            // The buffer is valid during this call only.
            let copy = written == nil ? Array(bytes) : []
            return .pending { () async throws(FileSystemError) in
                let count: Int
                if let written {
                    count = written
                } else {
                    count = try await self.writeWhenFetched(copy, to: target)
                }
                if origin.isSynchronous {
                    try await self.handles.synchronize(handle.file, ofWrite: true)
                }
                return count
            }
        } catch {
            return .failed(work.failure(error))
        }
    }

    /// Writes bytes, and returns the number of those that the disk has taken; nil if bytes of the
    /// base must be fetched first.
    private func writeAtOnce(
        _ bytes: UnsafeRawBufferPointer, to target: Target
    ) throws -> Int? {
        let progress = try contents.change(target.handle.file) { staged, now in
            try Self.write(bytes, to: target, into: staged, now: now)
        }
        switch progress {
        case .changed: return bytes.count
        case .partly(let part): return try Self.count(of: part, isPage: target.isPage)
        case .needs: return nil
        }
    }

    /// Fetches the bytes of the base that a write needs, writes, and returns the number of bytes
    /// that the disk has taken.
    private func writeWhenFetched(
        _ bytes: [UInt8], to target: Target
    ) async throws(FileSystemError) -> Int {
        let handle = target.handle
        let part = try await contents.changeWaiting(handle.file, session: handle.session) {
            staged, now in
            try bytes.withUnsafeBytes { buffer in
                try Self.write(buffer, to: target, into: staged, now: now)
            }
        }
        if !target.isPage { notePages(of: handle, writtenAt: target.offset) }
        guard let part else { return bytes.count }
        do {
            return try Self.count(of: part, isPage: target.isPage)
        } catch {
            throw work.failure(error)
        }
    }

    /// Whether a write goes to the file's end, and not to the offset that the kernel believes to be
    /// that.
    ///
    /// With `writeback_cache` the kernel has resolved O_APPEND itself, except for direct I/O. A
    /// write with O_DIRECT it sends in pieces of 1 MiB at once (`fuse_direct_IO`), which come in
    /// any order: their offsets are the order.
    private func movesToEnd(_ origin: WriteOrigin, _ handle: FileHandle) -> Bool {
        guard case .call(let flags) = origin, flags.appends else { return false }
        return handle.isDirect || !options.gathersWrites && !flags.isDirect
    }

    /// Notes what a write does to the kernel's pages. Before Linux 6.6 the kernel keeps pages that
    /// a write with direct I/O has gone past: those that other handles read are dropped now, the
    /// others by the next open.
    private func notePages(of handle: FileHandle, writtenAt offset: Int64) {
        let inode = handle.inode
        if !handle.isDirect {
            invalidator.inodes.noteWrite(at: offset, of: inode)
        } else if openFiles.isOnlyHandle(inode) {
            invalidator.inodes.noteUnknownPages(of: inode)
        } else {
            invalidator.dropPages(of: inode)
        }
    }

    /// The number of bytes that the disk has taken. For pages, throws instead: the kernel would
    /// believe that all were written.
    private static func count(of part: PartialWrite, isPage: Bool) throws(StagingError) -> Int {
        if isPage { throw part.refusal }
        return part.count
    }

    private static func write(
        _ bytes: UnsafeRawBufferPointer, to target: Target, into staged: StagedFile, now: WallTime
    ) throws -> StagedWrite {
        target.appends
            ? try staged.append(bytes, now: now).result
            : try staged.write(at: target.offset, bytes, now: now)
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
