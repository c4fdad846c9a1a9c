// The server side of the control socket: one thread accepts, one more serves each connection.

import Dispatch
import Glibc
package import Logging
import Saturating
import Synchronization
import SystemPackage

/// Serves requests about one mount.
package final class ControlServer: Sendable {
    /// Connections at a time. A `sync` lasts as long as its uploads, so several are normal; a
    /// thousand come from a faulty script.
    private static let limit = 64
    /// Timeout in seconds for receiving a whole request, and for sending a whole line. A client
    /// sends its request right after connecting, and reads the reply.
    package static let standardPatience = 30

    private let folder: ControlFolder
    private let name: String
    private let listener: Int32
    private let service: any MountService
    private let ending: MountEnding
    private let log: Logger
    private let patience: Int
    private let conversations = Mutex(Conversations())

    private struct Conversations {
        var count = 0
        /// Connections without a complete request, the oldest first.
        var silent: [ControlConnection] = []
    }

    /// Binds the socket of a mount, replacing one that a dead process left.
    ///
    /// The caller holds the account's lock and the mountpoint, so no running mount has this socket.
    /// `patience` is a timeout in seconds.
    package init(
        folder: ControlFolder, mountpoint: String, service: any MountService, ending: MountEnding,
        log: Logger, patience: Int = standardPatience
    ) throws(CommandError) {
        try makePrivateFolder(folder.path)
        self.patience = patience
        self.folder = folder
        self.name = folder.socketName(for: mountpoint)
        self.service = service
        self.ending = ending
        self.log = log
        unlink(folder.path + "/" + name)
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        listener = socket(AF_UNIX, type, 0)
        guard listener >= 0 else { throw .system("no socket: \(currentErrno)") }
        do throws(Errno) {
            try folder.withAddress(of: name) { address, size throws(Errno) in
                guard bind(listener, address, size) == 0 else { throw currentErrno }
            }
            guard chmod(folder.path + "/" + name, 0o600) == 0, listen(listener, 16) == 0 else {
                throw currentErrno
            }
        } catch {
            throw .folderUnusable(path: folder.path, reason: error.description)
        }
    }

    // Closed only here, when no thread can still shut it down: a closed number may be reused.
    deinit {
        close(listener)
    }

    /// Starts the accepting thread.
    package func start() {
        Thread.start { self.acceptAll() }
    }

    /// Removes the socket, and returns when all waiting clients were told of the mount's end.
    package func stop() {
        unlink(folder.path + "/" + name)
        shutdown(listener, Int32(SHUT_RDWR))
        // A client that does not read delays the end by this timeout at most.
        _ = ending.listeners.wait(timeout: .now() + .seconds(2))
    }

    private func acceptAll() {
        while true {
            let descriptor = accept(listener, nil, nil)
            if descriptor < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                if errno == EMFILE || errno == ENFILE {
                    usleep(100_000)
                    continue
                }
                break
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let connection = ControlConnection(descriptor: descriptor, sendPatience: patience)
            guard isWelcome(connection) else { continue }
            Thread.start {
                self.serve(connection)
                self.conversations.withLock { $0.count -|= 1 }
            }
        }
    }

    /// Whether the connection is accepted. At the limit, the oldest one without a request is closed
    /// for it.
    private func isWelcome(_ connection: ControlConnection) -> Bool {
        conversations.withLock { conversations in
            guard conversations.count < Self.limit * 2 else { return false }
            if conversations.count >= Self.limit {
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
        while let request = connection.receive(ControlRequest.self, within: patience) {
            noteSpoken(connection)
            defer { conversations.withLock { $0.silent.append(connection) } }
            log.debug("control request", metadata: ["command": "\(request.command.rawValue)"])
            answer(request, on: connection)
        }
    }

    private func noteSpoken(_ connection: ControlConnection) {
        conversations.withLock { $0.silent.removeAll { $0 === connection } }
    }

    private func answer(_ request: ControlRequest, on connection: ControlConnection) {
        var reply = ControlReply()
        switch request.command {
        case .status:
            reply.status = service.status()
        case .sync:
            reply.outcome = Drain(limit: request.timeout)
                .run(
                    service, isHurried: ending.hasEnded,
                    isAbandoned: { connection.isAbandoned },
                    report: { backlog in
                        var progress = ControlReply()
                        progress.progress = backlog
                        return connection.send(progress)
                    })
        case .finish:
            return awaitEnd(limit: request.timeout, on: connection)
        case .hurry:
            ending.isHurried.set()
            reply.isAccepted = true
        case .newLogin:
            service.loginChanged()
            reply.isAccepted = true
        case .clearCache, .verifyCache:
            answerCache(request, &reply)
        case .set:
            Self.answer(&reply) { reply throws(CommandError) in
                reply.limits = try service.change(request.settings ?? [])
            }
        case .revisions, .restore:
            answerHistory(request, &reply)
        case .link:
            Self.answer(&reply) { reply throws(CommandError) in
                reply.link = try service.link(to: request.paths?.first ?? "")
            }
        case .conflicts:
            Self.answer(&reply) { reply throws(CommandError) in
                try answerConflicts(request, &reply, on: connection)
            }
        case .pin, .unpin, .pins:
            answerPins(request, &reply, on: connection)
        }
        connection.send(reply)
    }

    /// Lets `body` fill in the reply, or sets the failure.
    private static func answer(
        _ reply: inout ControlReply,
        _ body: (inout ControlReply) throws(CommandError) -> Void
    ) {
        do throws(CommandError) {
            try body(&reply)
        } catch {
            reply.failure = error.message
        }
    }

    private func answerHistory(_ request: ControlRequest, _ reply: inout ControlReply) {
        let path = request.paths?.first ?? ""
        Self.answer(&reply) { reply throws(CommandError) in
            if request.command == .restore {
                reply.restored = try service.restore(path, to: request.revision)
            } else {
                reply.revisions = try service.revisions(of: path, limit: request.limit ?? 10)
            }
        }
    }

    /// Sends as many lines as needed, because a line is limited to a mebibyte.
    private func answerConflicts(
        _ request: ControlRequest, _ reply: inout ControlReply, on connection: ControlConnection
    ) throws(CommandError) {
        var rest = try service.conflicts(below: request.paths?.first ?? "")[...]
        while !rest.isEmpty {
            var piece = ControlReply()
            piece.conflicts = Array(rest.prefix(Self.conflictsPerLine))
            guard connection.send(piece) else { return }
            rest = rest.dropFirst(Self.conflictsPerLine)
        }
        reply.conflicts = []
        reply.isTreeKnown = service.isTreeKnown
    }

    /// Conflicts per line: two paths each, of up to 4,096 bytes, most of which take two in JSON at
    /// worst.
    private static let conflictsPerLine = 50

    /// Seconds between two checks whether a client still waits for the mount's end.
    private static let abandonedPause = 1.0

    private func awaitEnd(limit: Double?, on connection: ControlConnection) {
        ending.listeners.enter()
        defer { ending.listeners.leave() }
        var acceptance = ControlReply()
        acceptance.isAccepted = true
        let number = ending.ask(limit: limit)
        guard connection.send(acceptance) else { return ending.withdraw(number) }
        while !ending.hasEnded.wait(seconds: Self.abandonedPause) {
            // The mount is still in use, and its client has given up.
            if connection.isAbandoned { return ending.withdraw(number) }
        }
        var reply = ControlReply()
        reply.outcome = ending.waitForOutcome()
        connection.send(reply)
    }

    private func answerPins(
        _ request: ControlRequest, _ reply: inout ControlReply, on connection: ControlConnection
    ) {
        let paths = request.paths ?? []
        Self.answer(&reply) { reply throws(CommandError) in
            switch request.command {
            case .pin:
                try service.setPins(true, at: paths)
                reply.pinOutcome = try PinWait(limit: request.timeout)
                    .run(
                        service, paths, isHurried: ending.isHurried,
                        isAbandoned: { connection.isAbandoned },
                        report: { progress in
                            var reply = ControlReply()
                            reply.pinProgress = progress
                            return connection.send(reply)
                        })
            case .unpin:
                try service.setPins(false, at: paths)
                reply.isAccepted = true
            default:
                reply.pins = try service.pins()
            }
        }
    }

    private func answerCache(_ request: ControlRequest, _ reply: inout ControlReply) {
        Self.answer(&reply) { reply throws(CommandError) in
            if request.command == .clearCache {
                reply.freedBytes = try service.clearCache(
                    includingPinned: request.includesPinned ?? false)
            } else {
                reply.cache = try service.verifyCache()
            }
        }
    }
}

/// Coordinates a mount's end between the process that detaches it and the one that serves it.
package final class MountEnding: Sendable {
    /// Set by a second signal or by a command: stop waiting for the queue.
    package let isHurried = Latch()
    /// Set after everything is closed.
    package let hasEnded = Latch()
    /// Clients that wait for the outcome.
    let listeners = DispatchGroup()
    private let state = Mutex(State())

    private struct State {
        var standard: Double?
        /// The timeouts of waiting clients, the latest last.
        var asked: [(number: Int, limit: Double?)] = []
        var lastNumber = 0
        var outcome: DrainOutcome?
    }

    /// Waits at most this long for the queue after the mount was detached, in seconds, unless
    /// `setLimit` changes it.
    package init(standardLimit: Double) {
        state.withLock { $0.standard = standardLimit }
    }

    /// Timeout in seconds for the queue after the mount was detached; nil for none. The last
    /// waiting client decides.
    package var limit: Double? {
        state.withLock { state in
            if let last = state.asked.last { return last.limit }
            return state.standard
        }
    }

    /// Sets the timeout for the queue, in place of those that clients have asked for.
    package func setLimit(_ seconds: Double?) {
        state.withLock { state in
            state.standard = seconds
            state.asked = []
        }
    }

    /// Sets the timeout of a waiting client. Returns the number by which it is withdrawn.
    func ask(limit: Double?) -> Int {
        state.withLock { state in
            state.lastNumber &+= 1
            state.asked.append((state.lastNumber, limit))
            return state.lastNumber
        }
    }

    /// Forgets the timeout of a client that no longer waits.
    func withdraw(_ number: Int) {
        state.withLock { $0.asked.removeAll { $0.number == number } }
    }

    /// Sets the outcome and releases all waiting clients.
    package func end(_ outcome: DrainOutcome) {
        state.withLock { $0.outcome = outcome }
        hasEnded.set()
    }

    /// Blocks until the outcome is set.
    func waitForOutcome() -> DrainOutcome? {
        hasEnded.wait()
        return state.withLock { $0.outcome }
    }
}
