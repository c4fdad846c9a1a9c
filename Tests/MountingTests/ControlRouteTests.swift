// Each command, sent by a program of this version: to a mount of this version, and as the line that
// mounts of other versions read.

import Foundation
import Logging
import TestSupport
import Synchronization
import Testing

@testable import Mounting

@Suite struct ControlRouteTests {
    private static let mountpoint = "/mnt/a b"

    /// A program and a mount, with what the program sends and gets.
    private func withMount(
        _ service: StandIn, _ body: (ControlConnection) throws -> Void
    ) throws {
        let temporary = try TemporaryFolder()
        let folder = ControlFolder(path: temporary.path)
        let server = try ControlServer(
            folder: folder, mountpoint: Self.mountpoint, service: service,
            ending: MountEnding(standardLimit: 60),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        server.start()
        defer { server.stop() }
        try body(try #require(try ControlClient(folder: folder).connect(to: Self.mountpoint)))
    }

    @Test("the table has each command once, under its own name")
    func table() {
        for command in ControlCommand.allCases { #expect(command.route.command == command) }
    }

    @Test("replies come with their types")
    func replies() throws {
        try withMount(StandIn(operations: 1)) { mount in
            let place = Self.mountpoint
            #expect(try mount.ask(ControlRoutes.status, about: place).status.pendingOperations == 1)
            let all = ClearCacheRequest(includesPinned: true)
            #expect(try mount.ask(ControlRoutes.clearCache, all, about: place).freedBytes == 8192)
            let docs = PathsRequest(paths: ["/docs"])
            #expect(try mount.ask(ControlRoutes.link, docs, about: place).link.isNew)
            let pin = PinRequest(paths: ["/docs"], timeout: nil)
            guard case .progress(let first) = try mount.ask(ControlRoutes.pin, pin, about: place)
            else { throw Unexpected() }
            #expect(first.presentFiles == 1)
            _ = try mount.next(ControlRoutes.pin, about: place)
            guard case .outcome(let last) = try mount.next(ControlRoutes.pin, about: place)
            else { throw Unexpected() }
            #expect(last.progress.presentFiles == 3)
            #expect(try mount.ask(ControlRoutes.pins, about: place).pins.map(\.path) == ["/docs"])
            #expect(try mount.ask(ControlRoutes.unpin, docs, about: place).isAccepted)
            let sync = TimedRequest(timeout: 0)
            #expect(
                try mount.ask(ControlRoutes.sync, sync, about: place)
                    == .outcome(DrainOutcome(remaining: 1, reason: "time was up")))
            #expect(try mount.ask(ControlRoutes.finish, sync, about: place) == .accepted)
        }
    }

    @Test("any number of pins is listed, and pinned, although a line is limited")
    func manyPins() throws {
        let service = StandIn(operations: 0)
        service.pinned.withLock { $0 = 3 }
        service.morePins.withLock { $0 = 320 }
        try withMount(service) { mount in
            var reply = try mount.ask(ControlRoutes.pins, about: Self.mountpoint)
            var paths = reply.pins.map(\.path)
            while reply.isPart == true {
                reply = try mount.next(ControlRoutes.pins, about: Self.mountpoint)
                paths += reply.pins.map(\.path)
            }
            #expect(Set(paths).count == 321)
        }
        // A control character takes six bytes.
        let worst = (0..<1000).map { "/" + String(repeating: "\u{1}", count: 1000) + "\($0)" }
        let pieces = PathsRequest.pieces(of: worst)
        #expect(pieces.flatMap(\.self) == worst)
        for paths in pieces {
            let line = try line(ControlRoutes.pin, PinRequest(paths: paths, timeout: nil))
            #expect(line.utf8.count < 1 << 20)
        }
        #expect(PathsRequest.pieces(of: []).isEmpty)
        #expect(PathsRequest.pieces(of: ["", "/a"]) == [["", "/a"]])
    }

    @Test("a pause ends a wait for the queue, and the history is written on demand")
    func pause() throws {
        let service = StandIn(operations: 1)
        try withMount(service) { mount in
            let place = Self.mountpoint
            let pause = PauseRequest(isPaused: true, seconds: 60)
            let isPaused = try mount.ask(ControlRoutes.pause, pause, about: place).isAccepted
            #expect(isPaused)
            let end = try mount.ask(
                ControlRoutes.sync, TimedRequest(timeout: nil), about: place)
            let reason = "paused, run: dbxfs resume"
            #expect(end == .outcome(DrainOutcome(remaining: 1, reason: reason)))
            let isWritten = try mount.ask(ControlRoutes.writeHistory, about: place).isAccepted
            #expect(isWritten)
        }
        #expect(service.written.withLock { $0 } == 1)
    }

    @Test("a failure is an error with the mount's reason")
    func failure() throws {
        try withMount(StandIn(operations: 0)) { mount in
            #expect(throws: CommandError.system("the disk does not answer")) {
                try mount.ask(ControlRoutes.verifyCache, about: Self.mountpoint)
            }
            // The conversation goes on.
            let next = try mount.ask(ControlRoutes.hurry, about: Self.mountpoint)
            #expect(next.isAccepted)
        }
    }

    @Test("a reply of another type, and the end, are errors about the mount")
    func strange() throws {
        let (near, far) = try ControlConnection.pair()
        far.sendPart("{\"pins\":[]}\n")
        #expect(throws: CommandError.self) { try near.next(ControlRoutes.link, about: "/m") }
        far.end()
        #expect(throws: CommandError.processGone("/m")) {
            try near.next(ControlRoutes.link, about: "/m")
        }
    }

    /// The line of a request, with its fields in order of their names.
    private func line<Request, Reply>(
        _ route: ControlRoute<Request, Reply>, _ request: Request
    ) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = RequestLine(command: route.command, fields: request)
        return String(decoding: try encoder.encode(line), as: UTF8.self)
    }

    @Test("a request has the fields that mounts of version 0.1.0 read")
    func lines() throws {
        #expect(try line(ControlRoutes.status, NoFields()) == #"{"command":"status"}"#)
        #expect(
            try line(ControlRoutes.sync, TimedRequest(timeout: nil)) == #"{"command":"sync"}"#)
        #expect(
            try line(ControlRoutes.finish, TimedRequest(timeout: 2.5))
                == #"{"command":"finish","timeout":2.5}"#)
        #expect(
            try line(ControlRoutes.pin, PinRequest(paths: ["/a"], timeout: 3))
                == #"{"command":"pin","paths":["/a"],"timeout":3}"#)
        #expect(
            try line(ControlRoutes.clearCache, ClearCacheRequest(includesPinned: true))
                == #"{"command":"cache-clear","includesPinned":true}"#)
        #expect(
            try line(ControlRoutes.revisions, RevisionsRequest(path: "/a", limit: 4))
                == #"{"command":"revisions","limit":4,"paths":["/a"]}"#)
        #expect(
            try line(ControlRoutes.restore, RestoreRequest(path: "/a", revision: "r"))
                == #"{"command":"restore","paths":["/a"],"revision":"r"}"#)
        #expect(
            try line(ControlRoutes.undo, UndoRequest(path: "/a", before: 7))
                == #"{"before":7,"command":"undo","paths":["/a"]}"#)
        #expect(
            try line(ControlRoutes.importContent, ImportRequest(folder: "/old"))
                == #"{"command":"import","folder":"/old"}"#)
        let setting = MountOptionSetting("bwlimit_up", "2K")
        #expect(
            try line(ControlRoutes.set, SettingsRequest(settings: [setting]))
                == #"{"command":"set","settings":[{"name":"bwlimit_up","value":"2K"}]}"#)
        #expect(
            try line(ControlRoutes.conflicts, PathsRequest(paths: [""]))
                == #"{"command":"conflicts","paths":[""]}"#)
    }

    private struct Unexpected: Error {}
}

extension ControlConnection {
    /// Two ends of one connection.
    static func pair() throws -> (ControlConnection, ControlConnection) {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return (ControlConnection(descriptor: ends[0]), ControlConnection(descriptor: ends[1]))
    }
}
