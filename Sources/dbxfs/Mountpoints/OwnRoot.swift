// The root of a mount of this program, for the helper processes that use it. The process of a mount
// must not: it can hang beyond SIGKILL.

import CLinux
import Glibc

/// The root of a mount that is known by its device.
struct OwnRoot: ~Copyable {
    /// `O_PATH`, a macro that the importer leaves out.
    static let placeOnly = __O_PATH

    private let descriptor: Int32

    /// Opens it; nil if another filesystem is there: the folder below after an unmount, where
    /// nothing may be changed, or one that was mounted above.
    init?(of mountpoint: String, device: UInt32) {
        let root = open(mountpoint, Self.placeOnly | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { return nil }
        var status = stat()
        guard fstat(root, &status) == 0, status.st_dev == Self.number(ofDevice: device) else {
            close(root)
            return nil
        }
        descriptor = root
    }

    deinit { close(descriptor) }

    /// Opens a node by its path from the root, and no symbolic link on the way; nil with `errno`.
    func openNode(_ path: [UInt8], _ flags: Int32) -> Int32? {
        let path = (path.isEmpty ? [UInt8(ascii: ".")] : path) + [0]
        let node = path.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { path in
                let flags = flags | O_NOFOLLOW | O_CLOEXEC
                return clinux_open_without_links(
                    descriptor, path.baseAddress, UInt64(clamping: flags), 0)
            }
        }
        return node >= 0 ? node : nil
    }

    /// The number in stat(2) of a device whose major number is 0: makedev(3).
    private static func number(ofDevice minor: UInt32) -> dev_t {
        dev_t(clamping: minor & 0xff) | dev_t(clamping: minor & ~0xff) << 12
    }
}
