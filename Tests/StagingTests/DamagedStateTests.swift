// Staging files that are shorter than their rows, or gone, and databases that are gone or have lost
// the end of their log: the rest is kept, and nothing damaged is sent. Not responsible for a
// power cut that damages nothing (`PowerCutTests`).

import ContentHashing
import Core
import Foundation
import MetadataStore
import TestSupport
import Testing

@testable import Staging

@Suite struct DamagedStateTests {
    let folder = TemporaryFolder.make()
    private var database: String { folder + "/tree.sqlite" }
    private var staged: String { folder + "/staging" }

    private func open() throws -> LocalParts {
        try LocalParts(in: folder)
    }

    @Test("a staging file that is shorter than its row is never sent, even without a cut")
    func short() throws {
        var local = try open()
        let file = try local.edit(String(repeating: "x", count: 26_000), of: "a")
        try file.synchronize(promising: true)
        try local.store.write { try file.persist(in: $0) }
        #expect(truncate(file.path, 5000) == 0)
        local = try open()
        #expect(try local.node("a")?.staged == nil)
        #expect(local.staging.found.map(\.reason) == [.short])
    }

    @Test("a staging file that loses bytes at run time is not filled with zeros")
    func shortAtRunTime() throws {
        let local = try open()
        var file: StagedFile? = try local.edit(String(repeating: "x", count: 26_000), of: "a")
        let inode = try #require(file?.inode)
        let path = try #require(file?.path)
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
            #expect(unlink(file.path) == 0)
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
        let file = try local.edit("text", of: "a")
        #expect(unlink(file.path) == 0)
        local = try open()
        let node = try #require(try local.node("a"))
        #expect(node.staged == nil && local.staging.found.map(\.reason) == [.missing])
        #expect(try local.store.read { try $0.journalEntry(of: node.inode) } == nil)
    }

    @Test("without its database, unsent content is kept aside and said", arguments: [true, false])
    func noDatabase(isSynchronized: Bool) throws {
        var local = try open()
        let file = try local.edit("text", of: "a")
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
        #expect(try local.write("text", to: "b").number > file.number)
    }

    @Test("a log that has lost its end is noticed", arguments: ["cut", "flipped", "gone"])
    func log(damage: String) throws {
        var local = try open()
        let file = try local.edit("text", of: "a")
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
            for number in 0..<400 { _ = try local.write("text", to: "\(round).\(number)") }
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
