// The prerequisites of mounting on this machine. Facts in, findings out; not responsible for
// collecting the facts.

/// The facts about this machine, independent of accounts.
public struct MachineFacts: Hashable, Sendable {
    /// The state of /dev/fuse.
    public enum Device: Hashable, Sendable {
        /// It can be opened.
        case ready
        /// It does not exist.
        case missing
        /// It cannot be opened, for this reason.
        case refused(String)
    }

    /// A program that needs root's rights.
    public struct Program: Hashable, Sendable {
        /// Path of the program.
        public var path: String
        /// Whether its set-user-ID bit gives it root's rights.
        public var isSetuid: Bool

        /// Memberwise and without defaults.
        public init(path: String, isSetuid: Bool) {
            self.path = path
            self.isSetuid = isSetuid
        }
    }

    /// How systemd treats processes that this user leaves running.
    public struct UserSession: Hashable, Sendable {
        /// Whether this process is in a login session.
        public var isLogin: Bool
        /// Whether the user's services run without one (lingering).
        public var lingers: Bool

        /// Memberwise and without defaults.
        public init(isLogin: Bool, lingers: Bool) {
            self.isLogin = isLogin
            self.lingers = lingers
        }
    }

    /// The state of /dev/fuse.
    public var device: Device
    /// fusermount3; nil if it is not installed.
    public var fusermount: Program?
    /// Whether this process may mount without fusermount3.
    public var isRoot: Bool
    /// Whether /etc/fuse.conf allows `allow_other`.
    public var allowsOthers: Bool
    /// The kernel's version, such as `6.1.0`.
    public var kernel: String
    /// The library's version, such as `3.14.0`.
    public var libfuse: String
    /// Hard limit of open files.
    public var openFiles: UInt64
    /// The user's session; nil without systemd.
    public var session: UserSession?

    /// Memberwise and without defaults.
    public init(
        device: Device, fusermount: Program?, isRoot: Bool, allowsOthers: Bool, kernel: String,
        libfuse: String, openFiles: UInt64, session: UserSession?
    ) {
        self.device = device
        self.fusermount = fusermount
        self.isRoot = isRoot
        self.allowsOthers = allowsOthers
        self.kernel = kernel
        self.libfuse = libfuse
        self.openFiles = openFiles
        self.session = session
    }

    /// Each open file of a mount takes up to two descriptors, and the rest of dbxfs about a
    /// hundred.
    private static let fewOpenFiles: UInt64 = 4096

    /// The findings about the machine.
    public var findings: [Finding] {
        [
            deviceFinding, fusermountFinding, othersFinding,
            Finding("versions", .ok, "Linux \(kernel), libfuse \(libfuse)"), openFilesFinding,
        ] + sessionFindings
    }

    private var deviceFinding: Finding {
        switch device {
        case .ready: Finding("fuse-device", .ok, "/dev/fuse can be opened")
        case .missing:
            Finding(
                "fuse-device", .problem,
                "/dev/fuse does not exist: load the kernel module (modprobe fuse); in a container, "
                    + "start it with --device /dev/fuse --cap-add SYS_ADMIN")
        case .refused(let reason):
            Finding(
                "fuse-device", .problem,
                "/dev/fuse cannot be opened (\(reason)): chmod 666 /dev/fuse; in a container, start "
                    + "it with --device /dev/fuse --cap-add SYS_ADMIN")
        }
    }

    private var fusermountFinding: Finding {
        guard let fusermount else {
            return isRoot
                ? Finding("fusermount3", .ok, "not there, and root does without it")
                : Finding("fusermount3", .problem, "not there: install the package fuse3")
        }
        guard isRoot || fusermount.isSetuid else {
            return Finding(
                "fusermount3", .problem,
                "\(fusermount.path) has no rights to mount: reinstall the package fuse3, or as root: "
                    + "chmod u+s \(fusermount.path)")
        }
        return Finding("fusermount3", .ok, fusermount.path)
    }

    private var othersFinding: Finding {
        if isRoot { return Finding("allow-other", .ok, "root may open mounts to other users") }
        return allowsOthers
            ? Finding("allow-other", .ok, "/etc/fuse.conf lets users open mounts to others")
            : Finding(
                "allow-other", .note,
                "mounts are for you alone: -o allow_other needs the line user_allow_other in "
                    + "/etc/fuse.conf")
    }

    private var openFilesFinding: Finding {
        guard openFiles < Self.fewOpenFiles else {
            return Finding("open-files", .ok, "\(openFiles) may be open at once")
        }
        return Finding(
            "open-files", .warning,
            "only \(openFiles) may be open at once: raise the hard limit (ulimit -Hn, nofile in "
                + "/etc/security/limits.conf, LimitNOFILE= of a service)")
    }

    private var sessionFindings: [Finding] {
        guard !isRoot, let session, !session.isLogin, !session.lingers else { return [] }
        return [
            Finding(
                "session", .note,
                "services of this user run only while somebody is logged in: loginctl enable-linger "
                    + "keeps a mount that is one of them")
        ]
    }
}
