// The user whom a mount of root serves by `allow_other,uid=`: the requests that this user may send
// to the mount's process, and the folder of the sockets for them. Not responsible for the mount's
// files, which the kernel guards.

import Glibc
import LocalIO
import SystemPackage

/// A user who may ask about a mount that root made.
package struct ServedUser: Hashable, Sendable {
    /// The reply to a request that only root may send.
    static let refusal =
        "root has made this mount, and users may only ask about it: run the command as root"

    private let id: UInt32

    /// Takes the user's number.
    package init(_ id: UInt32) {
        self.id = id
    }

    /// Whether the user at the other end of a connection may ask: this one or root.
    func admits(_ peer: UInt32?) -> Bool { peer == id || peer == 0 }
}

extension ControlCommand {
    /// Whether a served user may send it: it tells of the user's own files, or waits for them.
    var isForServedUsers: Bool {
        switch self {
        case .status, .sync, .conflicts, .pins, .revisions: true
        case .finish, .hurry, .newLogin, .clearCache, .verifyCache, .pin, .unpin, .set, .link,
            .restore, .undo, .importContent, .pause, .writeHistory:
            false
        }
    }
}

extension ControlFolder {
    /// Creates the folder so that all users can find sockets in it, and only this process's user
    /// can make any. Its parent exists.
    func makeForServedUsers() throws(CommandError) {
        if mkdir(path, 0o755) != 0, errno != EEXIST {
            throw .folderUnusable(path: path, reason: currentErrno.description)
        }
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else {
            throw .folderUnusable(path: path, reason: currentErrno.description)
        }
        defer { close(folder) }
        var status = stat()
        guard fstat(folder, &status) == 0, status.st_uid == geteuid() else {
            throw .folderNotPrivate(path)
        }
        // Independent of the umask.
        guard fchmod(folder, 0o755) == 0 else {
            throw .folderUnusable(path: path, reason: currentErrno.description)
        }
    }
}
