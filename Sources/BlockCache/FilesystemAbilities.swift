// What a cache can make use of in the filesystem that it lies on, found out by trying. Not responsible for
// what follows from that.

import Core
import Glibc

/// What a filesystem can do for a cache.
public struct FilesystemAbilities: Hashable, Sendable {
    /// Whether what was never written of a file takes no space.
    public let isSparse: Bool
    /// Whether files can be read past the page cache.
    public let isDirect: Bool

    /// Bytes of the file that is tried with; a page of them is written.
    private static let size = 4 << 20

    /// Tries with a file that has no name any more when this returns. Throws `system` when none can be made
    /// in the folder.
    public init(probing folder: String) throws(BlockCacheError) {
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
