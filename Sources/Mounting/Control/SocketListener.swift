// A bound socket, and the thread that accepts its connections. Not responsible for how many are
// served, for their threads, and for the peers that may connect.

import Glibc
import LocalIO
import SystemPackage

/// A bound socket, closed with its last reference.
final class SocketListener: Sendable {
    private let socket: LocalSocket
    private let inode: ino_t?
    private let descriptor: Int32

    /// Binds a socket, by default for this user only; the place must be free.
    init(_ socket: LocalSocket, mode: mode_t = 0o600) throws(Errno) {
        self.socket = socket
        descriptor = try socket.listen(mode: mode)
        inode = socket.inode
    }

    // Closed only here, when no thread can still shut it down: a closed number may be reused.
    deinit {
        close(descriptor)
    }

    /// Passes each connection to `serve`, until `stop`. Blocks.
    func acceptAll(sendTimeout: Int, _ serve: (ControlConnection) -> Void) {
        while true {
            let connected = accept(descriptor, nil, nil)
            if connected < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                // After `stop`. Nothing else may end the thread: the mount could be asked nothing
                // from then on.
                if errno == EINVAL || errno == EBADF { return }
                // Descriptors or memory, which others give back.
                usleep(100_000)
                continue
            }
            _ = fcntl(connected, F_SETFD, FD_CLOEXEC)
            serve(ControlConnection(descriptor: connected, sendTimeout: sendTimeout))
        }
    }

    /// Removes the socket, unless another process has taken its place, and ends the accepting
    /// thread.
    func stop() {
        socket.remove(inode)
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
