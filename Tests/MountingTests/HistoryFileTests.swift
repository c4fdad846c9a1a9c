// The history on disk: bounded, readable after a kill, and safe to print.

import Foundation
import TestSupport
import Testing

@testable import Mounting

@Suite struct HistoryFileTests {
    private let folder = TemporaryFolder.make()

    private func record(
        _ time: Int64, _ kind: HistoryRecord.Kind = .sent, _ path: String = "/a"
    ) -> HistoryRecord {
        HistoryRecord(time: time, kind: kind, path: path, bytes: 5)
    }

    @Test("events come back in their order, the last ones with a limit")
    func order() throws {
        let file = HistoryFile(folder: folder)
        #expect(file.records(HistoryFilter()).isEmpty)
        try file.append([record(1), record(2, .moved, "/b")])
        try file.append([record(3, .deleted, "/é\n\u{1b}[2J")])
        #expect(file.records(HistoryFilter()).map(\.time) == [1, 2, 3])
        #expect(file.records(HistoryFilter()).last?.path == "/é\n\u{1b}[2J")
        #expect(file.records(HistoryFilter(), limit: 2).map(\.time) == [2, 3])
        let attributes = try FileManager.default.attributesOfItem(
            atPath: folder + "/history.jsonl")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("a line that a kill has cut is left out, and the next event is whole")
    func torn() throws {
        let file = HistoryFile(folder: folder)
        try file.append([record(1)])
        let handle = try #require(FileHandle(forWritingAtPath: folder + "/history.jsonl"))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(#"{"time":2,"ki"#.utf8))
        try handle.close()
        try file.append([record(3)])
        #expect(file.records(HistoryFilter()).map(\.time) == [1, 3])
    }

    @Test("two files are kept, none of them larger than allowed")
    func bounded() throws {
        let file = HistoryFile(folder: folder, rotationSize: 1000)
        for time in 1...200 { try file.append([record(Int64(time))]) }
        let times = file.records(HistoryFilter()).map(\.time)
        #expect(times.last == 200)
        #expect(times == Array((times.first ?? 0)...200))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.sorted() == ["history.jsonl", "history.jsonl.1"])
        for name in names {
            let size = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size]
            #expect((size as? Int ?? .max) <= 1000)
        }
    }

    @Test("a follower gets each event once, also over a change of the file")
    func follower() throws {
        let file = HistoryFile(folder: folder, rotationSize: 300)
        try file.append([record(0)])
        var follower = HistoryFollower(file, HistoryFilter())
        #expect(follower.next().isEmpty)
        // A program that shows the events of before leaves the rest to the follower.
        let end = follower.offset
        try file.append([record(1)])
        #expect(file.records(HistoryFilter(), before: end).map(\.time) == [0])
        #expect(follower.next().map(\.time) == [1])
        var seen: [Int64] = []
        for time in 2...40 {
            try file.append([record(Int64(time))])
            seen += follower.next().map(\.time)
        }
        #expect(seen == Array(2...40))
    }

    @Test("a filter takes a folder with all below it, kinds and times")
    func filter() {
        var filter = HistoryFilter()
        filter.path = "/a"
        #expect(filter.includes(record(1, .sent, "/a")))
        #expect(filter.includes(record(1, .sent, "/a/b")))
        #expect(!filter.includes(record(1, .sent, "/ab")))
        var moved = record(1, .moved, "/elsewhere")
        moved.from = "/a/x"
        #expect(filter.includes(moved))
        #expect(!filter.includes(HistoryRecord(time: 1, kind: .full)))
        filter = HistoryFilter()
        (filter.since, filter.before) = (5, 7)
        #expect([4, 5, 6, 7].map { filter.includes(record($0)) } == [false, true, true, false])
        filter.kinds = [.deleted]
        #expect(!filter.includes(record(5)))
    }

    @Test("kinds of a later version are left out, and each kind of this one has its words")
    func kinds() throws {
        try Data(#"{"time":1,"kind":"sung","path":"/a"}"#.utf8 + [0x0a])
            .write(to: URL(fileURLWithPath: folder + "/history.jsonl"))
        #expect(HistoryFile(folder: folder).records(HistoryFilter()).isEmpty)
        let notices = HistoryRecord.Kind.allCases.filter {
            HistoryRecord(time: 0, kind: $0).notice != nil
        }
        #expect(notices == [.conflict, .refused, .full, .loggedOut])
        var moved = record(0, .moved, "/b")
        (moved.from, moved.bytes) = ("/a", nil)
        #expect(moved.text(at: "/mnt").hasSuffix("  moved      /mnt/a -> /mnt/b"))
    }
}
