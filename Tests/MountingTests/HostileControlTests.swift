// Every line that a mount's socket was tried with: each is answered or ends the conversation, and
// the next command is served. What the mount makes of strange paths is in the scenario `strangers`.

import Blocking
import Glibc
import Logging
import TestSupport
import Testing

@testable import Mounting

@Suite struct HostileControlTests {
    /// The result of a line.
    enum Outcome: Sendable {
        /// It is no request: the conversation ends.
        case end
        /// It is one, and is answered.
        case answer
        /// It is one, and gets the reason why not.
        case failure
    }

    static let lines: [(String, Outcome)] = [
        ("", .end), (" ", .end), ("null", .end), ("7", .end), ("[]", .end), ("{}", .end),
        (#""status""#, .end),
        (#"{"command":"format-disk"}"#, .end), (#"{"command":7}"#, .end),
        (#"{"command":null}"#, .end),
        (#"{"command":["status"]}"#, .end), (#"{"command":"STATUS"}"#, .end),
        (#"{"command":"status""#, .end),
        (#"{'command':'status'}"#, .end), ("GET / HTTP/1.1\r", .end),
        ("\u{0}\u{1}\u{1b}[31m", .end),
        (String(repeating: "[", count: 513), .end), (String(repeating: "[", count: 200_000), .end),
        (String(repeating: #"{"a":"#, count: 100_000), .end),
        ("[" + String(repeating: "1,", count: 400_000) + "1]", .end),
        (#"{"command":"sync","timeout":NaN}"#, .end), (#"{"command":"sync","timeout":"1"}"#, .end),
        (#"{"command":"sync","timeout":1e999}"#, .end),
        (#"{"command":"pin","paths":"/"}"#, .end),
        (#"{"command":"pin","paths":[7]}"#, .end), (#"{"command":"revisions","limit":1.5}"#, .end),
        (#"{"command":"revisions","limit":9223372036854775808}"#, .end),
        (#"{"command":"cache-clear","includesPinned":1}"#, .end),
        (#"{"command":"set","settings":[1]}"#, .end),
        (#"{"command":"status","evil":[[[{}]]]}"#, .answer),
        (#"{"command":"status","paths":"/"}"#, .answer),
        (#"{"command":"st\u0061tus"}"#, .answer),
        (#"{"command":"sync","timeout":-1}"#, .answer),
        (#"{"command":"sync","timeout":-1e308}"#, .answer),
        (#"{"command":"sync","timeout":0}"#, .answer),
        (#"{"command":"sync","timeout":5e-324}"#, .answer),
        (#"{"command":"pin","paths":["/docs"],"timeout":-1}"#, .answer),
        (#"{"command":"revisions","paths":["/docs/a"],"limit":-9223372036854775808}"#, .answer),
        (#"{"command":"revisions","paths":["/docs/a"],"limit":9223372036854775807}"#, .answer),
        (#"{"command":"conflicts","paths":["/docs","/.."]}"#, .answer),
        (#"{"command":"set","settings":[]}"#, .answer),
        (#"{"command":"pin"}"#, .failure), (#"{"command":"pin","paths":[]}"#, .failure),
        (#"{"command":"unpin","paths":["/.."]}"#, .failure), (#"{"command":"link"}"#, .failure),
        (#"{"command":"link","paths":["../../etc/passwd"]}"#, .failure),
        (#"{"command":"link","paths":["/\u0000"]}"#, .failure),
        (#"{"command":"restore"}"#, .failure),
        (#"{"command":"undo","before":1e30}"#, .end), (#"{"command":"undo"}"#, .answer),
        (#"{"command":"undo","paths":["/.."],"before":-9223372036854775808}"#, .answer),
        (#"{"command":"import"}"#, .end), (#"{"command":"import","folder":"x"}"#, .failure),
        (#"{"command":"revisions","paths":["\u202e"]}"#, .failure),
        (#"{"command":"set","settings":[{"name":"fsync","value":"remote"}]}"#, .failure),
        (
            #"{"command":"set","settings":[{"name":"cache_size","value":"99999999999999999999"}]}"#,
            .failure
        ),
        (#"{"command":"set","settings":[{"name":"write_delay","value":"nan"}]}"#, .failure),
        (#"{"command":"set","settings":[{"name":"bwlimit_up"}]}"#, .failure),
    ]

    @Test("a line is answered or ends the conversation, and the next command is served")
    func requests() throws {
        let temporary = try TemporaryFolder()
        let folder = ControlFolder(path: temporary.path + "/run")
        let server = try ControlServer(
            folder: folder, mountpoint: "/m", service: StandIn(operations: 1),
            ending: MountEnding(standardLimit: 1),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        server.start()
        defer { server.stop() }
        let client = ControlClient(folder: folder)
        for (line, outcome) in Self.lines {
            let name = line.prefix(80)
            let connection = try #require(try client.connect(to: "/m"))
            connection.sendPart(line + "\n")
            var reply = connection.receive(ControlReply.self)
            while let some = reply, some.progress != nil || some.pinProgress != nil {
                reply = connection.receive(ControlReply.self)
            }
            switch outcome {
            case .end: #expect(reply == nil, "\(name)")
            case .answer:
                #expect(
                    reply != nil && reply?.failure == nil, "\(name): \(String(describing: reply))")
            case .failure: #expect(reply?.failure != nil, "\(name): \(String(describing: reply))")
            }
            #expect(try client.connect(to: "/m")?.status(timeout: 10) != nil, "\(name)")
        }
    }

    @Test("a line of more than a mebibyte ends the conversation")
    func endless() throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let far = ControlConnection(descriptor: ends[1], sendTimeout: 1)
        let near = ControlConnection(descriptor: ends[0])
        WorkerThread.start { far.sendPart(String(repeating: "[", count: 2 << 20)) }
        #expect(near.receiveLine(within: 30) == nil)
        near.end()
    }
}
