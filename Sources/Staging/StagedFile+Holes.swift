// The data and holes of staged content. Not responsible for hiding them while the kernel gathers
// writes, which are not in the file yet.

import CLinux
import Core
import Glibc
package import MetadataStore
import Saturating
import Synchronization

extension StagedFile {
    /// The result of a search from an offset on.
    package enum Extent: Hashable, Sendable {
        /// The next data, or the next hole, begins here.
        case begins(Int64)
        /// No data follows the offset.
        case none
        /// Unknown: the content has a base, or the filesystem below does not support SEEK_DATA.
        case unknown
    }

    /// The beginning of data, at an offset or behind it.
    package func data(from offset: Int64) -> Extent {
        extent(from: offset, CLINUX_SEEK_DATA)
    }

    /// The beginning of a hole, at an offset or behind it. The end counts as one.
    package func hole(from offset: Int64) -> Extent {
        extent(from: offset, CLINUX_SEEK_HOLE)
    }

    /// Whether the content occupies less than its size.
    package var hasHoles: Bool {
        state.withLock { state in
            guard state.content.base == nil, state.retired == nil else { return false }
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return false }
            return Int64(clamping: status.st_blocks) *| 512 < state.content.size
        }
    }

    private func extent(from offset: Int64, _ kind: CInt) -> Extent {
        state.withLock { state in
            guard state.content.base == nil, state.retired == nil else { return .unknown }
            let found = Int64(clamping: lseek(descriptor, off_t(clamping: offset), kind))
            if found >= 0, found < state.content.size { return .begins(found) }
            // Behind the end of the file itself, the content is zeros.
            guard found >= 0 || errno == ENXIO else { return .unknown }
            if kind == CLINUX_SEEK_DATA { return .none }
            return .begins(found >= 0 ? state.content.size : offset)
        }
    }
}

extension StagingArea {
    /// Bytes that staged content occupies on this disk; nil if it has a base, or if the disk does
    /// not say.
    package func occupiedBytes(of content: StagedContent) -> Int64? {
        guard content.base == nil else { return nil }
        var status = stat()
        guard lstat(path(of: content.file), &status) == 0 else { return nil }
        return Int64(clamping: status.st_blocks) *| 512
    }
}
