// Which parts of staged content take room on this disk. Not responsible for who may be told: what a kernel has
// gathered is not in the file yet.

import CFile
import Core
import Glibc
public import MetadataStore
import Synchronization

extension StagedFile {
    /// What lies from an offset on.
    public enum Extent: Hashable, Sendable {
        /// The next data, or the next hole, begins here.
        case begins(Int64)
        /// There is no more data.
        case none
        /// It cannot be told: parts are those of an older revision, or the filesystem below does not say.
        case unknown
    }

    /// Where data begins, at an offset or behind it.
    public func data(from offset: Int64) -> Extent {
        extent(from: offset, CFILE_SEEK_DATA)
    }

    /// Where a hole begins, at an offset or behind it. There is one at the end.
    public func hole(from offset: Int64) -> Extent {
        extent(from: offset, CFILE_SEEK_HOLE)
    }

    private func extent(from offset: Int64, _ kind: CInt) -> Extent {
        state.withLock { state in
            guard state.content.base == nil, state.retired == nil else { return .unknown }
            let found = Int64(clamping: lseek(descriptor, off_t(offset), kind))
            if found >= 0, found < state.content.size { return .begins(found) }
            // Behind the end of the file itself, too, there is nothing but zeros.
            guard found >= 0 || errno == ENXIO else { return .unknown }
            if kind == CFILE_SEEK_DATA { return .none }
            return .begins(found >= 0 ? state.content.size : offset)
        }
    }
}

extension StagingArea {
    /// Bytes that staged content takes of this disk; nil when parts of it are those of an older revision, or the
    /// disk does not say.
    public func occupiedBytes(of content: StagedContent) -> Int64? {
        guard content.base == nil else { return nil }
        var status = stat()
        guard lstat(path(of: content.file), &status) == 0 else { return nil }
        return Int64(clamping: status.st_blocks) *| 512
    }
}
