// The form of log lines, and the texts that never get into them.

import Foundation
import Logging
import TestSupport
import Testing

@testable import Mounting

@Suite struct LogTests {
    @Test("secrets, line breaks and other users are kept out of the log file")
    func logFile() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/log"
        // The output of other tests on stderr must not end there.
        let sink = try LogSink(path: path, takesStandardError: false)
        sink.hide("sl.SECRET")
        var log = Logger(label: "sync") { LineLogHandler(label: $0, sink: sink) }
        log[metadataKey: "mount"] = "/mnt"
        log.debug("too detailed")
        log.warning("a name\n2026 forged", metadata: ["header": "Bearer sl.SECRET!"])
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 1)
        #expect(
            lines.first?.hasSuffix(
                "Z warning sync: a name\\n2026 forged header=Bearer [hidden]! mount=/mnt") == true)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("a line for the journal begins with its priority, and has no time")
    func journal() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/log"
        let sink = try LogSink(path: path, takesStandardError: false, isJournal: true)
        sink.setLevel(.trace)
        let log = Logger(label: "sync") { LineLogHandler(label: $0, sink: sink) }
        log.trace("a")
        log.debug("b")
        log.info("c")
        log.notice("d")
        log.warning("e", metadata: ["path": "/x"])
        log.error("f\n<0>forged")
        log.critical("g")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(
            text == """
                <7>sync: a
                <7>sync: b
                <6>sync: c
                <5>sync: d
                <4>sync: e path=/x
                <3>sync: f\\n<0>forged
                <2>sync: g

                """)
    }

    @Test("stderr is the journal's if systemd says so of this very stream")
    func journalStream() throws {
        let own = try #require(LogSink.identity(of: STDERR_FILENO))
        #expect(LogSink(standardError: own).isJournal)
        #expect(!LogSink(standardError: own + "0").isJournal)
        #expect(!LogSink(standardError: nil).isJournal)
    }

    @Test("nothing that is logged commands a terminal, wherever in a record it stands")
    func controlCharacters() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/log"
        let sink = try LogSink(path: path, takesStandardError: false)
        let log = Logger(label: "sync") { LineLogHandler(label: $0, sink: sink) }
        log.error(
            "\u{1b}]0;pwned\u{7}",
            metadata: ["reason\u{9b}31m": "\u{1b}[31m \u{202e}txt.exe \u{2028}ä"])
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(
            text.hasSuffix(
                "Z error sync: \\u{1b}]0;pwned\\u{7} reason\\u{9b}31m=\\u{1b}[31m \\u{202e}txt.exe "
                    + "\\u{2028}ä\n"))
        #expect(
            !text.dropLast().unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test(
        "the level changes for all loggers of a sink, but for those with a level of their own")
    func level() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/log"
        let sink = try LogSink(path: path, takesStandardError: false)
        let log = Logger(label: "sync") { LineLogHandler(label: $0, sink: sink) }
        var quiet = log
        quiet.logLevel = .error
        log.debug("one")
        sink.setLevel(.debug)
        log.debug("two")
        quiet.debug("three")
        sink.setLevel(.warning)
        log.info("four")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.split(separator: "\n").map { $0.suffix(3) } == ["two"])
    }
}
