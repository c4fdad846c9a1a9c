// The kernel's list of mounts, and the last resort against one that hangs.

import Foundation

/// A mount as /proc/self/mountinfo lists it. Reading that file asks no filesystem anything.
struct MountedFolder: Hashable, Sendable {
    /// The device's minor number, which names the connection in /sys/fs/fuse/connections.
    var minor: String
    var path: String
}

enum Mounts {
    /// Mounts of dbxfs below a folder.
    static func below(_ folder: String) -> [MountedFolder] {
        // Not `contentsOfFile`, which reads one piece of a file that has no size.
        let file = FileHandle(forReadingAtPath: "/proc/self/mountinfo")
        var bytes = Data()
        while let piece = try? file?.read(upToCount: 65536), !piece.isEmpty { bytes += piece }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard line.contains(" - fuse.dbxfs "), fields.count > 4,
                fields[4].hasPrefix(folder + "/"),
                let minor = fields[2].split(separator: ":").last
            else { return nil }
            return MountedFolder(minor: String(minor), path: String(fields[4]))
        }
    }

    /// Ends connections, so that everybody who waits for them goes on with an error, and detaches the
    /// mounts. The number is noted before: a detached mount is not in the list any more.
    static func abort(_ mounts: [MountedFolder]) {
        guard !mounts.isEmpty else { return }
        let connections = "/sys/fs/fuse/connections"
        if (try? FileManager.default.contentsOfDirectory(atPath: connections))?.isEmpty ?? true {
            _ = Glibc.mount("none", connections, "fusectl", 0, nil)
        }
        for mount in mounts {
            let path = "\(connections)/\(mount.minor)/abort"
            if let file = FileHandle(forWritingAtPath: path) {
                try? file.write(contentsOf: Data("1".utf8))
                try? file.close()
            }
            if umount2(mount.path, Int32(MNT_DETACH)) != 0 {
                let helper = Process()
                helper.executableURL = URL(fileURLWithPath: "/usr/bin/fusermount3")
                helper.arguments = ["-u", "-z", "--", mount.path]
                try? helper.run()
                helper.waitUntilExit()
            }
        }
    }
}
