// The protocol of Dropbox's plug-ins for file managers: messages, commands, and the sockets.

import Glibc
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Mounting

/// A mount at /mnt for plug-ins.
private final class StandInDesktop: DesktopService {
    let states: [String: DesktopState]
    let performed = Mutex<[String]>([])

    init(_ states: [String: DesktopState]) {
        self.states = states
    }

    func desktopState(of path: String) -> DesktopState? { states[path] }
    var hasWebPages: Bool { true }
    var desktopStatus: [String] { ["Up to date"] }

    func perform(_ verb: DesktopVerb, on paths: [String]) {
        performed.withLock { $0.append("\(verb.rawValue) \(paths.joined(separator: ","))") }
    }

    func desktopLink(to path: String) throws(CommandError) -> String {
        guard states[path] != nil else { throw .nothingThere(path) }
        return "https://example.com/x"
    }
}

@Suite struct PluginMessageTests {
    private func request(_ lines: String...) -> PluginRequestReader.Step {
        var reader = PluginRequestReader()
        var step = PluginRequestReader.Step.incomplete
        for line in lines where step == .incomplete { step = reader.take(Array(line.utf8)) }
        return step
    }

    @Test("a request is a command, arguments with values, and done")
    func requests() {
        #expect(request("needs_link", "done") == .complete(PluginRequest(name: "needs_link")))
        #expect(
            request("a", "paths\t/x y\t/t\\tb\\\\n\\n", "path\t\\x", "done")
                == .complete(
                    PluginRequest(
                        name: "a",
                        arguments: ["paths": ["/x y", "/t\tb\\n\n"], "path": ["\\x"]])))
        // A combining mark does not hide a tab.
        #expect(
            request("a", "path\t\u{301}", "done")
                == .complete(PluginRequest(name: "a", arguments: ["path": ["\u{301}"]])))
    }

    @Test("an empty line behind the command is none, as Thunar sends one behind a verb")
    func emptyLine() {
        #expect(
            request("a", "paths\t/x", "verb\tpin", "", "done")
                == .complete(
                    PluginRequest(name: "a", arguments: ["paths": ["/x"], "verb": ["pin"]])))
        var reader = PluginRequestReader()
        #expect(reader.take(Array("a".utf8)) == .incomplete)
        for _ in 0..<20 { #expect(reader.take([]) == .incomplete) }
        #expect(reader.take([]) == .invalid)
    }

    @Test("several requests follow one another")
    func several() {
        var reader = PluginRequestReader()
        for _ in 0..<3 {
            #expect(reader.take(Array("a".utf8)) == .incomplete)
            for _ in 0..<20 { #expect(reader.take(Array("b\tc".utf8)) == .incomplete) }
            #expect(
                reader.take(Array("done".utf8))
                    == .complete(PluginRequest(name: "a", arguments: ["b": ["c"]])))
        }
    }

    @Test("lines that are no request end the conversation")
    func invalid() {
        #expect(request("done") == .invalid)
        #expect(request("") == .invalid)
        #expect(request("a", "no value") == .invalid)
        var reader = PluginRequestReader()
        #expect(reader.take([0xFF, 0xFE]) == .invalid)
        #expect(reader.take(Array("a".utf8)) == .incomplete)
        for _ in 0..<20 { _ = reader.take(Array("b\tc".utf8)) }
        #expect(reader.take(Array("b\tc".utf8)) == .invalid)
    }

    @Test("a reply is ok with results, or notok with a reason")
    func replies() {
        #expect(PluginReply.done([:]).text == "ok\ndone\n")
        #expect(
            PluginReply.done(["b": ["1\t2", "3\n"], "a": [""]]).text
                == "ok\na\t\nb\t1\\t2\t3\\n\ndone\n")
        #expect(PluginReply.refused("no\nsuch").text == "notok\nno\\nsuch\ndone\n")
        for text in ["", "a\\b", "\\n", "\t\n\\", "\\\\t", "é日"] {
            #expect(PluginText.unescaped(PluginText.escaped(text)) == text)
        }
        #expect(PluginText.encoded("a~b|c%d\n") == "a%7eb%7cc%25d%0a")
    }
}

@Suite struct PluginCommandTests {
    private let desktop = StandInDesktop([
        "/mnt/a": .init(progress: .upToDate, isPinned: true, hasOwnPin: true),
        "/mnt/b": .init(progress: .syncing),
        "/mnt/c": .init(progress: .problem),
        "/mnt/d": .init(progress: .onlyHere),
        "/mnt/e": .init(progress: .upToDate, isOnlineOnly: true),
        "/mnt/f": .init(progress: .upToDate, isFolder: true, isShared: true),
    ])

    private func reply(_ name: String, _ arguments: [String: [String]] = [:]) -> PluginReply {
        PluginRequest(name: name, arguments: arguments).reply(by: desktop)
    }

    @Test(
        "each state has the official client's word and emblems",
        arguments: [
            ("/mnt/a", "up to date", ["dropbox-uptodate", "downloads"]),
            ("/mnt/b", "syncing", ["dropbox-syncing"]),
            ("/mnt/c", "unsyncable", ["dropbox-unsyncable"]), ("/mnt/d", "ignored", ["system"]),
            ("/mnt/e", "up to date", ["dropbox-uptodate", "web"]),
            ("/home/x", "unwatched", [""]),
        ])
    func states(path: String, word: String, emblems: [String]) {
        #expect(
            reply("icon_overlay_file_status", ["path": [path]]) == .done(["status": [word]]))
        #expect(reply("get_emblems", ["path": [path]]) == .done(["emblems": emblems]))
    }

    @Test("the menu offers what can be done, and an entry is carried out only if it was offered")
    func menu() {
        func verbs(_ paths: String...) -> [String] {
            guard
                case .done(let results) = reply("icon_overlay_context_options", ["paths": paths])
            else { return [] }
            return results["options", default: []].map { $0.split(separator: "~").last ?? "" }
                .map(String.init)
        }
        #expect(verbs("/mnt/a") == ["link", "web", "versions", "unpin"])
        #expect(verbs("/mnt/b") == ["link", "web", "versions", "pin"])
        #expect(verbs("/mnt/f") == ["link", "web", "pin"])
        #expect(verbs("/mnt/a", "/mnt/b") == ["pin"])
        for paths in [["/mnt/d"], ["/mnt/a", "/home/x"], []] {
            #expect(
                reply("icon_overlay_context_options", ["paths": paths]) == .done(["options": [""]]))
        }
        let paths = ["/mnt/b"]
        #expect(
            reply("icon_overlay_context_action", ["paths": paths, "verb": ["pin"]]) == .done([:]))
        for (verb, paths) in [
            ("unpin", paths), ("pin", ["/home/x"]), ("rm", paths), ("", paths),
            ("versions", ["/mnt/f"]),
        ] {
            guard
                case .refused = reply(
                    "icon_overlay_context_action", ["paths": paths, "verb": [verb]])
            else {
                Issue.record("\(verb) was carried out")
                continue
            }
        }
        #expect(desktop.performed.withLock { $0 } == ["pin /mnt/b"])
    }

    @Test("a page's address has the path on Dropbox, with all but plain letters encoded")
    func pages() {
        #expect(
            DesktopVerb.web.page(of: "/a b/ä?") == "https://www.dropbox.com/home/a%20b/%C3%A4%3F")
        #expect(
            DesktopVerb.versions.page(of: "/x/a#1\t.txt")
                == "https://www.dropbox.com/history/x/a%231%09.txt")
        #expect(DesktopVerb.allCases.filter { $0.page(of: "/a") != nil } == [.web, .versions])
    }

    @Test("links, tags and the status come back; other commands are refused")
    func others() {
        #expect(
            reply("get_shared_link", ["path": ["/mnt/a"]])
                == .done(["link": ["https://example.com/x"]]))
        #expect(reply("get_shared_link", ["path": ["/no"]]) == .refused("there is no '/no'"))
        #expect(reply("get_folder_tag", ["path": ["/mnt/f"]]) == .done(["tag": ["shared"]]))
        #expect(reply("get_dropbox_status") == .done(["status": ["Up to date"]]))
        #expect(reply("needs_link") == .done([:]))
        for name in ["tray_action_hard_exit", "get_ignore_set", "x", "get_emblems"] {
            guard case .refused = reply(name) else {
                Issue.record("\(name) was carried out")
                continue
            }
        }
    }
}

@Suite struct PluginServerTests {
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func connect(_ name: String, _ home: String) throws -> ControlConnection {
        let socket = ControlFolder(path: home + "/.dropbox").socket(name)
        return ControlConnection(descriptor: try socket.connect())
    }

    private func line(_ connection: ControlConnection) -> String? {
        connection.receiveLine(within: 30).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("requests are answered, changes are told, and a second server is refused")
    func conversation() throws {
        let temporary = try TemporaryFolder()
        let home = temporary.path
        let desktop = StandInDesktop(["/mnt/a": .init(progress: .syncing)])
        let server = try PluginServer(home: home, service: desktop, log: log)
        server.start()
        let plugin = try connect("command_socket", home)
        for _ in 0..<2 {
            plugin.sendPart("icon_overlay_file_status\npath\t/mnt/a\ndone\n")
            #expect(
                [line(plugin), line(plugin), line(plugin)] == ["ok", "status\tsyncing", "done"])
        }
        let broken = try connect("command_socket", home)
        broken.sendPart("done\n")
        #expect(line(broken) == nil)
        #expect(throws: CommandError.self) {
            try PluginServer(home: home, service: desktop, log: log)
        }
        let listener = try connect("iface_socket", home)
        // The server notes a listener on its own thread.
        while !server.hasListeners { usleep(1000) }
        server.touch(["/mnt/a\tb"])
        #expect(
            [line(listener), line(listener), line(listener)]
                == ["shell_touch", "path\t/mnt/a\\tb", "done"])
        server.stop()
        #expect(line(plugin) == nil)
        #expect(line(listener) == nil)
        // The sockets of a server that has ended are replaced.
        let next = try PluginServer(home: home, service: desktop, log: log)
        next.start()
        next.stop()
    }
}
