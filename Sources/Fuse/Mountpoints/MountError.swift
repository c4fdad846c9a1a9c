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

    /// The cause and the remedy.
    package var description: String {
        switch self {
        case .deviceMissing:
            """
            /dev/fuse does not exist. Load the kernel module with "modprobe fuse"; in a container, \
            start it with "--device /dev/fuse --cap-add SYS_ADMIN".
            """
        case .deviceForbidden(let errno):
            """
            /dev/fuse cannot be opened (\(errno)). Check its permissions with "ls -l /dev/fuse"; in \
            a container, start it with "--device /dev/fuse --cap-add SYS_ADMIN".
            """
        case .fusermountMissing:
            """
            fusermount3 was not found. Install the package fuse3, or mount as root.
            """
        case .accessForOthersForbidden:
            """
            Users may not open their mounts to others here. Add the line "user_allow_other" to \
            /etc/fuse.conf, or mount without allow_other and allow_root.
            """
        case .mountpointMissing(let path):
            "The mountpoint \(path) does not exist. Create it with \"mkdir -p\"."
        case .mountpointNotADirectory(let path):
            "The mountpoint \(path) is not a directory. Choose an empty directory."
        case .mountpointInaccessible(let path, let errno):
            """
            The mountpoint \(path) is not accessible (\(errno)). Choose a directory that you own.
            """
        case .mountpointBusy(let path, let source):
            """
            \(source) is already mounted on \(path). Unmount it with "fusermount3 -u \(path)", or \
            choose another directory.
            """
        case .mountpointStale(let path):
            """
            A filesystem whose process has died is still mounted on \(path). Detach it with \
            "fusermount3 -uz \(path)".
            """
        case .detachFailed(let path, let errno):
            """
            The mount on \(path) could not be detached (\(errno)). Try "umount -l \(path)" as root.
            """
        case .refused(let path, let message):
            "Mounting on \(path) failed: \(message)"
        }
    }
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
            "The connection to the kernel failed (\(errno))."
        case .endedBeforeReady:
            "The filesystem was unmounted before it was ready."
        case .alreadyRun:
            "A session serves one mount and ends with it."
        }
    }
}
