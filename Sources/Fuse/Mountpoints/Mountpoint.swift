// A mountpoint before and after the session: checks that it is usable, detects a stale mount,
// detaches. The calls run before requests are served or on a thread that serves none.

import CFuse
import Glibc
package import SystemPackage

/// A directory on which a filesystem is, or will be, mounted.
package struct Mountpoint: Hashable, Sendable {
    /// The canonical path, as in the kernel's mount table.
    package let path: FilePath

    /// Finds the canonical path of a directory that can be mounted on.
    ///
    /// Throws the problem: missing, not a directory, not accessible, already a FUSE mount, or a
    /// stale one of a FUSE process that died.
    package init(_ path: FilePath) throws(MountError) {
        var status = stat()
        if fstatat(AT_FDCWD, path.string, &status, 0) != 0 {
            throw Self.error(for: Errno(rawValue: errno), at: path)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .mountpointNotADirectory(path) }
        self.path = try Self.canonical(path)
        if let mount = MountTable.current().topMount(at: self.path), mount.isFuse {
            throw .mountpointBusy(self.path, source: mount.source)
        }
    }

    /// Takes a path from the mount table without further checks.
    init(listed path: FilePath) {
        self.path = path
    }

    /// Whether a FUSE filesystem whose process is gone is mounted there.
    ///
    /// Such a mount fails calls with `ENOTCONN`, "Transport endpoint is not connected". But the
    /// kernel goes on to answer `stat` from its cache; `statfs` it always asks of the process.
    package static func isStale(_ path: FilePath) -> Bool {
        var space = statvfs()
        return statvfs(path.string, &space) != 0 && (errno == ENOTCONN || errno == ECONNABORTED)
    }

    /// Detaches the stale mount of a dead process; returns whether there was one.
    ///
    /// Processes with open files in it keep getting `ENOTCONN`; the directory is free. Blocks for
    /// as long as `fusermount3` takes.
    @discardableResult
    package static func detachStale(_ path: FilePath) throws(MountError) -> Bool {
        guard isStale(path) else { return false }
        // The last component cannot be resolved, since `stat` of it fails.
        let parent = try canonical(path.removingLastComponent())
        let resolved = path.lastComponent.map { parent.appending($0) } ?? parent
        try Mountpoint(listed: resolved).detach()
        return true
    }

    /// Lazily unmounts: the mount disappears at once, and ends with its last user.
    ///
    /// Dirty pages of memory-mapped files are written back first, so the session must still serve,
    /// and the caller must not be one of its threads.
    func detach() throws(MountError) {
        if umount2(path.string, CInt(clamping: MNT_DETACH | UMOUNT_NOFOLLOW)) == 0 {
            return
        }
        let refused = Errno(rawValue: errno)
        // EINVAL: already unmounted, which is the goal.
        if refused == .invalidArgument { return }
        guard refused == .notPermitted, let fusermount = Fusermount.locate(),
            Fusermount.detach(path, with: fusermount)
        else { throw .detachFailed(path, refused) }
    }

    private static func canonical(_ path: FilePath) throws(MountError) -> FilePath {
        let lookedUp = path.isEmpty ? "." : path.string
        guard let resolved = realpath(lookedUp, nil) else {
            throw error(for: Errno(rawValue: errno), at: path)
        }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
    }

    private static func error(for errno: Errno, at path: FilePath) -> MountError {
        switch errno {
        case .noSuchFileOrDirectory: .mountpointMissing(path)
        case .notDirectory: .mountpointNotADirectory(path)
        case .socketNotConnected: .mountpointStale(path)
        default: .mountpointInaccessible(path, errno)
        }
    }
}

/// The setuid program that mounts and unmounts for users.
enum Fusermount {
    /// The program's path, or nil. The first place is where libfuse looks first.
    static func locate() -> String? {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let folders = ["/usr/bin", "/bin"] + path.split(separator: ":").map(String.init)
        return folders.lazy.map { $0 + "/fusermount3" }.first { access($0, X_OK) == 0 }
    }

    /// Runs `fusermount3 -u -z` and says whether it succeeded.
    static func detach(_ mountpoint: FilePath, with program: String) -> Bool {
        let arguments = ["fusermount3", "-u", "-q", "-z", "--", mountpoint.string]
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        pointers.append(nil)
        defer { pointers.forEach { free($0) } }
        var process: pid_t = 0
        guard posix_spawn(&process, program, nil, nil, pointers, environ) == 0 else { return false }
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return false }
        }
        return status == 0
    }

    /// Whether /etc/fuse.conf lets users open their mounts to other users.
    static func allowsOthers(configuration: String) -> Bool {
        configuration.split(separator: "\n").contains { line in
            line.split(whereSeparator: \.isWhitespace).first == "user_allow_other"
        }
    }
}
