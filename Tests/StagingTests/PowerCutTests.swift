// The content that a start believes after a power cut or the death of the process. A cut is played
// by the name of another system in the settings. Not responsible for files that are damaged
// (`DamagedStateTests`).

import ContentHashing
import Core
import Foundation
import MetadataStore
import TestSupport
import Testing

@testable import Staging

@Suite struct PowerCutTests {
    let folder = TemporaryFolder.make()
    private var staged: String { folder + "/staging" }

    private func open(flushDelay: Double = 1000) throws -> LocalParts {
        try LocalParts(in: folder, flushDelay: flushDelay)
    }

    private static let base = StagedContent.Base(
        revision: Revision("0123456789"), hash: ContentHasher.hash(Array("base".utf8)), size: 4,
        limit: 4)

    /// Begins an edit of `base`.
    private func stage(
        overBase name: String, _ local: LocalParts, in transaction: Transaction
    ) throws -> StagedFile {
        let place = Place(parent: .root, name: try FileName(name))
        let inode = try transaction.insert(.file, at: place, local: LocalFacts())
        return try local.staging.begin(inode, base: Self.base, size: 4, in: transaction)
    }

    @Test("content that was not flushed is put aside after a cut, and the server's version shown")
    func notFlushed() throws {
        var local = try open()
        let file = try local.edit("the new text", of: "a")
        try local.store.forgetSystem()
        local = try open()
        let node = try #require(try local.node("a"))
        #expect(node.staged == nil && node.facts.revision == Revision("0123456789"))
        #expect(try local.store.read { try $0.journalEntry(of: node.inode) } == nil)
        let lost = try #require(local.staging.found.first)
        #expect(lost.reason == .notFlushed && lost.path == "/a" && lost.bytes == 12)
        let kept = local.staging.lostAndFound.folder + "/" + (lost.file ?? "")
        #expect(try String(contentsOfFile: kept, encoding: .utf8) == "the new text")
        #expect(!FileManager.default.fileExists(atPath: file.path))
        #expect(local.staging.lostAndFound.contents() == [lost])
    }

    @Test(
        "flushed bytes are written over only once no row on the disk calls them flushed",
        arguments: [false, true])
    func flushedEarlier(isFlushedAgain: Bool) throws {
        let local = try open()
        let file = try local.write("flushed", to: "a")
        try local.staging.flush()
        func write(_ text: String, at offset: Int64) throws -> StagedWrite {
            try Array(text.utf8).withUnsafeBytes { try file.write(at: offset, $0, now: .now()) }
        }
        // The row with these bytes is in memory: a power cut would bring the one before back.
        #expect(try write(", and appended", at: 7) == .written)
        try local.store.write { try file.persist(in: $0) }
        #expect(try write("F", at: 0) == .vouched)
        file.invalidateFlushedRow()
        try local.store.write { try file.persist(in: $0, isComplete: false) }
        #expect(try write("F", at: 0) == .vouched)
        try file.synchronizeRow {
            try local.store.synchronize()
            // A flush in that moment makes a row that calls the bytes of now flushed.
            guard isFlushedAgain else { return }
            try local.store.write { try file.persist(in: $0) }
            file.noteComplete()
            try local.staging.flush()
            #expect(try write("+", at: 21) == .written)
            try local.store.write { try file.persist(in: $0, isComplete: false) }
        }
        #expect(try write("F", at: 0) == (isFlushedAgain ? .vouched : .written))
    }

    @Test("a new file whose content was not flushed is gone after a cut, and kept aside")
    func newFile() throws {
        var local = try open()
        _ = try local.write("text", to: "a")
        try local.store.forgetSystem()
        local = try open()
        #expect(try local.node("a") == nil)
        #expect(local.staging.found.map(\.path) == ["/a"])
        #expect(try local.store.read { try $0.pending().operations } == 0)
    }

    @Test("saved content survives the death of the process, flushed or not")
    func death() throws {
        var local = try open()
        let file = try local.write("text", to: "a")
        // Written and not saved: the row does not speak of it.
        _ = try Array("more text".utf8).withUnsafeBytes {
            try file.write(at: 4, $0, now: .now())
        }
        local = try open()
        #expect(local.staging.found.isEmpty)
        #expect(try local.node("a")?.size == 4)
    }

    @Test("flushed content survives a cut after the death of a process that was adding to it")
    func deathAndCut() throws {
        var local = try open()
        let file = try local.write("text", to: "a")
        try local.staging.flush()
        // Some filesystems have times of four milliseconds.
        usleep(20_000)
        _ = try Array("more text".utf8).withUnsafeBytes {
            try file.write(at: 4, $0, now: .now())
        }
        local = try open()
        try local.store.forgetSystem()
        local = try open()
        #expect(try local.node("a")?.staged?.size == 4 && local.staging.found.isEmpty)
    }

    @Test("content that a killed process was adding to survives a cut once it is flushed")
    func deathFlushAndCut() throws {
        var local = try open()
        let file = try local.write("text", to: "a")
        // Some filesystems have times of four milliseconds.
        usleep(20_000)
        _ = try Array("more text".utf8).withUnsafeBytes {
            try file.write(at: 4, $0, now: .now())
        }
        local = try open()
        try local.staging.flush()
        try local.store.forgetSystem()
        local = try open()
        #expect(try local.node("a")?.staged?.size == 4 && local.staging.found.isEmpty)
    }

    @Test("content that was cut shorter survives the next start", arguments: [true, false])
    func cutShorter(isFlushedBefore: Bool) throws {
        var local = try open()
        let file = try local.write("text", to: "a")
        if isFlushedBefore { try local.staging.flush() }
        _ = try file.truncate(to: 2, now: .now())
        if isFlushedBefore { try file.synchronize(promising: false) }
        try local.store.write { try file.persist(in: $0, isComplete: false) }
        // Some filesystems have times of four milliseconds.
        usleep(20_000)
        try file.trim()
        file.noteComplete()
        #expect(FileFacts(at: file.path)?.size == 2)
        try local.staging.flush()
        try local.store.forgetSystem()
        local = try open()
        #expect(try local.node("a")?.staged?.size == 2 && local.staging.found.isEmpty)
    }

    @Test("flushed content that was cut shorter survives a power cut before the disk knows it")
    func cutBeforeFlush() throws {
        var local = try open()
        let file = try local.write("text", to: "a")
        try local.staging.flush()
        _ = try file.truncate(to: 2, now: .now())
        try file.synchronize(promising: false)
        try local.store.write { try file.persist(in: $0, isComplete: false) }
        try file.trim()
        let time = try #require(FileFacts(at: file.path)?.modified)
        #expect(truncate(file.path, 4) == 0)
        let times = [time, time].map {
            timespec(tv_sec: Int($0.seconds), tv_nsec: Int($0.nanosecondsWithinSecond))
        }
        #expect(utimensat(AT_FDCWD, file.path, times, 0) == 0)
        try local.store.forgetSystem()
        local = try open()
        #expect(try local.node("a")?.staged?.size == 2 && local.staging.found.isEmpty)
    }

    @Test(
        "content that a killed process has changed is another generation, flushed as before",
        arguments: [true, false])
    func changedBeforeKill(isFlushed: Bool) throws {
        var local = try open()
        let files = try ["changed", "kept"].map { try local.write("text", to: $0) }
        if isFlushed { try local.staging.flush() }
        let before = try ["changed", "kept"].map { try #require(try local.node($0)?.staged) }
        let later = try #require(before[0].stamp).adding(nanoseconds: 1)
        try "TEXT".write(toFile: files[0].path, atomically: false, encoding: .utf8)
        let time = timespec(
            tv_sec: Int(later.seconds), tv_nsec: Int(later.nanosecondsWithinSecond))
        #expect(utimensat(AT_FDCWD, files[0].path, [time, time], 0) == 0)
        local = try open()
        let changed = try #require(try local.node("changed")?.staged)
        #expect(changed.generation > before[0].generation && changed.hash == nil)
        #expect(changed.isFlushed == isFlushed && changed.stamp == later)
        #expect(try local.node("kept")?.staged == before[1])
        #expect(local.staging.found.isEmpty)
    }

    @Test("a flush notes the time of its file, unless the file has bytes that no row knows")
    func notedTime() throws {
        var local = try open()
        let files = try ["a", "b"].map { try local.write("text", to: $0) }
        let before = try #require(try local.node("b")?.staged?.stamp)
        let unsaved = try #require(files.last)
        _ = try Array("more".utf8).withUnsafeBytes { try unsaved.write(at: 4, $0, now: .now()) }
        let later = WallTime(seconds: before.seconds + 60)
        for file in files {
            let time = timespec(tv_sec: Int(later.seconds), tv_nsec: 0)
            #expect(utimensat(AT_FDCWD, file.path, [time, time], 0) == 0)
        }
        try local.staging.flush()
        #expect(try local.node("a")?.staged?.stamp == later)
        #expect(try local.node("b")?.staged?.stamp == before)
        withExtendedLifetime(files) {}
        try local.store.forgetSystem()
        local = try open()
        #expect(local.staging.found.map(\.path) == ["/b"])
        #expect(local.staging.found.map(\.reason) == [.changed])
    }

    @Test("flushed content survives a cut")
    func flushed() throws {
        var local = try open()
        _ = try local.write("text", to: "a")
        try local.staging.flush()
        try local.store.forgetSystem()
        local = try open()
        #expect(try local.node("a")?.staged?.size == 4 && local.staging.found.isEmpty)
    }

    @Test("a flush of content that is being written over does not count, one during an append does")
    func writtenOver() throws {
        let local = try open()
        for (offset, isFlushed) in [(Int64(0), false), (4, true)] {
            let file = try local.write("text", to: "at \(offset)")
            let written = try Array("new".utf8).withUnsafeBytes {
                try file.write(at: offset, $0, now: .now())
            }
            #expect(written == .written)
            try local.staging.flush()
            #expect(try local.node("at \(offset)")?.staged?.isFlushed == isFlushed)
            try local.store.write { try file.persist(in: $0) }
            try local.staging.flush()
            #expect(try local.node("at \(offset)")?.staged?.isFlushed == true)
        }
    }

    @Test("a flush of content that was written over while its row was saved does not count")
    func writtenOverWhileSaved() throws {
        let local = try open()
        let file = try local.write("text", to: "a")
        func write(_ text: String) throws {
            _ = try Array(text.utf8).withUnsafeBytes { try file.write(at: 4, $0, now: .now()) }
        }
        try write("more")
        try local.store.write { transaction in
            try file.persist(in: transaction)
            try write("less")
        }
        try local.staging.flush()
        #expect(try local.node("a")?.staged?.size == 8)
        #expect(try local.node("a")?.staged?.isFlushed == false)
    }

    @Test("the base of an edit is staged beside files that a database from a backup does not know")
    func stagedBase() throws {
        var local = try open()
        try local.store.write { transaction in
            let file = try stage(overBase: "a", local, in: transaction)
            _ = try Array("edit".utf8).withUnsafeBytes { try file.write(at: 0, $0, now: .now()) }
            try file.persist(in: transaction)
        }
        let last = try #require(
            try local.store.read { try $0.setting("staging.next") }.flatMap { Int($0) })
        try Data("unsent".utf8).write(to: URL(filePath: "\(staged)/\(last + 1)"))
        try local.store.forgetSystem()
        local = try open()
        #expect(try local.node("a")?.staged?.base?.revision == Self.base.revision)
        let aside = try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
            FileManager.default.contents(atPath: folder + "/" + $0) == Data("unsent".utf8)
        }
        #expect(aside.count == 1)
        #expect(local.staging.found.contains { $0.reason == .unknown })
    }

    @Test("a block of the base that is filled in after a flush is not flushed")
    func filled() throws {
        let local = try open()
        let file = try local.store.write { try stage(overBase: "a", local, in: $0) }
        #expect(try local.node("a")?.staged?.isFlushed == true)
        try file.synchronize(promising: false)
        try file.fill(0..<4, with: Array("base".utf8), of: Self.base)
        try local.store.write { try file.persist(in: $0) }
        #expect(try local.node("a")?.staged?.isFlushed == false)
        try local.staging.flush()
        #expect(try local.node("a")?.staged?.isFlushed == true)
    }

    @Test("content is flushed by itself soon after it was saved")
    func bySelf() async throws {
        let local = try open(flushDelay: 0.01)
        for number in 0..<20 { _ = try local.write("text", to: "\(number)") }
        try await waitWhile {
            try await local.store.read { try $0.stagedNodes() }
                .contains { $0.staged?.isFlushed == false }
        }
    }

    @Test("a file that was only emptied so far is the server's version after a cut")
    func emptied() throws {
        var local = try open()
        let file = try local.edit("text", of: "a")
        try local.staging.flush()
        _ = try file.truncate(to: 0, now: .now())
        try local.store.write { try file.persist(in: $0, isComplete: false) }
        try local.staging.flush()
        try local.store.forgetSystem()
        local = try open()
        #expect(try local.node("a")?.staged == nil)
        #expect(local.staging.found.map(\.reason) == [.notFlushed])
    }

    @Test("acknowledged content of an fsync survives a cut, also with later writes over it")
    func promised() throws {
        var local = try open()
        let file = try local.edit("text", of: "a")
        try file.synchronize(promising: true)
        try local.store.write { try file.persist(in: $0) }
        _ = try Array("more".utf8).withUnsafeBytes { try file.write(at: 4, $0, now: .now()) }
        try local.store.write { try file.persist(in: $0) }
        let row = try #require(try local.node("a")?.staged)
        #expect(
            row.isFlushed, "content that replaces promised content reaches the disk with its row")
        try local.store.forgetSystem()
        local = try open()
        #expect(try local.node("a")?.staged?.size == 8 && local.staging.found.isEmpty)
    }

    @Test("rows of fsynced content never speak of unflushed bytes of any writer")
    func promisedWhileWriting() async throws {
        let local = try open()
        let file = try local.write("text", to: "a")
        try file.synchronize(promising: true)
        let writer = Thread {
            while !Thread.current.isCancelled {
                _ = try? Array("more".utf8).withUnsafeBytes {
                    try file.write(at: 4, $0, now: .now())
                }
            }
        }
        writer.start()
        defer { writer.cancel() }
        for _ in 0..<300 {
            try await local.store.write { try file.persist(in: $0) }
            let row = try await local.store.read { try $0.node(file.inode)?.staged }
            try #require(row?.isFlushed == true)
        }
    }

    @Test("a file that lies over a revision needs only the blocks that were written")
    func overBase() throws {
        var local = try open()
        try local.store.write { transaction in
            let inode = try transaction.insertRemote(
                .file, at: Place(parent: .root, name: try FileName("a")),
                facts: RemoteFacts(
                    id: FileID("id:1"), revision: Revision("0123456789"), size: 9 << 20))
            let base = StagedContent.Base(
                revision: Revision("0123456789"), hash: .init(blockDigests: []), size: 9 << 20,
                limit: 9 << 20)
            let file = try local.staging.begin(
                inode, base: base, size: base.size, in: transaction)
            try file.persist(in: transaction)
        }
        try local.store.forgetSystem()
        local = try open()
        #expect(try local.node("a")?.staged != nil && local.staging.found.isEmpty)
    }
}
