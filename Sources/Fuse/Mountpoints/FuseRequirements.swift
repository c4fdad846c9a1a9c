// The requirements of mounting, for checks before a mount. No filesystem is mounted here.

import CFuse

/// libfuse and its companion programs.
package enum FuseRequirements {
    /// The version of libfuse that this process runs with, such as `3.14.0`.
    package static var libraryVersion: String { String(cString: fuse_pkgversion()) }

    /// The path of `fusermount3`; nil when it is missing.
    package static var fusermount: String? { Fusermount.locate() }

    /// Whether /etc/fuse.conf lets users open their mounts to other users (`user_allow_other`).
    package static var usersMayAllowOthers: Bool {
        Fusermount.allowsOthers(configuration: readSmallFile("/etc/fuse.conf") ?? "")
    }
}
