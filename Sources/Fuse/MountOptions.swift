// What can be chosen about a mount, and how libfuse is told. Which options a user has and what their
// defaults on the command line are is the CLI's affair.

/// How a filesystem is mounted and served.
public struct MountOptions: Hashable, Sendable {
    /// Who besides the mounting user may use the mount.
    public enum Access: Hashable, Sendable {
        /// Nobody, root included.
        case owner
        /// Root.
        case ownerAndRoot
        /// Everybody that the permission bits allow.
        case everybody
    }

    /// What `df` and `mount` show as the device, such as `dropbox:work`.
    public var source: String
    /// Who may use the mount. Anything but `owner` needs `user_allow_other` in /etc/fuse.conf, unless
    /// root mounts.
    public var access: Access = .owner
    /// Lets the kernel check permission bits before it asks; without it everybody with access to the
    /// mount may do everything.
    public var checksPermissions = true
    /// Refuses changes in the kernel.
    public var isReadOnly = false
    /// What the kernel takes away by itself: `noexec`, `nosuid`, `nodev`, `noatime`.
    public var kernelFlags: Set<String> = []
    /// Promises the kernel that setuid and setgid bits never survive a write, which saves one
    /// `getxattr("security.capability")` per `write(2)`. Off only to work round a kernel that
    /// mistakes it.
    public var dropsPrivilegeBits = true
    /// Has the kernel gather small writes and pass them on together, when a file is closed or
    /// synchronized or after a while. The kernel then keeps sizes and times of files for itself: the
    /// filesystem must give a file whose content changed another generation.
    public var gathersWrites = false
    /// Upper bound of threads that take requests. They may wait for the local disk, never for the
    /// network, so that a few more than the cores suffice.
    public var maximumThreads: UInt32 = 16
    /// Gives each thread its own queue in the kernel (`FUSE_DEV_IOC_CLONE`).
    public var clonesDevice = false
    /// How far the kernel reads ahead, in KiB. 1024 makes the kernel ask for 1 MiB at a time, the
    /// most that one request carries, instead of 128 KiB. Only root may raise it.
    public var readAheadKiB = 1024

    /// Starts from the defaults.
    public init(source: String) {
        self.source = source
    }

    /// The filesystem type's second half: the kernel shows `fuse.dbxfs`.
    static let subtype = "dbxfs"

    /// The argument vector for `fuse_session_new`, whose first element libfuse skips.
    var arguments: [String] {
        var options = ["fsname=\(Self.escape(source))", "subtype=\(Self.subtype)"]
        switch access {
        case .owner: break
        case .ownerAndRoot: options.append("allow_root")
        case .everybody: options.append("allow_other")
        }
        if checksPermissions {
            options.append("default_permissions")
        }
        if isReadOnly {
            options.append("ro")
        }
        options += kernelFlags.sorted()
        return ["dbxfs", "-o", options.joined(separator: ",")]
    }

    /// Keeps a comma from ending the option and a backslash from escaping what follows.
    private static func escape(_ value: String) -> String {
        var escaped = ""
        for character in value.unicodeScalars {
            if character == "," || character == "\\" {
                escaped.unicodeScalars.append("\\")
            }
            escaped.unicodeScalars.append(character)
        }
        return escaped
    }
}
