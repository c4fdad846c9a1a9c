// Unix sockets by their names in a folder, for all that listens on this machine only. Not
// responsible for the bytes on them.

import Glibc
import LocalIO
import SystemPackage

/// A Unix socket, by its name in a folder.
struct LocalSocket: Hashable, Sendable {
    let folder: String
    let name: String

    /// Seconds for which a connection or a request may wait for the other process.
    private static let sendTimeout = 10
    private static let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

    /// The path of the socket's file.
    var path: String { folder + "/" + name }

    /// Connects to the process that serves it.
    func connect() throws(Errno) -> Int32 {
        try connect(type: Self.type)
    }

    /// Whether a process accepts connections at it, or uses it for something else.
    var isServed: Bool {
        do throws(Errno) {
            // A process whose queue is full would make the caller wait.
            close(try connect(type: Self.type | Int32(SOCK_NONBLOCK.rawValue)))
            return true
        } catch {
            return error == .resourceTemporarilyUnavailable || error == Errno(rawValue: EPROTOTYPE)
        }
    }

    /// Whether no process serves it any longer.
    var isDead: Bool {
        do throws(Errno) {
            close(try connect(type: Self.type | Int32(SOCK_NONBLOCK.rawValue)))
            return false
        } catch {
            return error == .connectionRefused || error == .noSuchFileOrDirectory
        }
    }

    /// Whether there is nothing of its name.
    var isMissing: Bool {
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }

    /// The number of its file; nil if there is no socket.
    var inode: ino_t? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return status.st_ino
    }

    /// Removes its file if that has this number, which no other has while the socket is open.
    func remove(_ inode: ino_t?) {
        guard let inode, self.inode == inode else { return }
        unlink(path)
    }

    /// Listens, by default for this user only; the place must be free.
    func listen(mode: mode_t = 0o600) throws(Errno) -> Int32 {
        let descriptor = socket(AF_UNIX, Self.type, 0)
        guard descriptor >= 0 else { throw currentErrno }
        do throws(Errno) {
            try withFolder { folder throws(Errno) in
                // Where others may connect, they must not be able to put a link in the place of
                // the socket, whose mode is changed by its name.
                guard mode & 0o066 == 0 || Self.isOnlyOwn(folder) else { throw .permissionDenied }
                try withAddress(in: folder) { address, size throws(Errno) in
                    guard bind(descriptor, address, size) == 0 else { throw currentErrno }
                }
                guard chmod(Self.path(of: name, in: folder), mode) == 0 else { throw currentErrno }
            }
            // No client can connect before this call, so none comes in by another mode.
            guard Glibc.listen(descriptor, 16) == 0 else { throw currentErrno }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Removes the socket that a dead process of this user left. Throws if another file is there,
    /// or if a process serves it.
    func removeDead() throws(Errno) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw currentErrno
        }
        guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
            throw .fileExists
        }
        guard !isServed else { throw .addressInUse }
        guard unlink(path) == 0 || errno == ENOENT else { throw currentErrno }
    }

    private func connect(type: Int32) throws(Errno) -> Int32 {
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw currentErrno }
        // The time for a connection, too, whose process may be hung, with a full queue: unix(7).
        var limit = timeval(tv_sec: Self.sendTimeout, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit,
            socklen_t(clamping: MemoryLayout<timeval>.size))
        do throws(Errno) {
            try withFolder { folder throws(Errno) in
                try withAddress(in: folder) { address, size throws(Errno) in
                    guard Glibc.connect(descriptor, address, size) == 0 else { throw currentErrno }
                }
            }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Passes the folder's descriptor to `body`.
    private func withFolder(_ body: (Int32) throws(Errno) -> Void) throws(Errno) {
        let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw currentErrno }
        defer { close(opened) }
        try body(opened)
    }

    private static func path(of name: String, in folder: Int32) -> String {
        "/proc/self/fd/\(folder)/\(name)"
    }

    /// Whether only this process's user can make and rename files in an open folder.
    private static func isOnlyOwn(_ folder: Int32) -> Bool {
        var status = stat()
        return fstat(folder, &status) == 0 && status.st_uid == geteuid()
            && status.st_mode & 0o022 == 0
    }

    /// Passes the address to `body`, for connect or bind.
    ///
    /// A socket's address has room for 107 bytes, and a path may be longer. The address therefore
    /// goes through /proc/self/fd.
    private func withAddress(
        in folder: Int32, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Errno) -> Void
    ) throws(Errno) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let text = Self.path(of: name, in: folder)
        guard text.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw .fileNameTooLong
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text.utf8) }
        try withUnsafePointer(to: &address) { pointer throws(Errno) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw throws(Errno) in
                try body(raw, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
