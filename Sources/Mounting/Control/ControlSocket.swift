// Unix sockets that carry lines of JSON. Their paths and permissions are decided here, their
// messages in `ControlRoute.swift`.

import CLinux
import Foundation
import Glibc
import LocalFiles
import Saturating
import SystemPackage

extension Environment {
    /// The folders to search for the sockets of running mounts.
    package var controlFolders: [ControlFolder] { runtimeFolders.map { ControlFolder(path: $0) } }

    /// The folder of the sockets at which mounts of root answer the users whom they serve.
    package var servedFolder: ControlFolder { ControlFolder(path: servedUsersFolder) }

    /// The folders of all mounts that this user may ask something. Those of root answer users a few
    /// requests only; root finds them among its own.
    package var askedFolders: [ControlFolder] {
        isRoot ? controlFolders : [controlFolders, [servedFolder]].flatMap(\.self)
    }

    /// Which accounts that of a running mount is one of: root finds system mounts beside its own,
    /// and users those that serve them. The device finds it also at a bind mount, and after a
    /// folder above was renamed.
    package func scope(
        ofMountAt mountpoint: String, device: String?
    ) throws(CommandError) -> Scope {
        let own = ControlFolder(path: runtimeFolder)
        guard try ControlClient(folder: own).connect(to: mountpoint, device: device) == nil else {
            return scope
        }
        if controlFolders != [own] { return .system }
        let served = ControlClient(folder: servedFolder)
        return try served.connect(to: mountpoint, device: device) == nil ? scope : .system
    }
}

/// The folder of the control sockets.
package struct ControlFolder: Hashable, Sendable {
    /// Its path. A folder for all users has the mode 0755, any other 0700.
    package let path: String

    /// Takes a path, which need not exist.
    package init(path: String) {
        self.path = path
    }

    /// The socket's name for a mount: a hash, because a mountpoint may contain any byte. Those that
    /// are mounted while a process still sends the queue of a mount there before have a number,
    /// too.
    func socketName(for mountpoint: String, number: Int = 0) -> String {
        let hash = fingerprint(mountpoint)
        return number == 0 ? "\(hash).sock" : "\(hash)-\(number).sock"
    }

    /// The sockets of all mounts, including dead ones. Others in the folder, such as one for
    /// metrics, have other names.
    func sockets() -> [LocalSocket] {
        folderNames(in: path).filter(Self.isSocketName).sorted().map { socket($0) }
    }

    private static func isSocketName(_ name: String) -> Bool {
        guard name.hasSuffix(".sock") else { return false }
        let parts = name.dropLast(5).split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isHexDigit) }
    }

    /// The sockets of mounts at a place, including dead ones, the latest mount first.
    func sockets(for mountpoint: String) -> [LocalSocket] {
        numbers(for: mountpoint).reversed().map { socket(for: mountpoint, number: $0) }
            .filter { !$0.isMissing }
    }

    /// The name for the socket of a new mount: behind those of processes that still serve one. Dead
    /// sockets are removed.
    ///
    /// The caller keeps other mounts of this place out: to it, a socket that was only just made
    /// would look dead.
    func freeSocket(for mountpoint: String) -> LocalSocket {
        var free = 0
        for number in numbers(for: mountpoint) {
            let socket = socket(for: mountpoint, number: number)
            guard !socket.isMissing else { continue }
            if socket.isDead, unlink(socket.path) == 0 { continue }
            free = number +| 1
        }
        return socket(for: mountpoint, number: free)
    }

    /// The numbers in names of sockets for a place, in rising order; 0 is the name without one,
    /// which need not exist.
    private func numbers(for mountpoint: String) -> [Int] {
        let start = fingerprint(mountpoint) + "-"
        let others = folderNames(in: path)
            .filter { $0.hasPrefix(start) && $0.hasSuffix(".sock") }
            .compactMap { Int($0.dropFirst(start.count).dropLast(5), radix: 10) }
            .filter { $0 > 0 }
        return [0] + others.sorted()
    }

    /// A socket for a mount.
    func socket(for mountpoint: String, number: Int = 0) -> LocalSocket {
        socket(socketName(for: mountpoint, number: number))
    }

    /// Whether a socket is that of a mount at a place, with a number or without.
    func isSocket(_ socket: LocalSocket, for mountpoint: String) -> Bool {
        socket == self.socket(for: mountpoint)
            || socket.folder == path && socket.name.hasPrefix(fingerprint(mountpoint) + "-")
    }

    /// A socket in the folder.
    func socket(_ name: String) -> LocalSocket { LocalSocket(folder: path, name: name) }
}

/// One end of a control connection.
package final class ControlConnection: Sendable {
    private let descriptor: Int32
    private let received = Received()
    /// Timeout in seconds for sending a whole line; nil for none.
    private let sendTimeout: Int?

    /// Takes over a connected socket.
    init(descriptor: Int32, sendTimeout: Int? = nil) {
        self.descriptor = descriptor
        self.sendTimeout = sendTimeout
    }

    deinit {
        close(descriptor)
    }

    /// Sends one line; returns whether the peer has taken it. After a partial line the connection
    /// is unusable.
    @discardableResult
    func send(_ message: some Encodable) -> Bool {
        guard var line = try? JSONEncoder().encode(message) else { return false }
        line.append(0x0a)
        return send(line)
    }

    /// Sends text that need not be a whole line.
    @discardableResult
    func sendPart(_ text: String) -> Bool { send(Data(text.utf8)) }

    private func send(_ line: Data) -> Bool {
        let deadline = sendTimeout.map { ContinuousClock.now.advanced(by: .seconds(clamping: $0)) }
        return line.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                guard isInTime(deadline, SO_SNDTIMEO) else {
                    end()
                    return false
                }
                let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(sent))
                let count = Glibc.send(
                    descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR || errno == EAGAIN && deadline != nil { continue }
                guard count > 0 else { return false }
                sent +|= count
            }
            return true
        }
    }

    /// Receives the next line, or nil if the peer has closed, or sent more than a mebibyte.
    ///
    /// `timeout` is for the whole line, in seconds.
    func receiveLine(within timeout: Int? = nil) -> [UInt8]? {
        let deadline = timeout.map { ContinuousClock.now.advanced(by: .seconds(clamping: $0)) }
        while true {
            if let line = received.takeLine() { return line }
            guard isInTime(deadline, SO_RCVTIMEO) else { return nil }
            var buffer = [UInt8](repeating: 0, count: 16384)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0, received.append(buffer[..<count]) else { return nil }
        }
    }

    /// Whether the peer has closed its end.
    package var isAbandoned: Bool {
        // The end of both directions is reported without being asked for.
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&state, 1, 0) > 0
    }

    /// The user of the process at the other end; nil if it is unknown.
    var peerUser: UInt32? {
        var user: UInt32 = 0
        return clinux_peer_user(descriptor, &user) == 0 ? user : nil
    }

    /// Shuts the connection down, which also wakes the thread that waits for it.
    func end() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Sets the timeout of each receive; 0 for none.
    package func setReceiveTimeout(seconds: Int) {
        setTimeout(SO_RCVTIMEO, seconds: seconds)
    }

    /// Sets the socket's timeout to the rest of a deadline; false if it has passed.
    private func isInTime(_ deadline: ContinuousClock.Instant?, _ option: Int32) -> Bool {
        guard let deadline else { return true }
        let seconds = ContinuousClock.now.duration(to: deadline) / .seconds(1)
        guard seconds > 0 else { return false }
        setTimeout(option, seconds: Int(clamping: min(seconds, 3600)) +| 1)
        return true
    }

    private func setTimeout(_ option: Int32, seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
}
