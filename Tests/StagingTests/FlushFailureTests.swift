// A disk that refuses a flush: Linux tells it once, and calls the pages clean from then on. The
// flushes of these tests fail as often as is said.

import Core
import Foundation
import Glibc
import MetadataStore
import Synchronization
import TestSupport
import Testing

@testable import Staging

@Suite struct FlushFailureTests {
    /// Flushes, of which some fail.
    private final class Disk: Sendable {
        struct Failures {
            var files = 0
            /// The inode number of a file that is never flushed.
            var file: __ino_t?
            var filesystem = 0
            var filesystemCalls = 0
        }

        let failures = Mutex(Failures())

        var calls: FlushCalls {
            FlushCalls(
                file: { descriptor in
                    var status = stat()
                    let isKnown = fstat(descriptor, &status) == 0
                    return self.failures.withLock { failures in
                        if isKnown, status.st_ino == failures.file { failures.files = 1 }
                        return Self.result(&failures.files)
                    }
                },
                filesystem: { _ in
                    self.failures.withLock { $0.filesystemCalls += 1 }
                    return self.failures.withLock { Self.result(&$0.filesystem) }
                })
        }

        private static func result(_ failures: inout Int) -> Int32 {
            guard failures > 0 else { return 0 }
            failures -= 1
            errno = EIO
            return -1
        }
    }

    private let folder = TemporaryFolder.make()
    private let disk = Disk()
    private let store: MetadataStore

    init() throws {
        store = try MetadataStore(path: folder + "/tree.sqlite")
    }

    private func open(flushDelay: Double = 1000) throws -> StagingArea {
        try StagingArea(
            directory: folder + "/staging", store: store, flushDelay: flushDelay,
            flushing: disk.calls)
    }

    private func write(_ name: String, _ staging: StagingArea) throws -> StagedFile {
        try store.write { transaction in
            let place = Place(parent: .root, name: try FileName(name))
            let inode = try transaction.insert(.file, at: place, local: LocalFacts())
            let file = try staging.begin(inode, base: nil, size: 0, in: transaction)
            try put("text", into: file)
            try file.persist(in: transaction)
            return file
        }
    }

    private func put(_ text: String, into file: StagedFile) throws {
        _ = try Array(text.utf8).withUnsafeBytes { try file.write(at: 0, $0, now: .now()) }
    }

    private func isFlushed(_ file: StagedFile) throws -> Bool? {
        try store.read { try $0.node(file.inode)?.staged?.isFlushed }
    }

    private func send(_ file: StagedFile) throws {
        var bytes = [UInt8](repeating: 0, count: 4)
        try bytes.withUnsafeMutableBytes { try file.readForUpload(at: 0, into: $0) }
    }

    /// Lets the disk have other bytes, as if the pages had left the memory after a failed flush.
    private func lose(_ file: StagedFile) {
        let descriptor = Glibc.open(file.path, O_WRONLY)
        defer { close(descriptor) }
        #expect(pwrite(descriptor, "old", 3, 0) == 3)
    }

    @Test("the successor of fsynced content is saved, also if the disk refuses its flush")
    func successor() throws {
        let staging = try open()
        let old = try write("a", staging)
        try old.synchronize(promising: true)
        try store.write { try old.persist(in: $0) }
        let new = try store.write { transaction in
            old.replace()
            return try staging.begin(old.inode, base: nil, size: 0, in: transaction)
        }
        try put("longer text", into: new)
        disk.failures.withLock { $0.files = 1 }
        try store.write { try new.persist(in: $0) }
        let row = try #require(try store.read { try $0.node(new.inode) })
        #expect(row.staged?.size == 11 && row.staged?.isFlushed == false)
        // A power cut would bring back what the fsync has promised.
        #expect(try store.read { try $0.fallback(of: new.inode) }?.file == old.number)
        #expect(throws: StagingError.doubtful) { try new.vouch() }
        try staging.flush()
        #expect(try isFlushed(new) == true)
    }

    @Test("content of a failed flush is flushed anew if memory has it, and not sent before")
    func repeated() throws {
        let staging = try open()
        let file = try write("a", staging)
        disk.failures.withLock { $0.files = 2 }
        for _ in 0..<2 {
            #expect(throws: StagingError.doubtful) { try file.synchronize(promising: true) }
        }
        #expect(throws: StagingError.doubtful) { try file.vouch() }
        disk.failures.withLock { $0.files = 1 }
        #expect(throws: StagingError.doubtful) { try send(file) }
        try send(file)
        try file.vouch()
        try staging.flush()
        #expect(try isFlushed(file) == true)
        #expect(try store.read { try $0.setting(StoredSetting.doubtfulFiles) } == nil)
    }

    @Test("the time of a file that is flushed anew stays, so that a later start believes its row")
    func time() throws {
        let staging = try open()
        let file = try write("a", staging)
        let before = FileFacts(at: file.path)
        disk.failures.withLock { $0.files = 1 }
        #expect(throws: StagingError.doubtful) { try staging.flush() }
        try staging.flush()
        #expect(try isFlushed(file) == true)
        #expect(FileFacts(at: file.path) == before)
    }

    @Test("content that memory has lost is never vouched for, also if the next flush succeeds")
    func fsync() throws {
        let staging = try open()
        let file = try write("a", staging)
        try send(file)
        disk.failures.withLock { $0.files = 1 }
        #expect(throws: StagingError.doubtful) { try file.synchronize(promising: true) }
        lose(file)
        for _ in 0..<2 {
            #expect(throws: StagingError.doubtful) { try file.synchronize(promising: true) }
        }
        try staging.flush()
        #expect(try isFlushed(file) == false)
        #expect(throws: StagingError.doubtful) { try send(file) }
        #expect(throws: StagingError.doubtful) { try file.vouch() }
        // Readers still get it, to keep it elsewhere.
        #expect(try read(file) == "oldt")
    }

    private func read(_ file: StagedFile) throws -> String? {
        guard case .bytes(let bytes) = try file.read(at: 0, count: 100) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("content that was written anew from its beginning counts for what it is")
    func writtenAnew() throws {
        let staging = try open()
        let file = try write("a", staging)
        disk.failures.withLock { $0.files = 1 }
        #expect(throws: StagingError.doubtful) { try file.synchronize(promising: true) }
        lose(file)
        _ = try file.truncate(to: 0, now: .now())
        try put("new", into: file)
        try file.synchronize(promising: true)
        try store.write { try file.persist(in: $0) }
        #expect(try isFlushed(file) == true)
        try send(file)
    }

    @Test("a file that the disk refuses holds up no other one", arguments: [2, 20])
    func others(count: Int) throws {
        let staging = try open()
        let files = try (0..<count).map { try write("\($0)", staging) }
        var status = stat()
        let refused = try #require(files.first)
        try #require(lstat(refused.path, &status) == 0)
        disk.failures.withLock { [status] in ($0.file, $0.filesystem) = (status.st_ino, 1) }
        #expect(throws: StagingError.doubtful) { try staging.flush() }
        for _ in 0..<2 {
            try staging.flush()
            for file in files {
                #expect(try isFlushed(file) == (file !== refused))
                #expect(((try? file.vouch()) != nil) == (file !== refused))
            }
        }
        disk.failures.withLock { $0.file = nil }
        try refused.synchronize(promising: false)
        try refused.vouch()
    }

    @Test("after a failure of the filesystem, each file is asked: its own may not be told again")
    func filesystem() throws {
        let staging = try open()
        disk.failures.withLock { $0.filesystem = 1 }
        for round in 0..<3 {
            for number in 0..<20 { _ = try write("\(round).\(number)", staging) }
            try staging.flush()
        }
        #expect(disk.failures.withLock { $0.filesystemCalls } == 1)
    }

    @Test("the next process knows of it, unless the system has lost its memory since")
    func restart() throws {
        var staging = try open()
        let file = try write("a", staging)
        disk.failures.withLock { $0.files = 1 }
        #expect(throws: StagingError.doubtful) { try staging.flush() }
        staging = try open()
        let again = try #require(try staging.existing(file.inode))
        #expect(throws: StagingError.doubtful) { try send(again) }
        try staging.flush()
        #expect(try isFlushed(again) == false)
        try store.forgetSystem()
        staging = try open()
        #expect(staging.found.map(\.reason) == [.notFlushed])
        try write("a", staging).vouch()
    }

    @Test("a flush that could not be done is tried again by itself")
    func again() async throws {
        let staging = try open(flushDelay: 0.01)
        let file = try write("a", staging)
        // A link in its place is not followed.
        #expect(rename(file.path, file.path + "-") == 0)
        #expect(symlink("nowhere", file.path) == 0)
        #expect(throws: StagingError.self) { try staging.flush() }
        #expect(rename(file.path + "-", file.path) == 0)
        try await waitWhile { try isFlushed(file) != true }
    }
}
