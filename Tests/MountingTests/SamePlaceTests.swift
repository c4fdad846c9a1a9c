// Mounts at one place: those that are unmounted and still send, the one that is mounted now, and
// those that come at the same moment.

import Dispatch
import Glibc
import LocalFiles
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Mounting

@Suite struct SamePlaceTests {
    private static let mountpoint = "/mnt/a b"
    private let temporary: TemporaryFolder
    private let folder: ControlFolder
    private let client: ControlClient
    private let ending = MountEnding(standardLimit: 60)

    init() throws {
        temporary = try TemporaryFolder()
        folder = ControlFolder(path: temporary.path + "/run")
        client = ControlClient(folder: folder)
    }

    private func server(
        _ operations: Int, device: String? = nil, process: Int32 = 0
    ) throws -> ControlServer {
        let server = try ControlServer(
            folder: folder, mountpoint: Self.mountpoint,
            service: StandIn(operations: operations, device: device, process: process),
            ending: ending, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        server.start()
        return server
    }

    /// The queue of the mount that a command reaches.
    private func reached(device: String? = nil) throws -> Int? {
        try client.connect(to: Self.mountpoint, device: device)?.status(timeout: 10)?
            .pendingOperations
    }

    private var all: [Int] { client.allMounts().map(\.pendingOperations).sorted() }

    @Test("the latest mount is reached, whichever of those before it ends when")
    func ends() throws {
        let first = try server(1)
        let second = try server(2)
        #expect(try reached() == 2)
        #expect(all == [1, 2])
        first.stop()
        #expect(try reached() == 2)
        #expect(all == [2])
        // Number 0 is free again, but the one that is reached comes after the others.
        let third = try server(3)
        #expect(try reached() == 3)
        third.stop()
        #expect(try reached() == 2)
        second.stop()
        #expect(try reached() == nil)
        #expect(!client.hasSocket(for: Self.mountpoint))
        #expect(folder.sockets().isEmpty)
    }

    @Test("a mount that could not be made leaves the socket of the one that won")
    func loser() throws {
        let winner = try server(1)
        defer { winner.stop() }
        try server(2).stop()
        #expect(try reached() == 1)
    }

    @Test("dead sockets are replaced, also beside one that is served")
    func dead() throws {
        let living = try server(1)
        defer { living.stop() }
        close(try folder.socket(for: Self.mountpoint, number: 3).listen())
        #expect(try reached() == 1)
        let next = try server(2)
        defer { next.stop() }
        #expect(try reached() == 2)
        #expect(folder.sockets().count == 2)
    }

    @Test("a dead socket with a number is named, and one that is left beside a mount is not")
    func survey() throws {
        func survey() -> MountSurvey {
            client.survey(timeout: 1, listed: { [Self.mountpoint] }, holding: { [] })
        }
        let gone = UnansweredMount(mountpoint: Self.mountpoint, state: .gone)
        try makePrivateFolder(folder.path)
        // As processes that were killed leave them.
        close(try folder.socket(for: Self.mountpoint, number: 1).listen())
        #expect(survey().unanswered == [gone])
        close(try folder.socket(for: Self.mountpoint).listen())
        #expect(survey().unanswered == [gone])
        unlink(folder.socket(for: Self.mountpoint, number: 1).path)
        let socket = folder.socket(for: Self.mountpoint)
        unlink(socket.path)
        let first = try server(1)
        let second = try server(2)
        first.stop()
        close(try socket.listen())
        #expect(survey().unanswered.isEmpty)
        #expect(survey().answers.map(\.pendingOperations) == [2])
        second.stop()
    }

    @Test("a listener removes no socket that has taken the place of its own")
    func replaced() throws {
        let socket = folder.socket(for: Self.mountpoint)
        try makePrivateFolder(folder.path)
        let listener = try SocketListener(socket)
        unlink(socket.path)
        let other = try SocketListener(socket)
        listener.stop()
        #expect(socket.isServed)
        other.stop()
        #expect(socket.isMissing)
    }

    @Test("a mount is found by its device: among those at a place, and at another place")
    func device() throws {
        let mounted = try server(1, device: "0:57", process: 7)
        defer { mounted.stop() }
        let other = try server(2, device: "0:58", process: 8)
        defer { other.stop() }
        #expect(try reached(device: "0:57") == 1)
        #expect(try reached(device: "0:58") == 2)
        // The process of that mount is dead, and neither of the others is it.
        #expect(try reached(device: "0:59") == nil)
        // A mount of an earlier version tells none.
        let earlier = try server(3)
        #expect(try reached(device: "0:59") == 3)
        earlier.stop()
        let elsewhere = try client.connect(to: "/bind", device: "0:57")
        #expect(elsewhere?.status(timeout: 10)?.pendingOperations == 1)
        #expect(try client.connect(to: "/bind", device: "0:59") == nil)
        #expect(try client.connect(to: "/bind") == nil)
        let process = try client.connect(to: Self.mountpoint, process: 7)
        #expect(process?.status(timeout: 10)?.pendingOperations == 1)
        #expect(try client.connect(to: Self.mountpoint, process: 9) == nil)
    }

    @Test("one process at a time mounts at a place; others wait, and give up at last")
    func holding() throws {
        let counted = Mutex(0)
        try folder.holding(Self.mountpoint, timeout: 0) { () throws(CommandError) in
            let error = #expect(throws: CommandError.self) {
                try folder.holding(Self.mountpoint, timeout: 0) {
                    counted.withLock { $0 += 1 }
                }
            }
            #expect(error?.message.contains("mounted at \(Self.mountpoint) already") == true)
            // Another place is another matter.
            try folder.holding("/mnt/other", timeout: 0) { counted.withLock { $0 += 1 } }
        }
        #expect(counted.withLock { $0 } == 1)
        #expect(throws: CommandError.self) {
            try folder.holding(Self.mountpoint, timeout: 0) { () throws(CommandError) in
                throw CommandError.nothingMounted
            }
        }
        #expect(folderNames(in: folder.path).isEmpty)
        let inside = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            try? folder.holding(Self.mountpoint, timeout: 60) {
                let isAlone = inside.withLock { inside in
                    inside += 1
                    return inside == 1
                }
                #expect(isAlone)
                inside.withLock { $0 -= 1 }
                counted.withLock { $0 += 1 }
            }
        }
        #expect(counted.withLock { $0 } == 9)
    }
}
