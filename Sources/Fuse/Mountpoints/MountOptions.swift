// The options of a mount, and their form for libfuse. The CLI defines the options of users and
// their defaults.

/// How a filesystem is mounted and served.
package struct MountOptions: Hashable, Sendable {
    /// Which users besides the mounting one may use the mount.
    package enum Access: Hashable, Sendable {
        /// No other user, not even root.
        case owner
        /// The owner, and root.
        case ownerAndRoot
        /// Every user, as far as the permission bits allow.
        case everybody
    }

    /// The device name that `df` and `mount` show, such as `dropbox:work`.
    package var source: String
    /// The users of the mount. Any value but `owner` needs `user_allow_other` in /etc/fuse.conf,
    /// unless root mounts.
    package var access: Access = .owner
    /// Lets the kernel check permission bits before it sends a request; otherwise every user with
    /// access to the mount has all permissions.
    package var checksPermissions = true
    /// Makes the kernel refuse all changes.
    package var isReadOnly = false
    /// The mount flags that the kernel enforces: `noexec`, `nosuid`, `nodev`, `noatime`.
    package var kernelFlags: Set<String> = []
    /// The label that SELinux sees at all files, in the characters of labels; nil for the kernel's
    /// own. Only for root, and where SELinux is.
    package var securityContext: String?
    /// Promises the kernel that setuid and setgid bits never survive a write, which saves one
    /// `getxattr("security.capability")` per `write(2)`. Off only to work round a kernel with a bug
    /// in it.
    package var dropsPrivilegeBits = true
    /// Enables the kernel's writeback cache: small writes are merged and sent when a file is closed
    /// or synchronized or after a while. The kernel then manages sizes and times of files itself:
    /// the filesystem must give a file with changed content a new generation.
    package var gathersWrites = false
    /// Upper bound of threads that serve requests. They may block for the local disk, never for the
    /// network, so that a few more than the cores suffice.
    package var maximumThreads: UInt32 = 16
    /// Gives each thread its own queue in the kernel (`FUSE_DEV_IOC_CLONE`).
    package var clonesDevice = false
    /// The kernel's readahead, in KiB. With 1024 the kernel reads 1 MiB at a time, the most that
    /// one request carries, instead of 128 KiB. Only root may raise it.
    package var readAheadKiB = 1024

    /// Starts from the defaults.
    package init(source: String) {
        self.source = source
    }

    /// The filesystem's type in the mount table.
    package static let type = "fuse.\(subtype)"
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
        options.append(contentsOf: kernelFlags.sorted())
        if let securityContext {
            // Quotes, because commas between categories would end the option in the kernel.
            options.append("context=\"\(Self.escape(securityContext))\"")
        }
        return ["dbxfs", "-o", options.joined(separator: ",")]
    }

    /// Escapes commas, which would end the option, and backslashes, which would escape the next
    /// character.
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
