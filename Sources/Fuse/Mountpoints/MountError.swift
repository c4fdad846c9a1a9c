// The reasons why a filesystem could not be mounted or served, with remedies. One case per remedy.

package import SystemPackage

/// A failure to mount. Its description names the cause and the remedy.
package enum MountError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device /dev/fuse does not exist.
    case deviceMissing
    /// /dev/fuse exists and cannot be opened.
    case deviceForbidden(Errno)
    /// An unprivileged user needs `fusermount3`, which is missing.
    case fusermountMissing
    /// /etc/fuse.conf does not let users open their mounts to other users.
    case accessForOthersForbidden
    /// The mountpoint does not exist.
    case mountpointMissing(FilePath)
    /// The mountpoint is a file.
    case mountpointNotADirectory(FilePath)
    /// The mountpoint cannot be accessed.
    case mountpointInaccessible(FilePath, Errno)
    /// A FUSE filesystem is mounted there already.
    case mountpointBusy(FilePath, source: String)
    /// A FUSE filesystem whose process is gone is still mounted there.
    case mountpointStale(FilePath)
    /// Neither this process nor `fusermount3` may detach the mount.
    case detachFailed(FilePath, Errno)
    /// libfuse or the kernel refused for another reason; with their message.
    case refused(FilePath, String)

    /// The cause and the remedy, in the form of all messages: `what happened (reason): what to do`.
    package var description: String {
        switch self {
        case .deviceMissing:
            "/dev/fuse does not exist: load the kernel module as root (modprobe fuse); \(Self.inContainer)"
        case .deviceForbidden(let errno):
            "/dev/fuse cannot be opened (\(errno)): as root, chmod 666 /dev/fuse; \(Self.inContainer)"
        case .fusermountMissing:
            "fusermount3 was not found: install the package fuse3, or mount as root"
        case .accessForOthersForbidden:
            "users may not open their mounts to others here: add the line user_allow_other to "
                + "/etc/fuse.conf, or mount without allow_other and allow_root"
        case .mountpointMissing(let path):
            "the mountpoint \(path) does not exist: make it first (mkdir -p)"
        case .mountpointNotADirectory(let path):
            "the mountpoint \(path) is not a directory: name an empty directory"
        case .mountpointInaccessible(let path, let errno):
            "the mountpoint \(path) cannot be accessed (\(errno)): name a directory that you own"
        case .mountpointBusy(let path, let source):
            "\(source) is mounted at \(path) already: unmount it (fusermount3 -u \(path)), or name another directory"
        case .mountpointStale(let path):
            "a filesystem whose process has ended is still mounted at \(path): detach it (fusermount3 -uz \(path))"
        case .detachFailed(let path, let errno):
            "the mount at \(path) cannot be detached (\(errno)): try it as root (umount -l \(path))"
        case .refused(let path, let message):
            "\(path) could not be mounted: \(message)"
        }
    }

    private static let inContainer =
        "in a container, start it with --device /dev/fuse --cap-add SYS_ADMIN"
}

/// A failure to serve a mounted filesystem.
package enum SessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kernel or libfuse ended the session with an error.
    case failed(Errno)
    /// The session ended before the kernel had accepted the connection.
    case endedBeforeReady
    /// The session was run before.
    case alreadyRun

    /// The cause and the remedy.
    package var description: String {
        switch self {
        case .failed(let errno):
            "the connection to the kernel failed (\(errno)): mount again"
        case .endedBeforeReady:
            "the filesystem was unmounted before it was ready: mount again"
        case .alreadyRun:
            "the session has ended with its mount: make another one"
        }
    }
}
