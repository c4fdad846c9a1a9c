// How much of the disk cached content may take when nobody has said.

import Glibc

/// The cache's size by default.
public enum CacheSize {
    /// A fifth of what is free, between 256 MiB and 20 GiB: enough for what is used every day, and never
    /// what fills the disk.
    public static func standard(free: Int64) -> Int64 {
        min(max(free / 5, 256 << 20), 20 << 30)
    }
}

/// Bytes that this user may still put on the disk that a path is on; 0 when nobody can say.
public func freeBytes(at path: String) -> Int64 {
    var status = statvfs()
    // The folder itself may have to be made yet.
    var place = path
    while statvfs(place, &status) != 0 {
        guard let slash = place.lastIndex(of: "/"), slash > place.startIndex else { return 0 }
        place = String(place[..<slash])
    }
    return spaceBytes(blocks: UInt64(status.f_bavail), size: UInt64(status.f_frsize))
}

/// What so many blocks hold. A filesystem over a network may say any number.
public func spaceBytes(blocks: UInt64, size: UInt64) -> Int64 {
    Int64(clamping: blocks.times(size))
}
