// The socket at which a mount of root answers the user of its files: the users that may ask, and
// their requests.

import Glibc
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Mounting

@Suite("Users of root's mounts") struct ServedUserTests {
    private static let mountpoint = "/mnt/a b"
    private let temporary: TemporaryFolder
    private let folder: ControlFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = ControlFolder(path: temporary.path + "/run-users")
    }

    private func server(_ service: StandIn, for user: uid_t = geteuid()) throws -> ControlServer {
        let server = try ControlServer(
            folder: folder, mountpoint: Self.mountpoint, service: service,
            ending: MountEnding(standardLimit: 60),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            servedUser: ServedUser(user))
        server.start()
        return server
    }

    private func connect() throws -> ControlConnection {
        try #require(try ControlClient(folder: folder).connect(to: Self.mountpoint))
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status.st_mode & 0o777
    }

    @Test("only the user of the files, and root, may ask")
    func peers() throws {
        let user = ServedUser(1234)
        #expect(user.admits(1234) && user.admits(0))
        #expect(!user.admits(1235) && !user.admits(nil))
        let server = try server(StandIn(operations: 7))
        defer { server.stop() }
        #expect(try connect().peerUser == geteuid())
    }

    @Test("another user gets the reason, and no answer")
    func stranger() throws {
        // Root may ask everything.
        guard geteuid() != 0 else { return }
        let server = try server(StandIn(operations: 7), for: geteuid() &+ 1)
        defer { server.stop() }
        #expect(throws: CommandError.system(ServedUser.refusal)) {
            try connect().ask(ControlRoutes.status, about: Self.mountpoint)
        }
    }

    @Test("the user may ask for the status, and wait, and change nothing")
    func requests() throws {
        let service = StandIn(operations: 0)
        let server = try server(service)
        defer { server.stop() }
        let connection = try connect()
        #expect(connection.status(timeout: 60)?.mountpoint == Self.mountpoint)
        for command in ControlCommand.allCases where !command.isForServedUsers {
            connection.send(RequestLine(command: command, fields: NoFields()))
            let line = try #require(connection.receiveLine(within: 60), "\(command)")
            let reply = String(decoding: line, as: UTF8.self)
            #expect(reply.contains(ServedUser.refusal), "\(command): \(reply)")
        }
        #expect(service.logins.withLock { $0 } == 0 && service.written.withLock { $0 } == 0)
        // The conversation goes on after a refusal.
        #expect(connection.status(timeout: 60) != nil)
        #expect(
            ControlCommand.allCases.filter(\.isForServedUsers)
                == [.status, .sync, .pins, .conflicts, .revisions])
    }

    @Test("all users can reach the socket, and no other user can put one in its place")
    func modes() throws {
        let server = try withUmask(0o077) { try self.server(StandIn(operations: 0)) }
        defer { server.stop() }
        #expect(try mode(folder.path) == 0o755)
        #expect(try mode(folder.socket(for: Self.mountpoint).path) == 0o666)
    }

    @Test("a link in the folder's place is not used")
    func link() throws {
        try #require(symlink("/tmp", folder.path) == 0)
        #expect(throws: CommandError.self) { try folder.makeForServedUsers() }
    }

    @Test("users search a folder beside that of root's sockets, and the mount's account is root's")
    func places() throws {
        let standard = try Environment(["HOME": "/home/u"])
        #expect(standard.servedFolder.path == "/run/dbxfs-users")
        #expect(try Environment([:], scope: .system).servedFolder == standard.servedFolder)
        #expect(standard.askedFolders.map(\.path).last == "/run/dbxfs-users")
        // Root would find each of them twice.
        let root = try Environment(["HOME": "/root"], isRoot: true)
        #expect(root.askedFolders == root.controlFolders)
        let moved = try Environment(
            ["HOME": "/home/u", "DBXFS_RUNTIME_DIR": temporary.path + "/run"])
        #expect(moved.servedFolder == folder)
        let server = try server(StandIn(operations: 0))
        defer { server.stop() }
        #expect(try moved.scope(ofMountAt: Self.mountpoint, device: nil) == .system)
        #expect(try moved.scope(ofMountAt: "/mnt/other", device: nil) == .user)
    }
}
