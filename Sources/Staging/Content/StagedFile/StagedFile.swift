// Staged content of one file: a sparse staging file, over the untouched parts of a base revision.
// Not responsible for fetching those parts nor for sending.

import ContentHashing
package import Core
package import MetadataStore
import Saturating
import Synchronization

/// The staged content of a file. One object per staging file, shared by all handles and by the
/// uploader; all calls may block on the local disk.
///
/// Content consists of blocks of 4 MiB. A block is either wholly in the staging file, or it is the
/// base revision's up to the base's limit, and zeros behind. Writing into a block of the second
/// kind first needs the base's bytes, unless it covers them all.
package final class StagedFile: Sendable {
    /// Size of a block in bytes: Dropbox's unit of hashing and of concurrent uploads.
    package static var blockSize: Int64 { Int64(clamping: ContentHasher.blockSize) }

    /// Inode of the content.
    package let inode: InodeID
    /// Number of the staging file.
    package let number: Int64
    /// Path of the staging file.
    let path: String
    /// The bytes in the staging file.
    let bytes: StagedBytes
    /// Lock: taken after any lock of FileSystem, inside write transactions too; held over local
    /// disk calls, so that a block's bytes and its bit in the map change together.
    let state: Mutex<StagedState>

    init(
        inode: InodeID, content: StagedContent, path: String, descriptor: Int32,
        flusher: StagingFlusher
    ) {
        self.inode = inode
        self.number = content.file
        self.path = path
        bytes = StagedBytes(descriptor, of: content.file, flusher: flusher)
        let isInvalidated = flusher.invalidated.contains(content.file)
        state = Mutex(StagedState(content, isInvalidated: isInvalidated))
    }

    /// Size of the content in bytes.
    package var size: Int64 { state.withLock { $0.content.size } }
    /// Counter that grows with every change.
    package var generation: Int64 { state.withLock { $0.content.generation } }
    /// When the content last changed, if that is not in the store yet.
    package var modified: WallTime? { state.withLock { $0.modified } }
    /// The revision of its commit; nil before that.
    package var retired: FileVersion? { state.withLock { $0.retired } }
    /// Whether another staging file has replaced this one.
    package var isReplaced: Bool { state.withLock { $0.isReplaced } }
    /// The base revision, if any.
    package var base: StagedContent.Base? { state.withLock { $0.content.base } }
    /// Whether there is content that the rows do not name.
    package var hasUnsavedContent: Bool { state.withLock { $0.hasUnsavedContent } }
    /// Whether `persist` has something to save.
    package var hasUnsavedChanges: Bool { state.withLock { $0.hasUnsavedChanges } }

    // MARK: Changing

    /// Writes bytes at an offset, extending the file as needed. Throws if the disk takes none.
    package func write(
        at offset: Int64, _ bytes: UnsafeRawBufferPointer, now: WallTime
    ) throws(StagingError) -> StagedWrite {
        guard !bytes.isEmpty else { return .written }
        return try state.withLock { (state) throws(StagingError) in
            try write(bytes, at: offset, to: &state, now: now)
        }
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, to state: inout StagedState,
        now: WallTime
    ) throws(StagingError) -> StagedWrite {
        let end = offset +| Int64(clamping: bytes.count)
        var partial: PartialWrite?
        let outcome = try change(&state, offset..<end, now: now) { (state) throws(StagingError) in
            var written = offset..<end
            if let part = try self.bytes.write(bytes, at: offset) {
                written = state.usable(offset ..<| offset +| Int64(clamping: part.count))
                guard !written.isEmpty else { throw part.refusal }
                partial = PartialWrite(count: written.count, refusal: part.refusal)
            }
            state.noteWritten(written)
            return written
        }
        return partial.map { .partly($0) } ?? outcome
    }

    /// Appends bytes and returns their offset. Appends of several handles do not overlap.
    package func append(
        _ bytes: UnsafeRawBufferPointer, now: WallTime
    ) throws(StagingError) -> (result: StagedWrite, offset: Int64) {
        // The kernel derives the offset of an appending write from its cached size, which is right
        // while this mount is the only writer; if the size has grown since, the write moves.
        try state.withLock { (state) throws(StagingError) in
            let offset = state.content.size
            guard !bytes.isEmpty else { return (.written, offset) }
            return (try write(bytes, at: offset, to: &state, now: now), offset)
        }
    }

    /// Zeroes a range. With `extends`, the file grows to hold it. Throws `EOPNOTSUPP` where the
    /// disk's filesystem has no holes.
    package func zero(
        _ range: Range<Int64>, extends: Bool, now: WallTime
    ) throws(StagingError) -> StagedWrite {
        let upper = extends ? range.upperBound : min(range.upperBound, size)
        guard range.lowerBound < upper else { return .written }
        return try state.withLock { (state) throws(StagingError) in
            try change(&state, range.lowerBound..<upper, now: now) {
                (state) throws(StagingError) in
                let old = state.content.size
                // First: bytes that nothing follows are no change.
                try self.bytes.resize(to: max(old, upper))
                state.noteRewritten(range.lowerBound..<upper)
                try self.bytes.zero(range.lowerBound..<max(range.lowerBound, min(upper, old)))
                state.grow(to: upper)
                return range.lowerBound..<upper
            }
        }
    }

    /// Truncates the file, or extends it with zeros. Needs nothing of the base. With `onlyGrows`, a
    /// longer one stays as it is.
    ///
    /// `trim` removes the truncated bytes from the disk, after the rows were saved: if the process
    /// ended before that, the rows' old size would turn them into zeros.
    package func truncate(
        to size: Int64, onlyGrows: Bool = false, now: WallTime
    ) throws(StagingError) -> StagedWrite {
        try state.withLock { (state) throws(StagingError) in
            if let end = state.end { return end }
            let old = state.content.size
            if onlyGrows && size <= old { return .written }
            if size < old {
                state.noteCut(from: size)
            } else {
                try removeCut(&state)
                try bytes.resize(to: size)
            }
            // Later writes are flushed anew.
            if size == 0 { bytes.forgetDoubts() }
            state.truncate(to: size, now: now)
            return .written
        }
    }

    /// Removes truncated bytes from the disk.
    package func trim() throws(StagingError) {
        try state.withLock { (state) throws(StagingError) in try removeCut(&state) }
    }

    func removeCut(_ state: inout StagedState) throws(StagingError) {
        guard let size = state.cutFrom else { return }
        try bytes.keepingTime { () throws(StagingError) in try bytes.resize(to: size) }
        state.noteCutRemoved()
    }

    /// Changes a range by `body`, which returns the part that it has changed.
    private func change(
        _ state: inout StagedState, _ range: Range<Int64>, now: WallTime,
        _ body: (inout StagedState) throws(StagingError) -> Range<Int64>
    ) throws(StagingError) -> StagedWrite {
        if let end = state.end { return end }
        let needed = state.needed(for: range)
        if !needed.isEmpty { return .needsBase(needed) }
        if !range.isEmpty, state.isVouched(from: range.lowerBound) { return .vouched }
        if let cut = state.cutFrom, range.upperBound > cut {
            try removeCut(&state)
        }
        let changed: Range<Int64>
        if state.hasUnsavedContent {
            changed = try body(&state)
        } else {
            // Nothing saves a refused change, and with it the file's time.
            changed = try bytes.keepingTimeIfRefused { () throws(StagingError) in
                try body(&state)
            }
        }
        state.endChange(of: changed, now: now)
        return .written
    }
}
