// A disk that refuses a flush: Linux tells it once, and calls the pages clean from then on. The flushes of these tests
// fail as often as is said.

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
            var filesystem = 0
            var filesystemCalls = 0
        }

        let failures = Mutex(Failures())

        var calls: FlushCalls {
            FlushCalls(
                file: { _ in self.failures.withLock { Self.result(&$0.files) } },
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

    @Test("content of a failed flush is never vouched for, also if the next flush succeeds")
    func fsync() throws {
        let staging = try open()
        let file = try write("a", staging)
        try send(file)
        disk.failures.withLock { $0.files = 1 }
        for _ in 0..<2 {
            #expect(throws: StagingError.doubtful) { try file.synchronize(promising: true) }
        }
        try staging.flush()
        #expect(try isFlushed(file) == false)
        #expect(throws: StagingError.doubtful) { try send(file) }
        #expect(throws: StagingError.doubtful) { try file.vouch() }
        // Readers still get it, to keep it elsewhere.
        #expect(try read(file) == "text")
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
        disk.failures.withLock { ($0.files, $0.filesystem) = (1, 1) }
        #expect(throws: StagingError.doubtful) { try staging.flush() }
        try staging.flush()
        let refused = files.filter { (try? $0.vouch()) == nil }
        #expect(refused.count == 1)
        for file in files {
            #expect(try isFlushed(file) == (file !== refused.first))
        }
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
        try store.write { try $0.setSetting("staging.system", to: "another boot") }
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
        let end = Date().addingTimeInterval(60)
        while try isFlushed(file) != true {
            try #require(Date() < end)
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
