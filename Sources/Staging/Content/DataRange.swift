// The ranges of a file that have data on the disk; between them are holes. Not responsible for what
// a hole stands for.

import CLinux
import Core
import Glibc
import Saturating

enum DataRange {
    /// The first range with data at an offset of an open file, or behind it, in bytes; nil if there
    /// is none. Throws where the filesystem does not say.
    static func next(
        in descriptor: Int32, from offset: Int64
    ) throws(StagingError) -> Range<Int64>? {
        let start = lseek(descriptor, off_t(clamping: offset), CLINUX_SEEK_DATA)
        if start < 0 {
            if errno == ENXIO { return nil }
            throw StagingError(code: errno)
        }
        let end = lseek(descriptor, start, CLINUX_SEEK_HOLE)
        guard end >= 0 else { throw StagingError(code: errno) }
        guard end > start else { throw StagingError(code: EIO) }
        return Int64(clamping: start) ..<| Int64(clamping: end)
    }
}
