// Collects the facts about this machine. Does not block: the files are the kernel's or small and
// local.

import Fuse
import Glibc
import LocalFiles
import LocalIO
import Mounting

enum MachineInspection {
    static func facts() -> MachineFacts {
        MachineFacts(
            device: device, fusermount: FuseRequirements.fusermount.map(program),
            isRoot: geteuid() == 0, allowsOthers: FuseRequirements.usersMayAllowOthers,
            kernel: kernel, libfuse: FuseRequirements.libraryVersion,
            libfuseBuilt: FuseRequirements.builtVersion, openFiles: openFiles, session: session)
    }

    private static var device: MachineFacts.Device {
        let descriptor = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        if descriptor >= 0 {
            close(descriptor)
            return .ready
        }
        return errno == ENOENT ? .missing : .refused(String(cString: strerror(errno)))
    }

    private static func program(_ path: String) -> MachineFacts.Program {
        var status = stat()
        let isSetuid =
            stat(path, &status) == 0 && status.st_uid == 0 && status.st_mode & S_ISUID != 0
        return .init(path: path, isSetuid: isSetuid)
    }

    private static var kernel: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "of an unknown version" }
        return withUnsafeBytes(of: &name.release) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The hard limit, which mounts use.
    private static var openFiles: UInt64 { UInt64(clamping: DescriptorLimit.current?.most ?? 0) }

    private static var session: MachineFacts.UserSession? {
        // The test of sd_booted(3).
        guard access("/run/systemd/system", F_OK) == 0 else { return nil }
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
        let lingers = user.map { access("/var/lib/systemd/linger/" + $0, F_OK) == 0 } ?? false
        return .init(
            isLogin: ProcessVariables.all["XDG_SESSION_ID"]?.isEmpty == false, lingers: lingers)
    }
}
