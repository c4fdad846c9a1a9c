// The client side of the control socket.

import DropboxAPI
import Glibc
import LocalIO
import SystemPackage

/// Finds running mounts and sends requests to them.
package struct ControlClient: Sendable {
    let folders: [ControlFolder]

    /// Searches folders of sockets, in this order.
    package init(folders: [ControlFolder]) {
        self.folders = folders
    }

    /// Searches one folder of sockets.
    package init(folder: ControlFolder) {
        self.init(folders: [folder])
    }

    /// Timeout in seconds for the status of each mount when one is looked for.
    private static let searchTimeout = 5

    /// A connection to the process behind a mountpoint, or nil if there is none.
    ///
    /// - Parameter device: The device that the kernel has at the mountpoint; nil if nothing is
    ///   mounted there. The device distinguishes the mount from earlier ones at this path that
    ///   still send, and finds it if its mountpoint was moved.
    package func connect(
        to mountpoint: String, device: String? = nil
    ) throws(CommandError) -> ControlConnection? {
        var named = folders.flatMap { $0.sockets(for: mountpoint) }
        if let device {
            if named.count > 1 {
                let own = try connect(toOneOf: named, at: mountpoint) { $0.device == device }
                if let own { return own }
            }
            named.removeAll { isAnother($0, than: device) }
        }
        if let connection = try connect(toFirstOf: named, at: mountpoint) { return connection }
        guard let device else { return nil }
        let all = folders.flatMap { $0.sockets() }
        return try connect(toOneOf: all, at: mountpoint) { $0.device == device }
    }

    /// A connection to a process that serves a mount at a place, or sends its rest; nil if it is
    /// gone.
    package func connect(
        to mountpoint: String, process: Int32
    ) throws(CommandError) -> ControlConnection? {
        try connect(toOneOf: folders.flatMap { $0.sockets(for: mountpoint) }, at: mountpoint) {
            $0.pid == process
        }
    }

    /// Whether a process says that it serves another mount than that of a device, or that its mount
    /// is over. One of an earlier version does not tell its device.
    private func isAnother(_ socket: LocalSocket, than device: String) -> Bool {
        guard let status = try? connect(to: socket).status(timeout: Self.searchTimeout) else {
            return false
        }
        return status.device.map { $0 != device } ?? (status.state == .finishing)
    }

    private func connect(
        toOneOf sockets: [LocalSocket], at mountpoint: String, _ isWanted: (MountStatus) -> Bool
    ) throws(CommandError) -> ControlConnection? {
        let found = sockets.first {
            (try? connect(to: $0).status(timeout: Self.searchTimeout)).map(isWanted) ?? false
        }
        return try found.flatMap { socket throws(CommandError) in
            try connect(toFirstOf: [socket], at: mountpoint)
        }
    }

    private func connect(
        toFirstOf sockets: [LocalSocket], at mountpoint: String
    ) throws(CommandError) -> ControlConnection? {
        for socket in sockets {
            do throws(Errno) {
                return try connect(to: socket)
            } catch {
                switch error {
                case .noSuchFileOrDirectory, .connectionRefused: continue
                // The queue of connections is full: the process accepts none.
                case .resourceTemporarilyUnavailable:
                    throw .noControl(path: mountpoint, detail: CommandError.silence)
                default: throw .noControl(path: mountpoint, detail: error.description)
                }
            }
        }
        return nil
    }

    /// Whether a process of this user serves a mount at the path, or did so until it died. Asks
    /// none.
    package func hasSocket(for mountpoint: String) -> Bool {
        folders.contains { !$0.sockets(for: mountpoint).isEmpty }
    }

    /// The status of every mount that answers within so many seconds, sorted by mountpoint.
    package func allMounts(timeout: Int = 10) -> [MountStatus] {
        folders.flatMap { $0.sockets() }
            .compactMap { try? connect(to: $0).status(timeout: timeout) }
            .sorted { $0.mountpoint < $1.mountpoint }
    }

    /// Announces a new login to the mounts of an account. A mount that does not know the request
    /// finds the login by itself, later.
    package func announceLogin(account: String) {
        for mount in allMounts() where mount.account == account {
            guard let connection = try? connect(to: mount.mountpoint, process: mount.pid) else {
                continue
            }
            connection.setReceiveTimeout(seconds: 10)
            _ = try? connection.ask(ControlRoutes.newLogin, about: mount.mountpoint)
        }
    }

    /// Has a mount write the events that it still has in memory. A mount of an earlier version has
    /// no history.
    package func writeHistory(of mountpoint: String) {
        guard let connection = try? connect(to: mountpoint) else { return }
        connection.setReceiveTimeout(seconds: 10)
        _ = try? connection.ask(ControlRoutes.writeHistory, about: mountpoint)
    }

    private func connect(to socket: LocalSocket) throws(Errno) -> ControlConnection {
        ControlConnection(descriptor: try socket.connect())
    }
}

extension ControlConnection {
    /// Sends a request and returns the first reply.
    package func ask<Request, Reply>(
        _ route: ControlRoute<Request, Reply>, _ request: Request, about mountpoint: String
    ) throws(CommandError) -> Reply {
        send(RequestLine(command: route.command, fields: request))
        return try next(route, about: mountpoint)
    }

    /// Sends a request without fields and returns the first reply.
    package func ask<Reply>(
        _ route: ControlRoute<NoFields, Reply>, about mountpoint: String
    ) throws(CommandError) -> Reply {
        try ask(route, NoFields(), about: mountpoint)
    }

    /// Receives the next reply to a request that was sent.
    package func next<Request, Reply>(
        _ route: ControlRoute<Request, Reply>, about mountpoint: String
    ) throws(CommandError) -> Reply {
        guard let line = receiveLine() else {
            throw isAbandoned
                ? .processGone(mountpoint)
                : .noControl(path: mountpoint, detail: CommandError.silence)
        }
        if let refusal = try? JSON.decode(FailureReply.self, from: line) {
            throw .system(refusal.failure)
        }
        guard let reply = try? JSON.decode(Reply.self, from: line) else {
            throw .noControl(path: mountpoint, detail: "its answer is unknown to this version")
        }
        return reply
    }

    /// Requests the mount's status; nil if there is no reply within so many seconds.
    package func status(timeout: Int) -> MountStatus? {
        setReceiveTimeout(seconds: timeout)
        return try? ask(ControlRoutes.status, about: "").status
    }

    /// Tells a detached mount to end without waiting for its queue, and does not wait for the
    /// reply.
    package func hurry() {
        send(RequestLine(command: .hurry, fields: NoFields()))
    }
}
