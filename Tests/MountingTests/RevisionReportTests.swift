// How the versions of a file are shown to people and to scripts.

import Foundation
import Testing

@testable import Mounting

@Suite struct RevisionReportTests {
    private let old = RevisionReport(
        rev: "r1", bytes: 3, modified: 1_000_000_000, stored: 1_000_000_001)
    private let new = RevisionReport(
        rev: "r002", bytes: 2048, modified: 1_100_000_000, stored: 1_100_000_001, author: "dbid:x")

    @Test("the newest one is the current one, unless the file is deleted")
    func text() {
        let lines = RevisionList(revisions: [new, old], isDeleted: false).text
            .split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("r002  20"))
        #expect(lines[0].hasSuffix("  2.0 KiB  by dbid:x  (current)"))
        #expect(lines[1].hasPrefix("r1    20"))
        #expect(lines[1].hasSuffix("  3 B"))
        let deleted = RevisionList(revisions: [old], isDeleted: true, deleted: 1_200_000_000).text
        #expect(deleted.hasPrefix("deleted 2008-01-1"))
        #expect(!deleted.contains("current"))
    }

    @Test("scripts find every field, unknown ones as null, times in UTC")
    func json() throws {
        let list = RevisionList(revisions: [new, old], isDeleted: false)
        let lines = try list.lines(path: "/mnt/a").map { line in
            try #require(
                try JSONSerialization.jsonObject(with: Data(Terminal.json(line).utf8))
                    as? [String: Any])
        }
        #expect(lines.map { $0["is_current"] as? Bool } == [true, false])
        #expect(lines.map { $0["rev"] as? String } == ["r002", "r1"])
        #expect(lines[0]["stored"] as? String == "2004-11-09T11:33:21Z")
        #expect(lines[0]["author"] as? String == "dbid:x")
        #expect(lines[1]["author"] is NSNull)
        #expect(lines[1]["deleted"] is NSNull)
        let gone = RevisionList(revisions: [old], isDeleted: true, deleted: 1_200_000_000)
        let line = try #require(gone.lines(path: "/mnt/a").first)
        #expect(!line.isCurrent && line.isDeleted)
        #expect(line.deleted == "2008-01-10T21:20:00Z")
    }
}
