// The kernel's mount table, from /proc/self/mountinfo. Reading it sends no request to a filesystem,
// as `stat(2)` of a mountpoint would: that hangs in the mount's own process.

import Core
import LocalIO
import Saturating
package import SystemPackage

/// The mounts visible to this process, oldest first.
package struct MountTable: Sendable {
    /// One mount of the table.
    package struct Entry: Hashable, Sendable {
        /// The device's major number; 0 for FUSE.
        package var major: UInt32
        /// The device's minor number, which names a FUSE connection in /sys/fs/fuse/connections.
        package var minor: UInt32
        /// The folder of the filesystem that is mounted there: `/` unless it is a bind mount.
        package var root: String
        /// The path of the mountpoint.
        package var path: FilePath
        /// The filesystem's type, such as `fuse.dbxfs`.
        package var type: String
        /// The source, such as a device.
        package var source: String
        /// The user who mounted a FUSE filesystem; nil for others.
        package var userID: UInt32?

        /// The device's numbers as text, such as `0:45`.
        package var device: String { "\(major):\(minor)" }

        /// The same of a FUSE filesystem by its minor number.
        package static func device(fuse minor: UInt32) -> String { "0:\(minor)" }

        /// Whether it is a FUSE filesystem.
        package var isFuse: Bool { type == "fuse" || type.hasPrefix("fuse.") }
    }

    /// All mounts, in the order of the kernel.
    package var mounts: [Entry]

    /// Parses the text of /proc/self/mountinfo; malformed lines are left out.
    package init(parsing text: String) {
        mounts = text.split(separator: "\n").compactMap(Self.parse)
    }

    /// The current table. Empty if /proc is missing.
    package static func current() -> MountTable {
        MountTable(file: "/proc/self/mountinfo")
    }

    /// The table of another process, which may be that of another namespace. Empty if it has ended
    /// or is not this user's.
    package static func seen(by process: Int32) -> MountTable {
        MountTable(file: "/proc/\(process)/mountinfo")
    }

    /// Reads all of a file: a namespace may have 100,000 mounts.
    private init(file: String) {
        self.init(parsing: (try? readText(file, limit: .max)) ?? "")
    }

    /// The mount that a path lookup finds at exactly this path: the last one mounted.
    package func topMount(at path: FilePath) -> Entry? {
        mounts.last { $0.path == path }
    }

    /// The mounts of a device, oldest first: more than one with bind mounts. One that another
    /// covers is left out.
    package func mounts(ofDevice device: String) -> [Entry] {
        mounts.filter { $0.device == device && topMount(at: $0.path)?.device == device }
    }

    /// The mounts that a user has made, and those of which the kernel does not say who has.
    package func mounts(of userID: UInt32) -> [Entry] {
        mounts.filter { ($0.userID ?? userID) == userID }
    }

    /// The mount that contains a canonical path.
    package func mount(containing path: FilePath) -> Entry? {
        var place = path
        while true {
            if let mount = topMount(at: place) { return mount }
            guard place.removeLastComponent() else { return nil }
        }
    }

    /// Fields: id, parent, major:minor, root, mountpoint, options, optional fields up to "-", type,
    /// source, superblock options. See proc(5).
    private static func parse(_ line: Substring) -> Entry? {
        let fields = line.split(separator: " ")
        guard let separator = fields.firstIndex(of: "-"), separator >= 6,
            fields.count > separator +| 2
        else { return nil }
        let device = fields[2].split(separator: ":")
        guard device.count == 2, let major = UInt32(device[0], radix: 10),
            let minor = UInt32(device[1], radix: 10)
        else {
            return nil
        }
        return Entry(
            major: major, minor: minor, root: unescape(fields[3]),
            path: FilePath(unescape(fields[4])),
            type: String(fields[separator +| 1]), source: unescape(fields[separator +| 2]),
            userID: fields[(separator +| 3)...].first.flatMap(userID))
    }

    private static func userID(in options: Substring) -> UInt32? {
        options.split(separator: ",").lazy
            .compactMap { $0.hasPrefix("user_id=") ? UInt32($0.dropFirst(8), radix: 10) : nil }
            .first
    }

    /// Decodes the kernel's octal escapes for space, tab, newline, backslash and `#`.
    private static func unescape(_ field: Substring) -> String {
        let bytes = Array(field.utf8)
        var plain: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\"), index +| 3 < bytes.count,
                let code = UInt8(
                    String(decoding: bytes[index +| 1...index +| 3], as: UTF8.self), radix: 8)
            {
                plain.append(code)
                index +|= 4
            } else {
                plain.append(bytes[index])
                index +|= 1
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
