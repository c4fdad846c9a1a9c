// The mounts of a test, and the last resort against one that hangs.

import Foundation
import TestSupport

enum Mounts {
    /// Mounts of dbxfs below a folder.
    static func below(_ folder: String) -> [KernelMount] {
        KernelMount.all.filter { $0.type == "fuse.dbxfs" && $0.path.hasPrefix(folder + "/") }
    }

    /// Ends connections, so that every process that waits for them goes on with an error, and
    /// detaches the mounts. The number is noted before: a detached mount is no longer in the list.
    static func abort(_ mounts: [KernelMount]) {
        FuseConnections.abort(mounts.map(\.minor))
        for mount in mounts where umount2(mount.path, Int32(MNT_DETACH)) != 0 {
            let helper = Process()
            helper.executableURL = URL(fileURLWithPath: "/usr/bin/fusermount3")
            helper.arguments = ["-u", "-z", "--", mount.path]
            try? helper.run()
            helper.waitUntilExit()
        }
    }
}
