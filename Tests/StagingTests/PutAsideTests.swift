// A start that puts content aside and is cut off on the way: the next one ends what it began, and
// notes nothing twice.

import Core
import Foundation
import Glibc
import MetadataStore
import Synchronization
import TestSupport
import Testing

@testable import Staging

@Suite struct PutAsideTests {
    private let folder = TemporaryFolder.make()
    private let database: MemoryDatabase
    private var lost: LostAndFound { LostAndFound(folder: folder + "/lost+found") }

    init() throws {
        database = try MemoryDatabase()
    }

    private func open(
        gate: @escaping @Sendable (StoreAccess) throws -> Void = { _ in }
    ) throws -> (store: MetadataStore, staging: StagingArea) {
        let store = try MetadataStore(database, gate: gate)
        let staging = try StagingArea(
            directory: folder + "/staging", store: store, flushDelay: 1000)
        return (store, staging)
    }

    private func path(_ number: Int64) -> String { "\(folder)/staging/\(number)" }

    /// Leaves content that the next start doubts; returns the number of its staging file.
    private func leaveDoubted() throws -> Int64 {
        let (store, staging) = try open()
        let file = try store.write { transaction in
            let place = Place(parent: .root, name: try FileName("a"))
            let inode = try transaction.insert(.file, at: place, local: LocalFacts())
            let file = try staging.begin(inode, base: nil, size: 0, in: transaction)
            _ = try Array("text".utf8).withUnsafeBytes { try file.write(at: 0, $0, now: .now()) }
            try file.persist(in: transaction)
            return file
        }
        try store.forgetSystem()
        return file.number
    }

    private func expectOne(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let entries = lost.entries()
        #expect(entries.map(\.content.path) == ["/a"], sourceLocation: sourceLocation)
        for entry in entries {
            let file = try #require(lost.file(of: entry), sourceLocation: sourceLocation)
            #expect(
                try String(contentsOfFile: file, encoding: .utf8) == "text",
                sourceLocation: sourceLocation)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: lost.folder)
        #expect(names.count == 2, sourceLocation: sourceLocation)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder + "/staging")
        #expect(left.isEmpty, sourceLocation: sourceLocation)
    }

    @Test("no row on the disk names a file when it is moved")
    func order() throws {
        let number = try leaveDoubted()
        let path = path(number)
        let before = Mutex<[StoreAccess]>([])
        let (store, staging) = try open { access in
            var status = stat()
            guard access != .read, lstat(path, &status) == 0 else { return }
            before.withLock { $0.append(access) }
        }
        #expect(before.withLock { $0.suffix(3) } == [.write, .commit, .flush])
        #expect(try store.read { try $0.stagedNodes() }.isEmpty)
        #expect(staging.found.map(\.reason) == [.notFlushed])
        try expectOne()
    }

    @Test("the number of a file without a row is reserved on the disk before the file is moved")
    func numberBeforeMove() throws {
        _ = try open()
        // The highest number: only this file says that it is in use.
        let path = path(77)
        try Data("text".utf8).write(to: URL(fileURLWithPath: path))
        let before = Mutex<[StoreAccess]>([])
        let (store, staging) = try open { access in
            var status = stat()
            guard access != .read, lstat(path, &status) == 0 else { return }
            before.withLock { $0.append(access) }
        }
        #expect(before.withLock { $0.suffix(3) } == [.write, .commit, .flush])
        #expect(staging.found.map(\.file) == ["77"])
        #expect(try store.write { try $0.nextStagingFile() } > 77)
    }

    @Test("a start that ended before the move is continued by the next one")
    func beforeMove() throws {
        let number = try leaveDoubted()
        // In the folder's place, so that nothing can be moved there.
        try Data().write(to: URL(fileURLWithPath: lost.folder))
        for _ in 0..<2 { #expect(throws: StagingError.self) { try open() } }
        #expect(FileManager.default.fileExists(atPath: path(number)))
        try FileManager.default.removeItem(atPath: lost.folder)
        let (store, staging) = try open()
        #expect(staging.found.map(\.reason) == [.notFlushed])
        try expectOne()
        #expect(try store.read { try $0.filesToPutAside() }.isEmpty)
        #expect(try open().staging.found.isEmpty)
    }

    @Test(
        "a file that was moved by a start that then ended is noted once", arguments: [false, true])
    func afterMove(byLink: Bool) throws {
        let number = try leaveDoubted()
        let found = try #require(try open().staging.found.first)
        if byLink {
            // The second name of the file was there when the start ended.
            let file = try #require(found.file)
            #expect(link("\(lost.folder)/\(file)", path(number)) == 0)
        }
        try MetadataStore(database) { _ in }.write {
            try $0.announceAside(AsideFile(file: number, note: found.text()))
        }
        let (store, staging) = try open()
        #expect(staging.found == (byLink ? [found] : []))
        try expectOne()
        #expect(try store.read { try $0.filesToPutAside() }.isEmpty)
    }

    @Test("content whose file is gone is noted once, however often the start is cut off")
    func missing() throws {
        let number = try leaveDoubted()
        #expect(unlink(path(number)) == 0)
        for isAgain in [false, true] {
            let (store, staging) = try open()
            if !isAgain {
                let note = try #require(staging.found.first).text()
                try store.write { try $0.announceAside(AsideFile(file: number, note: note)) }
            }
            #expect(lost.contents().map(\.reason) == [.missing])
        }
    }

    @Test("an announcement that cannot be read puts the file aside as an unknown one")
    func unreadable() throws {
        let number = try leaveDoubted()
        try MetadataStore(database) { _ in }.write { transaction in
            try transaction.setSetting("staging.system", to: nil)
            let node = try #require(try transaction.stagedNodes().first)
            try transaction.abandonStaged(of: node)
            try transaction.announceAside(AsideFile(file: number, note: "{"))
        }
        #expect(try open().staging.found.map(\.reason) == [.unknown])
    }

    @Test("an unknown file that lacks whole blocks may lack those of a revision")
    func unknownHoles() throws {
        // The folder.
        _ = try open()
        let block = Int(StagedFile.blockSize)
        for (number, start, count) in [(71, block + 5, 3), (72, 0, block + 3)] {
            let descriptor = Glibc.open(path(Int64(number)), O_WRONLY | O_CREAT, 0o600)
            defer { close(descriptor) }
            let bytes = [UInt8](repeating: 7, count: count)
            #expect(pwrite(descriptor, bytes, count, off_t(start)) == count)
        }
        let found = try open().staging.found
        #expect(found.map(\.missing) == [[0..<Int64(block)], []])
        #expect(found.map(\.reason) == [.unknown, .unknown])
    }
}
