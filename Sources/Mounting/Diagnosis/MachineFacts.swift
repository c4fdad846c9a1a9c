// What mounting needs of this machine, and what its lack means. Facts in, findings out; who finds the facts
// out is not here.

/// What is so on this machine, whoever's the account.
public struct MachineFacts: Hashable, Sendable {
    /// How /dev/fuse is.
    public enum Device: Hashable, Sendable {
        /// It can be opened.
        case ready
        /// It is not there.
        case missing
        /// It cannot be opened, for this reason.
        case refused(String)
    }

    /// A program that is to run with root's rights.
    public struct Program: Hashable, Sendable {
        /// Where it is.
        public var path: String
        /// Whether it gets root's rights.
        public var isSetuid: Bool

        /// Names both.
        public init(path: String, isSetuid: Bool) {
            self.path = path
            self.isSetuid = isSetuid
        }
    }

    /// How systemd treats what this user leaves running.
    public struct UserSession: Hashable, Sendable {
        /// Whether this process is in a login session.
        public var isLogin: Bool
        /// Whether the user's services run without one.
        public var lingers: Bool

        /// Names both.
        public init(isLogin: Bool, lingers: Bool) {
            self.isLogin = isLogin
            self.lingers = lingers
        }
    }

    /// /dev/fuse.
    public var device: Device
    /// fusermount3; nil when there is none.
    public var fusermount: Program?
    /// Whether this process may mount by itself.
    public var isRoot: Bool
    /// Whether /etc/fuse.conf lets users open their mounts to others.
    public var allowsOthers: Bool
    /// Such as `6.1.0`.
    public var kernel: String
    /// Such as `3.14.0`.
    public var libfuse: String
    /// Files that a process may have open, when it asks for as many as it can have.
    public var openFiles: UInt64
    /// Nil where there is no systemd.
    public var session: UserSession?

    /// Names every field.
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

    /// Each open file of a mount takes up to two, and the parts of dbxfs about a hundred.
    private static let fewOpenFiles: UInt64 = 4096

    /// What there is to say.
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
