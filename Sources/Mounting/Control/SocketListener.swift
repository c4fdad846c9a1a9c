// A socket of this user in a private folder, and the thread that accepts its connections. Not responsible for how many are
// served, nor for their threads.

import Glibc
import LocalIO
import SystemPackage

/// A bound socket, closed with its last reference.
final class SocketListener: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Binds a socket for this user only, replacing one that a dead process left.
    init(_ socket: LocalSocket) throws(Errno) {
        path = socket.path
        unlink(path)
        descriptor = try socket.listen()
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
                if errno == EMFILE || errno == ENFILE {
                    usleep(100_000)
                    continue
                }
                return
            }
            _ = fcntl(connected, F_SETFD, FD_CLOEXEC)
            serve(ControlConnection(descriptor: connected, sendTimeout: sendTimeout))
        }
    }

    /// Removes the socket and ends the accepting thread.
    func stop() {
        unlink(path)
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
