// The characters of a file's name that reach a terminal, and the width of text there.

import Foundation
import Glibc
import TestSupport
import Testing

@testable import Mounting

@Suite struct TerminalTextTests {
    @Test("the first word of a row that needs attention has a color, and nothing else has")
    func colors() {
        #expect(
            Terminal.highlighted("  problem    /a: full")
                == "  \u{1b}[31mproblem\u{1b}[0m    /a: full")
        #expect(
            Terminal.highlighted("ok       fuse-device")
                == "\u{1b}[32mok\u{1b}[0m       fuse-device")
        for line in ["", "  problems  1", "  state      problem", "/mnt/ok", "okay"] {
            #expect(Terminal.highlighted(line) == line)
        }
    }

    @Test("color is for terminals")
    func colorOfPipes() throws {
        let folder = try TemporaryFolder()
        let file = open(folder.path + "/file", O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        #expect(!Terminal.takesColor(file, ["TERM": "xterm"]))
    }

    @Test(
        "nothing in a name commands a terminal",
        arguments: [
            ("plain name.txt", "plain name.txt"), ("Grüße 日本 👩‍💻", "Grüße 日本 👩‍💻"),
            ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"), ("two\nlines\r\tx", "two\\nlines\\r\\tx"),
            ("\u{7f}\u{0}", "\\u{7f}\\u{0}"),
            // The eight-bit forms of ESC [ and of a title.
            ("\u{9b}31m\u{9d}0;x", "\\u{9b}31m\\u{9d}0;x"),
            ("evil\u{202e}gpj.exe", "evil\\u{202e}gpj.exe"), ("a\u{2028}b", "a\\u{2028}b"),
            // A combining mark makes one character of the two, and hides nothing.
            ("\u{1b}\u{301}", "\\u{1b}\u{301}"), ("\r\n", "\\r\\n"),
        ])
    func printable(name: String, shown: String) {
        #expect(Terminal.printable(name) == shown)
    }

    @Test("texts of several lines keep their line ends, and nothing else")
    func lines() {
        #expect(Terminal.printableLines("a\u{1b}c\nb\r\n\nc") == "a\\u{1b}c\nb\\r\n\nc")
    }

    @Test("dates and times are read in UTC and in local time")
    func times() throws {
        #expect(Terminal.seconds(parsing: "2026-11-22T03:14:07Z") == 1_795_317_247)
        #expect(Terminal.seconds(parsing: "2026-11-22 03:14Z") == 1_795_317_240)
        #expect(Terminal.seconds(parsing: "1970-01-01Z") == 0)
        // A day without a change of the clock anywhere.
        let local = try #require(Terminal.seconds(parsing: "2026-12-24 18:30:59"))
        #expect(Terminal.time(local) == "2026-12-24 18:30:59")
    }

    @Test(
        "texts without a date and time are refused",
        arguments: [
            "", "Z", "2026", "2026-11", "2026-13-01", "2026-00-10", "2026-02-30", "2026-11-22T",
            "2026-11-22 24:00", "2026-11-22 03:60", "2026-11-22 03:14:99", "2026-11-22 3:14",
            "1969-12-31", "2026-11-22 03:14 ", "20261122", "2026-11-22T03:14:07+01:00",
            "٢٠٢٦-11-22", "yesterday", "-2026-11-22",
        ])
    func notTimes(text: String) {
        #expect(Terminal.seconds(parsing: text) == nil)
    }

    @Test("JSON says the same to programs, and nothing to terminals")
    func json() throws {
        let names = ["\u{9b}31m", "\u{202e}", "a\u{7f}\n\u{1b}", "/é 日"]
        let line = try Terminal.json(names)
        #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        #expect(!line.unicodeScalars.contains("\u{202e}"))
        #expect(try JSONDecoder().decode([String].self, from: Data(line.utf8)) == names)
    }

    @Test(
        "lines are cut to the columns that they take",
        arguments: [
            ("short", 10, "short"), ("exactly ten", 11, "exactly ten"),
            ("exactly ten", 10, "exactly t…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"), ("e\u{301}e\u{301}e\u{301}", 3, "e\u{301}e\u{301}e\u{301}"),
            ("abc", 1, "…"), ("abc", 0, ""),
        ])
    func cutting(text: String, columns: Int, shown: String) {
        #expect(Terminal.cut(text, to: columns) == shown)
        #expect(Terminal.width(of: Terminal.cut(text, to: columns)) <= columns)
    }

    @Test("a bar is full when everything is there, and never longer")
    func bars() {
        #expect(Terminal.bar(0, of: 10) == "[" + String(repeating: ".", count: 24) + "]")
        #expect(Terminal.bar(5, of: 10).filter { $0 == "#" }.count == 12)
        #expect(Terminal.bar(9_999, of: 10_000).contains("."))
        for (part, whole) in [(10, 10), (11, 10), (0, 0)] as [(Int64, Int64)] {
            #expect(Terminal.bar(part, of: whole) == "[" + String(repeating: "#", count: 24) + "]")
        }
    }
}
