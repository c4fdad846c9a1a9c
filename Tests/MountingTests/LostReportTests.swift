// The reports of `dbxfs recover` about content that was put aside.

import Testing

@testable import Mounting

@Suite struct LostReportTests {
    private let whole = LostReport(
        name: "work/12", account: "work", file: "/s/work/lost+found/12 a", path: "/folder/a",
        bytes: 10_000_000, modified: 1_700_000_000, found: 1_700_000_060, reason: "not-flushed",
        explanation: "a power cut came first", revision: nil, missing: [])

    @Test("a whole piece has its path, its size and why it was put aside")
    func text() {
        let lines = whole.text.split(separator: "\n")
        #expect(lines.first == "work/12")
        #expect(lines.contains("  path       /folder/a"))
        #expect(
            lines.contains { $0.hasPrefix("  aside") && $0.hasSuffix(": a power cut came first") })
        #expect(lines.contains { $0.hasPrefix("  content    9.5 MiB, written ") })
        #expect(!whole.text.contains("missing"))
    }

    @Test("a part names the revision, and the missing parts")
    func part() {
        var report = whole
        report.revision = "0123"
        report.missing = [.init(offset: 0, bytes: 4_194_304), .init(offset: 8_388_608, bytes: 1)]
        #expect(
            report.text.contains(
                "missing    bytes 0-4194303, 8388608-8388608; an edit of revision 0123"))
        report.missing = (0..<8).map { .init(offset: $0 * 10, bytes: 5) }
        #expect(report.missingText.hasSuffix("40-44 and 3 more ranges"))
        report.missing = [.init(offset: .max, bytes: .min)]
        #expect(report.missingText.isEmpty == false)
    }

    @Test("a note without content says that it is one")
    func note() {
        var report = whole
        (report.file, report.path) = (nil, nil)
        #expect(report.text.contains("only a note"))
        #expect(!report.text.contains("path"))
    }

    @Test("hostile names command no terminal, and JSON has every field")
    func hostile() throws {
        var report = whole
        report.path = "/\u{1b}[2J\n\u{202e}x"
        for line in report.text.split(separator: "\n") {
            #expect(Terminal.printable(String(line)) == String(line))
        }
        #expect(report.text.split(separator: "\n").count == whole.text.split(separator: "\n").count)
        (report.path, report.file) = (nil, nil)
        let json = try Terminal.json(report)
        for part in [
            #""path":null"#, #""file":null"#, #""revision":null"#, #""missing":[]"#,
            #""found":"2023-11-14T22:14:20Z""#, #""reason":"not-flushed""#, #""name":"work/12""#,
        ] {
            #expect(json.contains(part), "\(part) in \(json)")
        }
    }
}
