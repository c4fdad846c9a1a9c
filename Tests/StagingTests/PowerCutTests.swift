// The content that a start believes after a power cut, the death of the process, or damage of the
// database. A cut is played by files that have less than was written, and by the name of another
// system in the settings.

import ContentHashing
import Core
import Foundation
import MetadataStore
import TestSupport
import Testing

@testable import Staging

@Suite struct PowerCutTests {
    let folder = TemporaryFolder.make()
    private var database: String { folder + "/tree.sqlite" }
    private var staged: String { folder + "/staging" }

    private func open(flushDelay: Double = 1000) throws -> LocalParts {
        try LocalParts(in: folder, flushDelay: flushDelay)
    }

    private func write(_ text: String, to name: String, _ local: LocalParts) throws -> StagedFile {
        try local.store.write { transaction in
            let place = Place(parent: .root, name: try FileName(name))
            let inode = try transaction.insert(.file, at: place, local: LocalFacts())
            let file = try local.staging.begin(
                inode, base: nil, size: 0, in: transaction)
            _ = try Array(text.utf8).withUnsafeBytes { try file.write(at: 0, $0, now: .now()) }
            try file.persist(in: transaction)
            return file
        }
    }

    /// The same over a version that the server has.
    private func edit(_ text: String, of name: String, _ local: LocalParts) throws -> StagedFile {
        let file = try write(text, to: name, local)
        try local.store.write { transaction in
            let facts = RemoteFacts(
                id: FileID("id:1"), revision: Revision("0123456789"), size: 3, hash: nil)
            try transaction.setFacts(facts, of: file.inode)
            try transaction.setRemotePlace(
                file.inode, Place(parent: .root, name: try FileName(name)))
        }
        return file
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

    private func node(_ name: String, _ local: LocalParts) throws -> Node? {
        try local.store.read { try $0.child(try FileName(name), of: .root) }
    }

    private func number(_ file: StagedFile) -> String { "\(staged)/\(file.number)" }

    @Test("content that was not flushed is put aside after a cut, and the server's version shown")
    func notFlushed() throws {
        var local = try open()
        let file = try edit("the new text", of: "a", local)
        try local.store.forgetSystem()
        local = try open()
        let node = try #require(try node("a", local))
        #expect(node.staged == nil && node.facts.revision == Revision("0123456789"))
        #expect(try local.store.read { try $0.journalEntry(of: node.inode) } == nil)
        let lost = try #require(local.staging.found.first)
        #expect(lost.reason == .notFlushed && lost.path == "/a" && lost.bytes == 12)
        let kept = local.staging.lostAndFound.folder + "/" + (lost.file ?? "")
        #expect(try String(contentsOfFile: kept, encoding: .utf8) == "the new text")
        #expect(!FileManager.default.fileExists(atPath: number(file)))
        #expect(local.staging.lostAndFound.contents() == [lost])
    }

    @Test("a new file whose content was not flushed is gone after a cut, and kept aside")
    func newFile() throws {
        var local = try open()
        _ = try write("text", to: "a", local)
        try local.store.forgetSystem()
        local = try open()
        #expect(try node("a", local) == nil)
        #expect(local.staging.found.map(\.path) == ["/a"])
        #expect(try local.store.read { try $0.pending().operations } == 0)
    }

    @Test("saved content survives the death of the process, flushed or not")
    func death() throws {
        var local = try open()
        let file = try write("text", to: "a", local)
        // Written and not saved: the row does not speak of it.
        _ = try Array("more text".utf8).withUnsafeBytes {
            try file.write(at: 4, $0, now: .now())
        }
        local = try open()
        #expect(local.staging.found.isEmpty)
        #expect(try node("a", local)?.size == 4)
    }

    @Test("flushed content survives a cut after the death of a process that was adding to it")
    func deathAndCut() throws {
        var local = try open()
        let file = try write("text", to: "a", local)
        try local.staging.flush()
        // Some filesystems have times of four milliseconds.
        usleep(20_000)
        _ = try Array("more text".utf8).withUnsafeBytes {
            try file.write(at: 4, $0, now: .now())
        }
        local = try open()
        try local.store.forgetSystem()
        local = try open()
        #expect(try node("a", local)?.staged?.size == 4 && local.staging.found.isEmpty)
    }

    @Test("flushed content survives a cut")
    func flushed() throws {
        var local = try open()
        _ = try write("text", to: "a", local)
        try local.staging.flush()
        try local.store.forgetSystem()
        local = try open()
        #expect(try node("a", local)?.staged?.size == 4 && local.staging.found.isEmpty)
    }

    @Test("a flush of content that is being written over does not count, one during an append does")
    func writtenOver() throws {
        let local = try open()
        for (offset, isFlushed) in [(Int64(0), false), (4, true)] {
            let file = try write("text", to: "at \(offset)", local)
            let written = try Array("new".utf8).withUnsafeBytes {
                try file.write(at: offset, $0, now: .now())
            }
            #expect(written == .written)
            try local.staging.flush()
            #expect(try node("at \(offset)", local)?.staged?.isFlushed == isFlushed)
            try local.store.write { try file.persist(in: $0) }
            try local.staging.flush()
            #expect(try node("at \(offset)", local)?.staged?.isFlushed == true)
        }
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
        #expect(try node("a", local)?.staged?.base?.revision == Self.base.revision)
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
        #expect(try node("a", local)?.staged?.isFlushed == true)
        try file.synchronize(promising: false)
        try file.fill(0..<4, with: Array("base".utf8), of: Self.base)
        try local.store.write { try file.persist(in: $0) }
        #expect(try node("a", local)?.staged?.isFlushed == false)
        try local.staging.flush()
        #expect(try node("a", local)?.staged?.isFlushed == true)
    }

    @Test("content is flushed by itself soon after it was saved")
    func bySelf() async throws {
        let local = try open(flushDelay: 0.01)
        for number in 0..<20 { _ = try write("text", to: "\(number)", local) }
        try await waitWhile {
            try await local.store.read { try $0.stagedNodes() }
                .contains { $0.staged?.isFlushed == false }
        }
    }

    @Test("a file that was only emptied so far is the server's version after a cut")
    func emptied() throws {
        var local = try open()
        let file = try edit("text", of: "a", local)
        try local.staging.flush()
        _ = try file.truncate(to: 0, now: .now())
        try local.store.write { try file.persist(in: $0, isComplete: false) }
        try local.staging.flush()
        try local.store.forgetSystem()
        local = try open()
        #expect(try node("a", local)?.staged == nil)
        #expect(local.staging.found.map(\.reason) == [.notFlushed])
    }

    @Test("acknowledged content of an fsync survives a cut, also with later writes over it")
    func promised() throws {
        var local = try open()
        let file = try edit("text", of: "a", local)
        try file.synchronize(promising: true)
        try local.store.write { try file.persist(in: $0) }
        _ = try Array("more".utf8).withUnsafeBytes { try file.write(at: 4, $0, now: .now()) }
        try local.store.write { try file.persist(in: $0) }
        let row = try #require(try node("a", local)?.staged)
        #expect(
            row.isFlushed, "content that replaces promised content reaches the disk with its row")
        try local.store.forgetSystem()
        local = try open()
        #expect(try node("a", local)?.staged?.size == 8 && local.staging.found.isEmpty)
    }

    @Test("rows of fsynced content never speak of unflushed bytes of any writer")
    func promisedWhileWriting() async throws {
        let local = try open()
        let file = try write("text", to: "a", local)
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

    @Test("a staging file that is shorter than its row is never sent, even without a cut")
    func short() throws {
        var local = try open()
        let file = try edit(String(repeating: "x", count: 26_000), of: "a", local)
        try file.synchronize(promising: true)
        try local.store.write { try file.persist(in: $0) }
        #expect(truncate(number(file), 5000) == 0)
        local = try open()
        #expect(try node("a", local)?.staged == nil)
        #expect(local.staging.found.map(\.reason) == [.short])
    }

    @Test("a staging file that loses bytes at run time is not filled with zeros")
    func shortAtRunTime() throws {
        let local = try open()
        var file: StagedFile? = try edit(String(repeating: "x", count: 26_000), of: "a", local)
        let inode = try #require(file?.inode)
        let path = try #require(file.map { number($0) })
        #expect(truncate(path, 5000) == 0)
        #expect(throws: StagingError.short) { try file?.read(at: 0, count: 26_000) }
        #expect(throws: StagingError.short) {
            var bytes = [UInt8](repeating: 1, count: 26_000)
            try bytes.withUnsafeMutableBytes { try file?.readForUpload(at: 0, into: $0) }
        }
        // The next open could make it longer again, with zeros between.
        file = nil
        #expect(throws: StagingError.short) { try local.staging.existing(inode) }
        #expect(try local.staging.existing([inode]).isEmpty)
    }

    @Test("zeros behind a base are there also if the staging file has to be created anew")
    func zerosBehindBase() throws {
        let local = try open()
        let base = StagedContent.Base(
            revision: Revision("0123456789"), hash: .init(blockDigests: []), size: 3, limit: 3)
        let inode = try local.store.write { transaction in
            let inode = try transaction.insertRemote(
                .file, at: Place(parent: .root, name: try FileName("a")),
                facts: RemoteFacts(id: FileID("id:1"), revision: base.revision, size: 3))
            let file = try local.staging.begin(inode, base: base, size: 3, in: transaction)
            _ = try file.truncate(to: 1000, now: .now())
            try file.persist(in: transaction)
            #expect(unlink(number(file)) == 0)
            return inode
        }
        let file = try #require(try local.staging.existing(inode))
        try file.fill(0..<3, with: [1, 2, 3], of: base)
        var sent = [UInt8](repeating: 1, count: 1000)
        try sent.withUnsafeMutableBytes { try file.readForUpload(at: 0, into: $0) }
        #expect(sent == [1, 2, 3] + [UInt8](repeating: 0, count: 997))
    }

    @Test("a row whose file is gone ends, and does not wait for ever")
    func missing() throws {
        var local = try open()
        let file = try edit("text", of: "a", local)
        #expect(unlink(number(file)) == 0)
        local = try open()
        let node = try #require(try node("a", local))
        #expect(node.staged == nil && local.staging.found.map(\.reason) == [.missing])
        #expect(try local.store.read { try $0.journalEntry(of: node.inode) } == nil)
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
        #expect(try node("a", local)?.staged != nil && local.staging.found.isEmpty)
    }

    @Test("without its database, unsent content is kept aside and said", arguments: [true, false])
    func noDatabase(isSynchronized: Bool) throws {
        var local = try open()
        let file = try edit("text", of: "a", local)
        if isSynchronized { try file.synchronize(promising: true) }
        try local.store.write { try file.persist(in: $0) }
        try local.store.synchronize()
        for suffix in ["", "-wal", "-shm"] { unlink(database + suffix) }
        local = try open()
        #expect(local.store.damage == .missing)
        #expect(Set(local.staging.found.map(\.reason)) == [.database, .unknown])
        let kept = local.staging.lostAndFound.folder + "/\(file.number)"
        #expect(try String(contentsOfFile: kept, encoding: .utf8) == "text")
        // No later file gets its number.
        #expect(try write("text", to: "b", local).number > file.number)
    }

    @Test("a log that has lost its end is noticed", arguments: ["cut", "flipped", "gone"])
    func log(damage: String) throws {
        var local = try open()
        let file = try edit("text", of: "a", local)
        try file.synchronize(promising: true)
        try local.store.write { try file.persist(in: $0) }
        try local.store.synchronize()
        let log = database + "-wal"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
        // Read and written as another process would, after the first one has died.
        let copy = folder + "/copy"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        for name in ["tree.sqlite", "tree.sqlite-mark", "staging"] {
            try FileManager.default.copyItem(atPath: folder + "/" + name, toPath: copy + "/" + name)
        }
        switch damage {
        case "cut":
            try bytes.dropLast(4200).write(to: URL(fileURLWithPath: copy + "/tree.sqlite-wal"))
        case "flipped":
            var changed = bytes
            for index in changed.indices.suffix(2000).prefix(4) { changed[index] ^= 0xFF }
            try changed.write(to: URL(fileURLWithPath: copy + "/tree.sqlite-wal"))
        default: break
        }
        let store = try MetadataStore(path: copy + "/tree.sqlite")
        #expect(store.damage == .logCutShort)
        let staging = try StagingArea(directory: copy + "/staging", store: store, flushDelay: 1000)
        #expect(staging.found.contains { $0.reason == .database })
        #expect(staging.found.contains { $0.bytes == 4 })
        local = try open()
        #expect(local.store.damage == nil && local.staging.found.isEmpty)
    }

    @Test("a database that was closed in order, or whose log began anew, is not damaged")
    func closed() throws {
        var local = try open()
        for round in 0..<3 {
            for number in 0..<400 { _ = try write("text", to: "\(round).\(number)", local) }
            try local.store.synchronize()
            #expect(try MetadataStore(path: database).damage == nil)
        }
        local.staging.end()
        try local.store.close()
        local = try open()
        #expect(local.store.damage == nil && local.staging.found.isEmpty)
    }

    @Test("a file without a row is put aside, and an empty one removed")
    func withoutRow() throws {
        let first = try open()
        try Data("content".utf8).write(to: URL(fileURLWithPath: staged + "/77"))
        try Data().write(to: URL(fileURLWithPath: staged + "/78"))
        let local = try open()
        #expect(first.staging.found.isEmpty)
        #expect(local.staging.found.map(\.file) == ["77"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: staged).isEmpty)
    }
}
