// A socket of this user in a private folder, and the thread that accepts its connections. Not responsible for how many are
// served, nor for their threads.

import Glibc
import LocalIO
import SystemPackage

/// A bound socket, closed with its last reference.
final class SocketListener: Sendable {
    private let path: String
    private let descriptor: Int32

    private static let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

    /// Binds a socket for this user only, replacing one that a dead process left.
    init(_ name: String, in folder: ControlFolder) throws(Errno) {
        path = folder.path + "/" + name
        descriptor = socket(AF_UNIX, Self.type, 0)
        guard descriptor >= 0 else { throw currentErrno }
        unlink(path)
        do throws(Errno) {
            try folder.withAddress(of: name) { address, size throws(Errno) in
                guard bind(descriptor, address, size) == 0 else { throw currentErrno }
            }
            guard chmod(path, 0o600) == 0, listen(descriptor, 16) == 0 else {
                throw currentErrno
            }
        } catch {
            close(descriptor)
            throw error
        }
    }

    // Closed only here, when no thread can still shut it down: a closed number may be reused.
    deinit {
        close(descriptor)
    }

    /// Whether a process accepts connections at a socket.
    static func isServed(_ name: String, in folder: ControlFolder) -> Bool {
        let probe = socket(AF_UNIX, type, 0)
        guard probe >= 0 else { return false }
        defer { close(probe) }
        let isServed = try? folder.withAddress(of: name) { address, size throws(Errno) in
            connect(probe, address, size) == 0
        }
        return isServed == true
    }

    /// Passes each connection to `serve`, until `stop`. Blocks.
    func acceptAll(sendPatience: Int, _ serve: (ControlConnection) -> Void) {
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
            serve(ControlConnection(descriptor: connected, sendPatience: sendPatience))
        }
    }

    /// Removes the socket and ends the accepting thread.
    func stop() {
        unlink(path)
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
