// The default limit of cached content.

import Glibc
import Saturating

/// The cache's size by default.
package enum CacheSize {
    /// A fifth of the free space, between 256 MiB and 20 GiB: enough for daily use, and never the
    /// whole disk.
    package static func standard(free: Int64) -> Int64 {
        min(max(free / 5, 256 << 20), 20 << 30)
    }
}

/// Bytes that this user may still write to the disk of a path; 0 if the system does not report it.
package func freeBytes(at path: String) -> Int64 {
    var status = statvfs()
    // The folder itself may not exist yet.
    var place = path
    while statvfs(place, &status) != 0 {
        guard let slash = place.lastIndex(of: "/"), slash > place.startIndex else { return 0 }
        place = String(place[..<slash])
    }
    return spaceBytes(
        blocks: UInt64(clamping: status.f_bavail), size: UInt64(clamping: status.f_frsize))
}

/// The bytes of so many blocks, saturated, because a network filesystem may report any number.
package func spaceBytes(blocks: UInt64, size: UInt64) -> Int64 {
    Int64(clamping: blocks *| size)
}
