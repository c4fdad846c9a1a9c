// The place at which a mount's metrics are scraped: its sockets, its file, and the one thread that
// serves all clients. Not responsible for answers (`MetricsRequest`) and for connections
// (`HTTPListener`).

import Blocking
import Glibc
import LocalIO
import Saturating
import Synchronization
import SystemPackage

/// Serves the metrics of one mount.
package final class MetricsServer: Sendable {
    /// Seconds for which a text is sent again: clients that ask without end make the mount compute
    /// no more than one text a second.
    static let freshness = 1.0
    /// Seconds to wait for the thread, which blocks for nothing but the local disk.
    private static let endTimeout = 2.0

    private typealias File = (socket: LocalSocket, inode: ino_t)

    private let address: MetricsAddress
    private let limits: HTTPListener.Limits
    private let source: @Sendable () -> String
    /// Handed to the thread, which closes them.
    private let sockets: Mutex<ListeningSockets?>
    /// The socket's file with its number.
    private let file: File?
    /// A byte in it ends the thread.
    private let wakeup: DescriptorPipe
    private let isStarted = Latch()
    private let hasEnded = Latch()
    /// The port that it listens on; 0 for a Unix socket.
    let port: UInt16

    /// Listens, so that an address in use is noticed before the mount. A socket that a dead process
    /// of this user left is replaced, no other file. `folder` is private to the user, and its lock
    /// orders processes that replace a socket.
    package convenience init(
        _ address: MetricsAddress, mountpoint: String, folder: ControlFolder,
        text: @escaping @Sendable () -> String
    ) throws(CommandError) {
        try self.init(
            address, mountpoint: mountpoint, folder: folder, limits: .init(answer: 5), text: text)
    }

    init(
        _ address: MetricsAddress, mountpoint: String, folder: ControlFolder,
        limits: HTTPListener.Limits, text: @escaping @Sendable () -> String
    ) throws(CommandError) {
        self.address = address
        self.limits = limits
        source = text
        if case .socket(let path) = address {
            // A process must not touch its own mount.
            guard !isPath(Self.socket(at: path).path, within: mountpoint) else {
                throw .metricsUnavailable(address: path, reason: "it is inside the mountpoint")
            }
            try makePrivateFolder(folder.path)
        }
        let (opened, file) = try Self.listen(at: address, folder)
        do throws(ChildProcessError) {
            wakeup = try DescriptorPipe()
        } catch {
            if let file { unlink(file.socket.path) }
            throw .metricsUnavailable(address: address.text, reason: error.message)
        }
        self.file = file
        port = opened.port
        sockets = Mutex(opened)
    }

    deinit {
        try? wakeup.reading.close()
        try? wakeup.writing.close()
    }

    /// Starts the thread that serves clients.
    package func start() {
        isStarted.set()
        WorkerThread.start {
            self.serve()
            self.hasEnded.set()
        }
    }

    /// Closes all connections and removes the socket. No client can delay that.
    package func stop() {
        if isStarted.hasHappened {
            _ = try? wakeup.writing.writeAll([0])
            _ = hasEnded.wait(seconds: Self.endTimeout)
        }
        sockets.withLock { $0 = nil }
        if let file { file.socket.remove(file.inode) }
    }

    // MARK: Serving

    private func serve() {
        guard let listener = takeListener() else { return }
        let request = MetricsRequest(isForLoopback: isForLoopback)
        var made: (text: String, time: ContinuousClock.Instant)?
        while !isStopped {
            for (connection, reception) in listener.nextRequests(
                wakeup: wakeup.reading.rawValue)
            {
                let response = request.response(to: reception) {
                    let now = ContinuousClock.now
                    if let made, made.time.duration(to: now) < .seconds(Self.freshness) {
                        return made.text
                    }
                    let text = source()
                    made = (text, now)
                    return text
                }
                listener.answer(connection, response.bytes)
            }
        }
    }

    private func takeListener() -> HTTPListener? {
        let opened = sockets.withLock { sockets in
            defer { sockets = nil }
            return sockets
        }
        return opened.map { HTTPListener($0, limits: limits) }
    }

    private var isForLoopback: Bool {
        if case .socket = address { false } else { address.isLoopback }
    }

    /// Whether there is a byte to read.
    private var isStopped: Bool {
        var state = pollfd(fd: wakeup.reading.rawValue, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) > 0
    }

    // MARK: Listening

    private static func listen(
        at address: MetricsAddress, _ folder: ControlFolder
    ) throws(CommandError) -> (ListeningSockets, File?) {
        do throws(Errno) {
            switch address {
            case .loopback(let port): return (try ListeningSockets(loopback: port), nil)
            case .address(let host, let port):
                return (try ListeningSockets(address: host, port: port), nil)
            case .socket(let path):
                let socket = Self.socket(at: path)
                let opened = try replacing(socket, folder)
                guard let inode = socket.inode else { throw .noSuchFileOrDirectory }
                return (opened, (socket, inode))
            }
        } catch {
            throw .metricsUnavailable(address: address.text, reason: reason(error, address))
        }
    }

    private static func reason(_ error: Errno, _ address: MetricsAddress) -> String {
        switch error {
        case .fileExists: "there is a file already that is no socket of yours"
        case .addressInUse: "another process serves it"
        case .addressNotAvailable: "this machine does not have the address"
        case .noSuchFileOrDirectory: "there is no such folder"
        case .permissionDenied:
            if case .socket = address { error.description } else { "ports below 1024 are root's" }
        default: error.description
        }
    }

    /// Listens at the socket, in place of a dead one. A process that listens at the same path at
    /// the same time waits for that: to it, a socket that was only just made would look dead.
    private static func replacing(
        _ socket: LocalSocket, _ folder: ControlFolder
    ) throws(Errno) -> ListeningSockets {
        let lock = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw currentErrno }
        defer { close(lock) }
        flock(lock, LOCK_EX)
        try socket.removeDead()
        return try ListeningSockets(socket)
    }

    /// The socket with all links above it resolved, so that it stays in one place.
    private static func socket(at path: String) -> LocalSocket {
        let path = FilePath(absolutePath(path))
        return LocalSocket(
            folder: resolvedPath(path.removingLastComponent().string),
            name: path.lastComponent?.string ?? "")
    }
}
