// Which paths patterns match: gitignore(5), sentence by sentence.

import Core
import Testing

@testable import FileSystem
@testable import Tree

@Suite struct IgnoreRulesTests {
    private func rules(_ text: String) throws -> IgnoreRules {
        var rules = IgnoreRules()
        try rules.append(parsing: text)
        return rules
    }

    /// A path from the top folder on; a slash at its end makes it a folder's.
    private func isIgnored(_ path: String, by patterns: String...) throws -> Bool {
        let rules = try rules(patterns.joined(separator: "\n"))
        let names = try path.split(separator: "/").map { try FileName(String($0)) }
        return rules.isIgnored(names, isFolder: path.hasSuffix("/"))
    }

    private struct Case: CustomTestStringConvertible {
        var pattern: String
        var matching: [String]
        var other: [String]
        var testDescription: String { pattern }
    }

    private static let table = [
        Case(
            pattern: "*.swp", matching: ["a.swp", ".swp", "x/y/.b.SWP"], other: ["a.swpx", "swp"]),
        Case(
            pattern: "node_modules/",
            matching: ["node_modules/", "a/node_modules/", "node_modules/b", "Node_Modules/x/y"],
            other: ["node_modules", "node_modules2/", "a/node_modules.js"]),
        Case(pattern: "/build", matching: ["build", "build/", "BUILD/x"], other: ["a/build"]),
        Case(
            pattern: "a/b", matching: ["a/b", "a/b/", "a/b/c"], other: ["x/a/b", "a", "a/", "b"]),
        Case(pattern: "a/*/c", matching: ["a/b/c"], other: ["a/c", "a/b/b/c"]),
        Case(pattern: "**/a/b", matching: ["a/b", "x/a/b", "x/y/a/b/"], other: ["a/x/b"]),
        Case(pattern: "a/**", matching: ["a/b", "a/b/c", "a/b/"], other: ["a", "a/", "b/a/c"]),
        Case(pattern: "a/**/b", matching: ["a/b", "a/x/b", "a/x/y/b"], other: ["a/x", "x/a/b"]),
        Case(pattern: "?.o", matching: ["a.o", "é.o", "/x/b.O"], other: [".o", "ab.o"]),
        Case(pattern: "*a*b*", matching: ["ab", "xaxbx", "aab"], other: ["ba", "a", "b"]),
        Case(
            pattern: "[a-cx].[!0-9]", matching: ["a.z", "C.q", "x.é"],
            other: ["d.z", "a.5", "a.", "a.zz"]),
        Case(pattern: "[]-]", matching: ["]", "-"], other: ["a"]),
        Case(pattern: "[^a]", matching: ["b"], other: ["a", "A"]),
        Case(pattern: "\\*", matching: ["*"], other: ["a"]),
        Case(pattern: "\\#a", matching: ["#a"], other: ["a"]),
        Case(pattern: "\\!a", matching: ["!a"], other: ["a"]),
        Case(pattern: "a\\ ", matching: ["a "], other: ["a"]),
        Case(pattern: "a  ", matching: ["a"], other: ["a "]),
        Case(pattern: "# a", matching: [], other: ["a", "# a"]),
        Case(pattern: "e\u{301}", matching: ["\u{E9}", "\u{C9}"], other: ["e"]),
        Case(pattern: "/\u{301}a", matching: ["\u{301}a", "\u{301}a/b"], other: ["a", "b/a"]),
        Case(pattern: "/", matching: [], other: ["a", "a/"]),
        Case(pattern: "", matching: [], other: ["a"]),
    ]

    @Test("a pattern matches what gitignore(5) says, in any case", arguments: table)
    private func patterns(_ row: Case) throws {
        for path in row.matching { #expect(try isIgnored(path, by: row.pattern), "\(path)") }
        for path in row.other { #expect(try !isIgnored(path, by: row.pattern), "\(path)") }
    }

    @Test("the last pattern that matches decides, but nothing comes back in an ignored folder")
    func order() throws {
        #expect(try isIgnored("a.log", by: "*.log", "!keep.log"))
        #expect(try !isIgnored("keep.log", by: "*.log", "!keep.log"))
        #expect(try isIgnored("keep.log", by: "!keep.log", "*.log"))
        #expect(try isIgnored("logs/keep.log", by: "logs/", "!keep.log"))
        #expect(try !isIgnored("logs/keep.log", by: "logs/*", "!keep.log"))
        #expect(try isIgnored("logs/other", by: "logs/*", "!keep.log"))
    }

    @Test("many stars take no more time than few")
    func stars() throws {
        let pattern = String(repeating: "*a", count: 60) + "b"
        #expect(try !isIgnored(String(repeating: "a", count: 250), by: pattern))
    }

    @Test("a pattern that cannot be is an error that names its line")
    func malformed() {
        #expect(throws: IgnoreRules.Malformed(line: 2, reason: "the bracket [ is not closed")) {
            try rules("a\n[a")
        }
        #expect(throws: IgnoreRules.Malformed(line: 1, reason: "the range z-a is backwards")) {
            try rules("[z-a]")
        }
        #expect(
            throws: IgnoreRules.Malformed(
                line: 3, reason: "nothing follows the backslash at the end")
        ) {
            try rules("\n#\na\\")
        }
    }

    @Test("without patterns, nothing is ignored")
    func none() throws {
        #expect(try !isIgnored("a", by: ""))
        #expect(IgnoreRules().isEmpty)
        #expect(try rules("# only a remark\n\n").isEmpty)
    }
}
