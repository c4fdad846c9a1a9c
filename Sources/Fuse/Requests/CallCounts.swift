// Counts the kernel's requests by kind: the cost of programs' operations on the mount, and the only
// way to see whether the kernel's caches work.

import Saturating
import Synchronization

/// The kernel's requests, by the names of FUSE.
enum Call: String {
    case getattr
    case setattr
    case access
    case statfs
    case opendir
    case readdir
    case readdirplus
    case fsyncdir
    case releasedir
    case getxattr
    case listxattr
    case setxattr
    case removexattr
    case open
    case create
    case read
    case write
    case flush
    case fsync
    case release
    case lookup
    case forget
    case mknod
    case mkdir
    case symlink
    case unlink
    case rmdir
    case rename
    case link
    case readlink
    case fallocate
    case copyFileRange = "copy_file_range"
    case lseek
    case ioctl
}

/// Counts requests of the kernel, by kind.
final class CallCounts: Sendable {
    /// Held for an addition.
    private let counts = Mutex<[Call: UInt64]>([:])

    /// Adds one request to its count.
    func note(_ call: Call) {
        counts.withLock { $0[call, default: 0] +|= 1 }
    }

    /// All counts so far, by name.
    var totals: [String: UInt64] {
        let counts = counts.withLock { $0 }
        return Dictionary(counts.map { ($0.rawValue, $1) }) { $0 +| $1 }
    }
}
