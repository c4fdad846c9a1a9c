// The requirements of mounting, for checks before a mount. No filesystem is mounted here.

import CFuse
import Glibc
import LocalIO

/// libfuse and its companion programs.
package enum FuseRequirements {
    /// The version of libfuse that this process runs with, such as `3.14.0`.
    package static var libraryVersion: String { String(cString: fuse_pkgversion()) }

    /// The path of `fusermount3`; nil when it is missing.
    package static var fusermount: String? { Fusermount.locate() }

    /// The version of libfuse whose headers this program was built with, such as `3.14`.
    package static var builtVersion: String { "\(FUSE_MAJOR_VERSION).\(FUSE_MINOR_VERSION)" }

    /// Whether SELinux is on, as is_selinux_enabled(3) sees it. Without it, the kernel takes no
    /// labels.
    package static var hasSELinux: Bool { access("/sys/fs/selinux/enforce", F_OK) == 0 }

    /// Whether /etc/fuse.conf lets users open their mounts to other users (`user_allow_other`).
    package static var usersMayAllowOthers: Bool {
        Fusermount.allowsOthers(configuration: (try? readText("/etc/fuse.conf")) ?? "")
    }
}
