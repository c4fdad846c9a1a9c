// What mounting needs of a machine, for who looks before anything is mounted. Nothing is mounted here.

import CFuse

/// libfuse, and what stands beside it.
public enum FuseRequirements {
    /// The version of libfuse that this process runs with, such as `3.14.0`.
    public static var libraryVersion: String { String(cString: fuse_pkgversion()) }

    /// The program that mounts for users; nil when there is none.
    public static var fusermount: String? { Fusermount.locate() }

    /// Whether /etc/fuse.conf lets users open their mounts to others.
    public static var usersMayAllowOthers: Bool {
        Fusermount.allowsOthers(configuration: readSmallFile("/etc/fuse.conf") ?? "")
    }
}
