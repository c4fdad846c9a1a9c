// Identifies the memory that holds unflushed bytes: this boot of the system, and this mount of the
// filesystem below. Files written under the same identity are complete, even if the process died;
// under another one, only flushed bytes are.

import Foundation
import Glibc

enum SystemIdentity {
    /// Filesystems with a folder for each of their mounts below /sys/fs.
    private static let shown = ["ext4", "xfs", "f2fs"]

    /// The identity for files in a folder; nil if the system does not tell, which equals no other.
    static func current(of folder: String) -> String? {
        guard let boot = firstLine(of: "/proc/sys/kernel/random/boot_id") else { return nil }
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        let (major, minor) = numbers(ofDevice: UInt64(truncatingIfNeeded: status.st_dev))
        var parts = [boot, "\(major):\(minor)"]
        let block = "/sys/dev/block/\(major):\(minor)"
        // Changes each time that a loop device, for example, gets another file.
        if let sequence = firstLine(of: "\(block)/diskseq") { parts.append(sequence) }
        if let link = try? FileManager.default.destinationOfSymbolicLink(atPath: block),
            let name = link.split(separator: "/").last
        {
            // The kernel gives such a folder a new inode number with each mount.
            for kind in shown where stat("/sys/fs/\(kind)/\(name)", &status) == 0 {
                parts.append("\(kind) \(status.st_ino)")
            }
        }
        return parts.joined(separator: " ")
    }

    /// The macros `major` and `minor` for a `dev_t`, which Swift does not import.
    private static func numbers(ofDevice device: UInt64) -> (major: UInt64, minor: UInt64) {
        (device >> 8 & 0xFFF | device >> 32 & ~0xFFF, device & 0xFF | device >> 12 & ~0xFF)
    }

    private static func firstLine(of path: String) -> String? {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }
}
