// Content that was put aside: what of it is missing, its names, and bringing it back.

import ContentHashing
import Core
import Foundation
import TestSupport
import Testing

@testable import Staging

@Suite struct LostContentTests {
    private let folder = TemporaryFolder.make()
    private var lost: LostAndFound { LostAndFound(folder: folder + "/lost+found") }
    private let block: Int64 = 4 << 20

    private func content(
        size: Int64, bytes: Int64? = nil, blocks: [Int]? = nil, path: String? = nil
    ) -> LostContent {
        var content = LostContent(
            size: size, bytes: bytes ?? size, modified: 1_700_000_000, found: 7, reason: .unknown)
        content.blocks = blocks
        content.path = path
        return content
    }

    /// Puts a file aside, and returns its entry in the list.
    private func take(
        _ text: String, number: Int64 = 1, _ content: LostContent
    ) throws -> LostEntry {
        let file = folder + "/\(number)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let taken = try lost.take(file, number: number, content)
        return try #require(lost.entries().first { $0.content == taken })
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test("the missing parts are behind the file's end, and in blocks that it does not hold")
    func missing() {
        func missing(_ change: (inout LostContent) -> Void) -> [Range<Int64>] {
            var lost = content(size: 3 * block + 5)
            lost.file = "1"
            change(&lost)
            return lost.missing
        }
        #expect(missing { _ in }.isEmpty)
        #expect(missing { $0.size = 0 }.isEmpty)
        #expect(missing { $0.bytes = 10 } == [10..<3 * block + 5])
        #expect(missing { $0.bytes = .max }.isEmpty)
        #expect(missing { $0.file = nil } == [0..<3 * block + 5])
        #expect(missing { $0.blocks = [0, 1, 2, 3] }.isEmpty)
        #expect(missing { $0.blocks = [] } == [0..<3 * block + 5])
        #expect(missing { $0.blocks = [3, 1] } == [0..<block, 2 * block..<3 * block])
        #expect(missing { ($0.blocks, $0.bytes) = ([0, 1], 9) } == [9..<3 * block + 5])
        #expect(missing { $0.blocks = [-1, .max] } == [0..<3 * block + 5])
    }

    @Test("content whose note cannot be read keeps its file", arguments: ["", "{"])
    func unreadableNote(note: String) throws {
        let first = try take("first", content(size: 5))
        let file = try #require(lost.file(of: first))
        try Data(note.utf8).write(to: URL(fileURLWithPath: file + ".json"))
        let second = try take("second", content(size: 6))
        #expect(try text(file) == "first")
        #expect(try text(try #require(lost.file(of: second))) == "second")
        unlink(file + ".json")
        let third = try take("third", content(size: 5))
        #expect(try text(file) == "first")
        #expect(try text(try #require(lost.file(of: third))) == "third")
    }

    @Test("content of as many blocks as the largest file has is listed with them")
    func manyBlocks() throws {
        let blocks = Array(0..<(1 << 19) - 1)
        let entry = try take("first", content(size: (1 << 19) * block, blocks: blocks))
        #expect(entry.content.blocks == blocks)
    }

    @Test("a copy has the bytes, the time and mode 0600, and nothing is overwritten")
    func copy() throws {
        let entry = try take("the text", content(size: 8, path: "/folder/a"))
        let target = folder + "/copy"
        try lost.copy(entry, to: target)
        #expect(try text(target) == "the text")
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(
            attributes[.modificationDate] as? Date == Date(timeIntervalSince1970: 1_700_000_000))
        try Data("mine".utf8).write(to: URL(fileURLWithPath: target))
        #expect(throws: StagingError(code: EEXIST)) { try lost.copy(entry, to: target) }
        #expect(throws: StagingError(code: ENOENT)) {
            try lost.copy(entry, to: folder + "/nowhere/copy")
        }
        #expect(try text(target) == "mine")
        // Nothing is left of what failed.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(names) == ["copy", "lost+found"])
    }

    @Test("a part is as long as the whole, with zeros and holes for the rest")
    func part() throws {
        let entry = try take("text", content(size: 3 * block, bytes: 4, blocks: [0]))
        try lost.copy(entry, to: folder + "/copy")
        let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/copy"))
        #expect(data.count == 3 * Int(block) && data.starts(with: Array("text".utf8)))
        #expect(data.dropFirst(4).allSatisfy { $0 == 0 })
        var status = stat()
        #expect(lstat(folder + "/copy", &status) == 0 && status.st_blocks * 512 < block)
    }

    @Test("bytes written behind the content's end before the cut are copied too")
    func longer() throws {
        let entry = try take("text and more", content(size: 4, bytes: 13))
        try lost.copy(entry, to: folder + "/copy")
        #expect(try text(folder + "/copy") == "text and more")
    }

    @Test("a number that was put aside before displaces nothing")
    func sameNumber() throws {
        let first = try take("first", content(size: 5))
        let second = try take("second", content(size: 6))
        let third = try take("third", content(size: 5, path: "/a"))
        #expect(Set(lost.entries().map(\.name)) == ["1", "1-2", "1-3"])
        for (entry, bytes) in [(first, "first"), (second, "second"), (third, "third")] {
            #expect(try text(try #require(lost.file(of: entry))) == bytes)
        }
    }

    @Test("a name that begins with an accent is put aside like any other")
    func accent() throws {
        let entry = try take("text", content(size: 4, path: "/folder/\u{301}x"))
        #expect(entry.content.file.map { Array($0.utf8) } == Array("1 \u{301}x".utf8))
        #expect(try text(try #require(lost.file(of: entry))) == "text")
    }

    @Test(
        "a removed content is not listed, and its file is gone; a note without a file goes, too")
    func remove() throws {
        let entry = try take("text", content(size: 4))
        try lost.note(content(size: 0), number: 0)
        let note = try #require(lost.entries().first { $0.content.file == nil })
        #expect(note.name == "0-7")
        #expect(throws: StagingError(code: ENODATA)) { try lost.copy(note, to: folder + "/copy") }
        try lost.remove(entry)
        #expect(lost.entries() == [note])
        try lost.remove(note)
        #expect(try FileManager.default.contentsOfDirectory(atPath: lost.folder).isEmpty)
    }
}
