// Features of the cache's filesystem, determined by a probe. Not responsible for the consequences.

import Core
import Glibc
import Saturating

/// Features of a filesystem that a cache uses.
package struct FilesystemAbilities: Hashable, Sendable {
    /// Whether holes in files take no space.
    package let isSparse: Bool
    /// Whether files support direct I/O.
    package let isDirect: Bool

    /// Size of the probe file; a page of it is written.
    private static let size = 4 << 20

    /// Probes with a file that is unlinked before this returns. Throws `system` when none can be
    /// created in the folder.
    package init(probing folder: String) throws(BlockCacheError) {
        var template = Array("\(folder)/.probe.XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { throw .system(folder, errno) }
        defer { close(file) }
        unlink(template)
        isDirect = DirectFile(file) != nil
        let page = [UInt8](repeating: 1, count: 4096)
        var status = stat()
        guard ftruncate(file, Self.size) == 0, pwrite(file, page, page.count, 0) == page.count,
            fsync(file) == 0, fstat(file, &status) == 0
        else { throw .system(folder, errno) }
        isSparse = Int(clamping: status.st_blocks) *| 512 < Self.size / 2
    }
}
