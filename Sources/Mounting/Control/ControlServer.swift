// The server side of the control socket: one thread accepts, one more serves each connection. A
// command's effect is its route's business (`Routes/`).

import Blocking
import Dispatch
package import Logging
import Saturating
import Synchronization
import SystemPackage

/// Serves requests about one mount.
package final class ControlServer: Sendable {
    /// Connections at a time. A `sync` lasts as long as its uploads, so several are normal; a
    /// thousand come from a faulty script.
    private static let ownLimit = 64
    /// The same for a served user, whose requests cost root's process time.
    private static let servedLimit = 8
    /// Timeout in seconds for receiving a whole request, and for sending a whole line. A client
    /// sends its request right after connecting, and reads the reply.
    package static let standardTimeout = 30

    private let listener: SocketListener
    private let service: any MountService
    private let ending: MountEnding
    private let log: Logger
    private let timeout: Int
    private let servedUser: ServedUser?
    private let conversations = Mutex(Conversations())

    private struct Conversations {
        var count = 0
        /// Connections without a complete request, the oldest first.
        var silent: [ControlConnection] = []
    }

    /// Binds the socket of a mount, replacing those that dead processes left. A process that still
    /// sends the changes of a mount at the same place keeps its own.
    ///
    /// The caller keeps other mounts of this place out (`ControlFolder.holding`). `timeout` is in
    /// seconds, as `standardTimeout`. With `servedUser`, this socket answers that user and root,
    /// and lies in a folder that all users can enter; without, it answers the folder's owner.
    package init(
        folder: ControlFolder, mountpoint: String, service: any MountService, ending: MountEnding,
        log: Logger, servedUser: ServedUser? = nil, timeout: Int = standardTimeout
    ) throws(CommandError) {
        if servedUser == nil {
            try makePrivateFolder(folder.path)
        } else {
            try folder.makeForServedUsers()
        }
        self.timeout = timeout
        self.servedUser = servedUser
        self.service = service
        self.ending = ending
        self.log = log
        do throws(Errno) {
            listener = try SocketListener(
                folder.freeSocket(for: mountpoint), mode: servedUser == nil ? 0o600 : 0o666)
        } catch {
            throw .folderUnusable(path: folder.path, reason: error.description)
        }
    }

    /// Starts the accepting thread.
    package func start() {
        WorkerThread.start { self.acceptAll() }
    }

    /// Removes the socket, and returns when all waiting clients were told of the mount's end.
    package func stop() {
        listener.stop()
        // A client that does not read delays the end by this timeout at most.
        _ = ending.listeners.wait(timeout: .now() + .seconds(2))
    }

    private func acceptAll() {
        listener.acceptAll(sendTimeout: timeout) { connection in
            if let servedUser, !servedUser.admits(connection.peerUser) {
                connection.send(FailureReply(failure: ServedUser.refusal))
                return
            }
            guard isWelcome(connection) else { return }
            WorkerThread.start {
                self.serve(connection)
                self.conversations.withLock { $0.count -|= 1 }
            }
        }
    }

    /// Whether the connection is accepted. At the limit, the oldest one without a request is closed
    /// for it.
    private func isWelcome(_ connection: ControlConnection) -> Bool {
        conversations.withLock { conversations in
            let limit = servedUser == nil ? Self.ownLimit : Self.servedLimit
            guard conversations.count < limit *| 2 else { return false }
            if conversations.count >= limit {
                guard let oldest = conversations.silent.first else { return false }
                conversations.silent.removeFirst()
                oldest.end()
            }
            conversations.count +|= 1
            conversations.silent.append(connection)
            return true
        }
    }

    private func serve(_ connection: ControlConnection) {
        defer { noteSpoken(connection) }
        while let line = connection.receiveLine(within: timeout),
            let command = ControlCommand(of: line)
        {
            noteSpoken(connection)
            defer { conversations.withLock { $0.silent.append(connection) } }
            guard servedUser == nil || command.isForServedUsers else {
                connection.send(FailureReply(failure: ServedUser.refusal))
                continue
            }
            log.debug("control request", metadata: ["command": "\(command.rawValue)"])
            let call = ControlCall<Never>(service: service, ending: ending, connection: connection)
            guard command.route.serve(line, call) else { return }
        }
    }

    private func noteSpoken(_ connection: ControlConnection) {
        conversations.withLock { $0.silent.removeAll { $0 === connection } }
    }
}
