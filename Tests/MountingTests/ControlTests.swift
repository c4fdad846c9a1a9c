// Commands and a mount, talking over a real socket; the mount is a stand-in. Not responsible for
// when a wait for the queue ends (`DrainTests`).

import Blocking
import Foundation
import Glibc
import LocalIO
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Mounting

@Suite struct ControlTests {
    private static let mountpoint = "/mnt/a b"
    private let temporary: TemporaryFolder
    private let folder: ControlFolder
    private let ending = MountEnding(standardLimit: 60)

    init() throws {
        temporary = try TemporaryFolder()
        // Deeper than the 107 bytes that a socket's address holds.
        let deep = String(repeating: "/deep-folder", count: 15)
        folder = ControlFolder(path: temporary.path + deep)
    }

    private func server(
        _ service: StandIn, timeout: Int = ControlServer.standardTimeout, isStarted: Bool = true
    ) throws -> ControlServer {
        let server = try ControlServer(
            folder: folder, mountpoint: Self.mountpoint, service: service, ending: ending,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, timeout: timeout)
        if isStarted { server.start() }
        return server
    }

    private func connect() throws -> ControlConnection {
        try #require(try ControlClient(folder: folder).connect(to: Self.mountpoint))
    }

    private func replies(_ request: ControlRequest) throws -> [ControlReply] {
        let connection = try connect()
        connection.send(request)
        var replies: [ControlReply] = []
        while let reply = connection.receive(ControlReply.self) {
            replies.append(reply)
            if reply.progress == nil { break }
        }
        return replies
    }

    @Test("status is what the mount says")
    func status() throws {
        let server = try server(StandIn(operations: 7))
        defer { server.stop() }
        let status = try #require(try replies(ControlRequest(.status)).first?.status)
        #expect(status.mountpoint == Self.mountpoint)
        #expect(status.pendingOperations == 7)
        #expect(ControlClient(folder: folder).allMounts() == [status])
    }

    @Test("a mount's socket is seen although its process does not answer, or is dead")
    func deadSocket() throws {
        let client = ControlClient(folder: folder)
        #expect(!client.hasSocket(for: Self.mountpoint))
        let hanging = try server(StandIn(operations: 7), isStarted: false)
        #expect(client.hasSocket(for: Self.mountpoint))
        #expect(!client.hasSocket(for: "/mnt/other"))
        hanging.stop()
        #expect(!client.hasSocket(for: Self.mountpoint))
        // As a process that was killed leaves it.
        close(try folder.socket(for: Self.mountpoint).listen())
        #expect(client.hasSocket(for: Self.mountpoint))
        #expect(client.allMounts().isEmpty)
    }

    @Test("a mount that does not answer is named, and one that has ended is not")
    func survey() throws {
        let client = ControlClient(folder: folder)
        func survey(_ listed: [String], _ holding: [String] = []) -> MountSurvey {
            client.survey(timeout: 1, listed: { listed }, holding: { holding })
        }
        #expect(survey([Self.mountpoint]) == MountSurvey())
        let hanging = try server(StandIn(operations: 7), isStarted: false)
        let silent = MountSurvey(
            unanswered: [.init(mountpoint: Self.mountpoint, state: .silent)])
        #expect(survey(["/mnt/other", Self.mountpoint]) == silent)
        // Detached, and still uploading.
        #expect(survey([], ["/mnt/other", Self.mountpoint]) == silent)
        #expect(survey([]).unanswered.map(\.state) == [.silent])
        hanging.stop()
        // As a process that was killed leaves it.
        close(try folder.socket(for: Self.mountpoint).listen())
        #expect(
            survey([Self.mountpoint]).unanswered
                == [.init(mountpoint: Self.mountpoint, state: .gone)])
        #expect(survey([], [Self.mountpoint]) == MountSurvey())
    }

    @Test("a path is resolved up to a mount, and nothing below it is accessed")
    func partlyResolved() throws {
        let root = resolvedPath(temporary.path)
        let manager = FileManager.default
        try manager.createDirectory(
            atPath: root + "/mount/folder", withIntermediateDirectories: true)
        try manager.createSymbolicLink(atPath: root + "/link", withDestinationPath: "./x/../mount")
        try manager.createSymbolicLink(
            atPath: root + "/mount/inside", withDestinationPath: root + "/mount/folder")
        func resolved(_ path: String) -> PartlyResolvedPath {
            resolvedPath(root + path) { $0 == root + "/mount" }
        }
        let mount = root + "/mount"
        #expect(resolved("/link") == .init(folder: mount, path: mount))
        #expect(resolved("/link/inside/a") == .init(folder: mount, path: mount + "/inside/a"))
        #expect(resolved("/other/a") == .init(folder: nil, path: root + "/other/a"))
        try manager.createSymbolicLink(atPath: root + "/circle", withDestinationPath: "circle")
        #expect(resolved("/circle/a") == .init(folder: nil, path: root + "/circle/a"))
    }

    @Test(
        "a mount that root does not find among its own is a system mount", arguments: [true, false])
    func scope(isRoot: Bool) throws {
        let environment = try Environment(
            ["HOME": temporary.path, "XDG_STATE_HOME": temporary.path + "/state"], isRoot: isRoot)
        let own = try ControlServer(
            folder: ControlFolder(path: environment.runtimeFolder), mountpoint: Self.mountpoint,
            service: StandIn(operations: 7, device: "0:45"), ending: ending,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        own.start()
        defer { own.stop() }
        func scope(_ mountpoint: String, _ device: String?) throws -> Environment.Scope {
            try environment.scope(ofMountAt: mountpoint, device: device)
        }
        #expect(try scope(Self.mountpoint, "0:45") == .user)
        #expect(try scope("/mnt/bound", "0:45") == .user)
        #expect(try scope("/mnt/other", "0:46") == (isRoot ? .system : .user))
    }

    @Test("a request before the mount serves is answered as soon as it does")
    func early() throws {
        let server = try server(StandIn(operations: 7), isStarted: false)
        defer { server.stop() }
        let connection = try connect()
        connection.send(ControlRequest(.status))
        server.start()
        #expect(connection.receive(ControlReply.self)?.status?.pendingOperations == 7)
    }

    @Test("sync shows the queue shrinking, then says that nothing is left")
    func sync() throws {
        let server = try server(StandIn(operations: 3, drainsByItself: true))
        defer { server.stop() }
        let replies = try replies(ControlRequest(.sync))
        #expect(replies.compactMap(\.progress?.operations) == [3, 2, 1])
        #expect(replies.last?.outcome == DrainOutcome(remaining: 0))
    }

    @Test("sync with a limit counts the rest of the queue when time is up")
    func syncTimeout() throws {
        let server = try server(StandIn(operations: 2))
        defer { server.stop() }
        let outcome = try replies(ControlRequest(.sync, timeout: 0.1)).last?.outcome
        #expect(outcome == DrainOutcome(remaining: 2, reason: "time was up"))
    }

    @Test("a client that hangs up while the queue stands still makes room for others")
    func abandonedSync() async throws {
        let server = try server(StandIn(operations: 2))
        defer { server.stop() }
        // Twice as many as the server converses with at a time.
        for _ in 0..<128 {
            // The server refuses a connection until it has noticed the end of an earlier one.
            try await waitWhile {
                let connection = try connect()
                defer { connection.end() }
                connection.send(ControlRequest(.sync))
                return connection.receive(ControlReply.self)?.progress?.operations != 2
            }
        }
    }

    @Test("a client that announces the mount's end gets the outcome when it is over")
    func finish() throws {
        let server = try server(StandIn(operations: 0))
        let connection = try connect()
        connection.send(ControlRequest(.finish, timeout: 5))
        #expect(connection.receive(ControlReply.self)?.isAccepted == true)
        #expect(ending.limit == 5)
        ending.end(DrainOutcome(remaining: 4, reason: "offline"))
        #expect(
            connection.receive(ControlReply.self)?.outcome
                == DrainOutcome(remaining: 4, reason: "offline"))
        server.stop()
    }

    @Test("hurry reaches a mount that sends its rest, and no other", arguments: [true, false])
    func hurry(isFinishing: Bool) throws {
        let server = try server(
            StandIn(operations: 0, state: isFinishing ? .finishing : .online))
        defer { server.stop() }
        #expect(try replies(ControlRequest(.hurry)).last?.isAccepted == true)
        #expect(ending.isHurried.hasHappened == isFinishing)
    }

    @Test("a new login reaches the mounts of its account, and no others")
    func newLogin() throws {
        let service = StandIn(operations: 0)
        let server = try server(service)
        defer { server.stop() }
        let client = ControlClient(folder: folder)
        client.announceLogin(account: "other")
        #expect(service.logins.withLock { $0 } == 0)
        client.announceLogin(account: "work")
        #expect(service.logins.withLock { $0 } == 1)
    }

    @Test("cache commands bring back results and failures")
    func cache() throws {
        let server = try server(StandIn(operations: 0))
        defer { server.stop() }
        #expect(try replies(ControlRequest(.clearCache)).last?.freedBytes == 4096)
        #expect(
            try replies(ControlRequest(.verifyCache)).last?.failure == "the disk does not answer")
        let all = ControlRequest(.clearCache, includesPinned: true)
        #expect(try replies(all).last?.freedBytes == 8192)
    }

    @Test("conflicted copies come in pieces, and the last one says that it is")
    func conflicts() throws {
        let server = try server(StandIn(operations: 0))
        defer { server.stop() }
        let connection = try connect()
        connection.send(ControlRequest(.conflicts, paths: ["/docs"]))
        var paths: [String] = []
        var reply = try #require(connection.receive(ControlReply.self))
        while let copies = reply.conflicts, !copies.isEmpty {
            #expect(reply.isTreeKnown == nil)
            paths += copies.map(\.path)
            reply = try #require(connection.receive(ControlReply.self))
        }
        #expect(paths == (1...120).map { "/docs/\($0)" })
        #expect(reply.isTreeKnown == true)
        #expect(
            try replies(ControlRequest(.conflicts, paths: ["/no"])).last?.failure
                == "there is no '/no'")
    }

    @Test("revisions and the result of a restoration come back, or an error")
    func history() throws {
        let server = try server(StandIn(operations: 0))
        defer { server.stop() }
        let list = try replies(ControlRequest(.revisions, paths: ["/docs/a"], limit: 7)).last
        #expect(list?.revisions?.revisions.map(\.rev) == ["r7"])
        #expect(list?.revisions?.deleted == 4)
        let none = try replies(ControlRequest(.revisions, paths: ["/no"], limit: 7)).last
        #expect(none?.failure == "'/no' has no revisions: none")
        let restored = try replies(ControlRequest(.restore, paths: ["/docs/a"], revision: "r1"))
        #expect(restored.last?.restored?.rev == "r1")
        let refused = try replies(ControlRequest(.restore, paths: ["/docs/a"])).last
        #expect(refused?.failure?.contains("--rev") == true)
    }

    @Test("a link comes back, or why there is none")
    func link() throws {
        let server = try server(StandIn(operations: 0))
        defer { server.stop() }
        let found = try replies(ControlRequest(.link, paths: ["/docs"])).last?.link
        #expect(found == LinkReport(url: "https://example.com/x", isNew: true))
        let failure = try replies(ControlRequest(.link, paths: ["/no"])).last?.failure
        #expect(failure == "there can be no link to '/no': none")
    }

    @Test("settings are changed all together or not at all")
    func set() throws {
        let service = StandIn(operations: 0)
        let server = try server(service)
        defer { server.stop() }
        let wanted = [
            MountOptionSetting("bwlimit_up", "2K"), MountOptionSetting("write_delay", "1m"),
        ]
        let limits = try replies(ControlRequest(.set, settings: wanted)).last?.limits
        #expect(limits == LiveSettings(uploadRate: 2048, cacheSize: 10, writeDelay: 60))
        let half = [
            MountOptionSetting("bwlimit_up", "none"), MountOptionSetting("fsync", "remote"),
        ]
        let failure = try replies(ControlRequest(.set, settings: half)).last?.failure
        #expect(failure?.contains("'fsync' cannot be changed") == true)
        #expect(service.settings.withLock { $0 } == limits)
    }

    @Test("a client that pins gets the progress, until all content is here")
    func pins() throws {
        let server = try server(StandIn(operations: 0))
        defer { server.stop() }
        let connection = try connect()
        connection.send(ControlRequest(.pin, paths: ["/docs"]))
        #expect(connection.receive(ControlReply.self)?.pinProgress?.presentFiles == 1)
        #expect(connection.receive(ControlReply.self)?.pinProgress?.presentFiles == 2)
        let outcome = connection.receive(ControlReply.self)?.pinOutcome
        #expect(outcome?.progress.presentFiles == 3 && outcome?.reason == nil)
        connection.send(ControlRequest(.pins))
        #expect(connection.receive(ControlReply.self)?.pins?.map(\.path) == ["/docs"])
        connection.send(ControlRequest(.unpin, paths: ["/docs"]))
        #expect(connection.receive(ControlReply.self)?.isAccepted == true)
        connection.send(ControlRequest(.pin, paths: ["/none"]))
        #expect(connection.receive(ControlReply.self)?.failure == "there is no '/none'")
    }

    @Test("nonsense ends the conversation, and the next one works")
    func nonsense() throws {
        let server = try server(StandIn(operations: 1))
        defer { server.stop() }
        let connection = try connect()
        connection.send(["command": "format-disk"])
        #expect(connection.receive(ControlReply.self) == nil)
        #expect(try replies(ControlRequest(.status)).last?.status != nil)
    }

    @Test("connections that say half a line do not keep commands out")
    func silentCrowd() throws {
        let server = try server(StandIn(operations: 1))
        defer { server.stop() }
        let crowd = try (0..<200).map { _ in
            let connection = try connect()
            connection.sendPart(#"{"command":"#)
            return connection
        }
        #expect(try replies(ControlRequest(.status)).last?.status != nil)
        withExtendedLifetime(crowd) {}
    }

    @Test("a client that asks and never reads does not keep commands out")
    func unreadAnswers() async throws {
        let server = try server(StandIn(operations: 1), timeout: 1)
        defer { server.stop() }
        // As many as are served at a time, each in the middle of an answer that its socket does not
        // hold.
        let crowd = try (0..<64).map { _ in
            let connection = try connect()
            connection.send(ControlRequest(.conflicts, paths: ["/many"]))
            #expect(connection.receive(ControlReply.self)?.conflicts?.isEmpty == false)
            return connection
        }
        try await waitWhile { try replies(ControlRequest(.status)).last?.status == nil }
        // An answer that was given up ends early. Which one that is first depends on the scheduler.
        #expect(crowd.contains { !receivesWholeAnswer($0) })
    }

    private func receivesWholeAnswer(_ connection: ControlConnection) -> Bool {
        while let reply = connection.receive(ControlReply.self) {
            if reply.isTreeKnown != nil { return true }
        }
        return false
    }

    @Test("a request that does not come whole within its time ends the conversation")
    func slow() throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let (near, far) = (
            ControlConnection(descriptor: ends[0]), ControlConnection(descriptor: ends[1])
        )
        far.sendPart(#"{"command":"#)
        // Without an end, this would wait for the rest, which comes later.
        #expect(near.receiveLine(within: 1) == nil)
        far.sendPart("\"status\"}\n")
        #expect(near.receiveLine(within: 60).flatMap(ControlCommand.init(of:)) == .status)
    }

    @Test("only the owner can reach the socket")
    func permissions() throws {
        let server = try server(StandIn(operations: 0))
        defer { server.stop() }
        let manager = FileManager.default
        #expect(
            try manager.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int == 0o700)
        let socket = folder.path + "/" + folder.socketName(for: Self.mountpoint)
        #expect(try manager.attributesOfItem(atPath: socket)[.posixPermissions] as? Int == 0o600)
    }

    @Test("a socket that a dead process left is no mount, and is replaced by the next one")
    func leftover() throws {
        let socket = folder.path + "/" + folder.socketName(for: Self.mountpoint)
        do {
            let server = try server(StandIn(operations: 0))
            try FileManager.default.linkItem(atPath: socket, toPath: socket + ".kept")
            server.stop()
        }
        try FileManager.default.moveItem(atPath: socket + ".kept", toPath: socket)
        // The listener is closed by its own thread.
        while try ControlClient(folder: folder).connect(to: Self.mountpoint) != nil {
            sched_yield()
        }
        #expect(ControlClient(folder: folder).allMounts().isEmpty)
        let server = try server(StandIn(operations: 5))
        defer { server.stop() }
        #expect(try replies(ControlRequest(.status)).last?.status?.pendingOperations == 5)
    }
}
