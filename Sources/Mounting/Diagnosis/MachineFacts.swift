// The prerequisites of mounting on this machine. Facts in, findings out; not responsible for
// collecting the facts.

/// The facts about this machine, independent of accounts.
package struct MachineFacts: Hashable, Sendable {
    /// The state of /dev/fuse.
    package enum Device: Hashable, Sendable {
        /// It can be opened.
        case ready
        /// It does not exist.
        case missing
        /// It cannot be opened, for this reason.
        case refused(String)
    }

    /// A program that needs root's rights.
    package struct Program: Hashable, Sendable {
        /// Path of the program.
        package var path: String
        /// Whether its set-user-ID bit gives it root's rights.
        package var isSetuid: Bool

        /// Memberwise and without defaults.
        package init(path: String, isSetuid: Bool) {
            self.path = path
            self.isSetuid = isSetuid
        }
    }

    /// How systemd treats processes that this user leaves running.
    package struct UserSession: Hashable, Sendable {
        /// Whether this process is in a login session.
        package var isLogin: Bool
        /// Whether the user's services run without one (lingering).
        package var lingers: Bool

        /// Memberwise and without defaults.
        package init(isLogin: Bool, lingers: Bool) {
            self.isLogin = isLogin
            self.lingers = lingers
        }
    }

    /// The state of /dev/fuse.
    package var device: Device
    /// fusermount3; nil if it is not installed.
    package var fusermount: Program?
    /// Whether this process may mount without fusermount3.
    package var isRoot: Bool
    /// Whether /etc/fuse.conf allows `allow_other`.
    package var allowsOthers: Bool
    /// The kernel's version, such as `6.1.0`.
    package var kernel: String
    /// The version of the library that is loaded, such as `3.14.0`.
    package var libfuse: String
    /// The version that the program was built with, such as `3.14`.
    package var libfuseBuilt: String
    /// Hard limit of open files.
    package var openFiles: UInt64
    /// The user's session; nil without systemd.
    package var session: UserSession?

    /// Memberwise and without defaults.
    package init(
        device: Device, fusermount: Program?, isRoot: Bool, allowsOthers: Bool, kernel: String,
        libfuse: String, libfuseBuilt: String, openFiles: UInt64, session: UserSession?
    ) {
        self.device = device
        self.fusermount = fusermount
        self.isRoot = isRoot
        self.allowsOthers = allowsOthers
        self.kernel = kernel
        self.libfuse = libfuse
        self.libfuseBuilt = libfuseBuilt
        self.openFiles = openFiles
        self.session = session
    }

    /// Each open file of a mount takes up to two descriptors, and the rest of dbxfs about a
    /// hundred.
    private static let fewOpenFiles: UInt64 = 4096

    /// The findings about the machine.
    package var findings: [Finding] {
        [
            deviceFinding, fusermountFinding, othersFinding, versionsFinding, openFilesFinding,
        ] + sessionFindings
    }

    /// A newer library has everything that the library of the build had; an older library lacks
    /// something.
    private var versionsFinding: Finding {
        let text = "Linux \(kernel), libfuse \(libfuse)"
        let (loaded, built) = (Self.numbers(of: libfuse), Self.numbers(of: libfuseBuilt))
        guard loaded != built else { return Finding("versions", .ok, text) }
        guard !loaded.lexicographicallyPrecedes(built) else {
            return Finding(
                "versions", .warning,
                "\(text), older than \(libfuseBuilt), with which dbxfs was built: install that or a "
                    + "newer one, or the package for this system")
        }
        return Finding("versions", .ok, "\(text), newer than \(libfuseBuilt) of the build")
    }

    /// The first two numbers of a version.
    private static func numbers(of version: String) -> [Int] {
        version.split(separator: ".").prefix(2).map {
            Int($0.prefix(while: \.isNumber), radix: 10) ?? 0
        }
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
