// The detection of a database that was replaced, cut short or written by a later version.

import Core
import Foundation
import GRDB
import Glibc
import Synchronization
import Testing

@testable import MetadataStore

@Suite struct DamageTests {
    let path = TemporaryStore.path()

    @Test("a database of a later version is refused")
    func newer() throws {
        let store = try MetadataStore(path: path)
        #expect(try !DatabaseInspection(path: path).isTooNew())
        try store.write { transaction in
            try transaction.database.execute(
                sql: "INSERT INTO grdb_migrations (identifier) VALUES ('9999')")
        }
        try store.close()
        #expect(throws: MetadataStore.TooNew.self) { try MetadataStore(path: path) }
        #expect(try DatabaseInspection(path: path).isTooNew())
    }

    @Test("a full disk, a damaged database and other failures of SQLite are told apart")
    func failures() throws {
        #expect(MetadataStore.failure(in: DatabaseError(resultCode: .SQLITE_FULL)) == .diskFull)
        try Data(repeating: 1, count: 4096).write(to: URL(fileURLWithPath: path))
        let error = try #require(throws: DatabaseError.self) { try MetadataStore(path: path) }
        #expect(
            MetadataStore.failure(in: error) == .damaged(detail: "file is not a database"))
        #expect(
            MetadataStore.failure(in: DatabaseError(resultCode: .SQLITE_BUSY, message: "locked"))
                == .other(detail: "locked"))
        #expect(MetadataStore.failure(in: MetadataStore.TooNew()) == nil)
    }

    @Test("another database in the place of one is noticed")
    func replaced() throws {
        let store = try MetadataStore(path: path)
        try store.write { try $0.setSetting("key", to: "value") }
        try store.close()
        let other = TemporaryStore.path()
        try MetadataStore(path: other).close()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: other, toPath: path)
        #expect(try MetadataStore(path: path).damage == .replaced)
    }

    @Test("an older copy of a database is noticed, also after an orderly end")
    func older() throws {
        var store = try MetadataStore(path: path)
        try store.close()
        let copy = try Data(contentsOf: URL(fileURLWithPath: path))
        store = try MetadataStore(path: path)
        #expect(store.damage == nil)
        try store.write { try $0.setSetting("key", to: "value") }
        try store.close()
        store = try MetadataStore(path: path)
        #expect(store.damage == nil)
        try store.close()
        try copy.write(to: URL(fileURLWithPath: path))
        store = try MetadataStore(path: path)
        #expect(store.damage == .older)
        try store.close()
        // An old database that was reported once counts as the present one from then on.
        #expect(try MetadataStore(path: path).damage == nil)
    }

    @Test("a copy that was made while the database was open is older than its end")
    func olderOfSameRun() throws {
        let store = try MetadataStore(path: path)
        try store.database.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        let copy = try Data(contentsOf: URL(fileURLWithPath: path))
        try store.write { try $0.setSetting("key", to: "value") }
        try store.close()
        try copy.write(to: URL(fileURLWithPath: path))
        #expect(try MetadataStore(path: path).damage == .older)
    }

    @Test("a store that is released without its end, as by a mount that is refused, is not damaged")
    func released() throws {
        do {
            let store = try MetadataStore(path: path)
            try store.write { try $0.setSetting("key", to: "value") }
            try store.synchronize()
            #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        }
        // The last connection has ended it.
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        let store = try MetadataStore(path: path)
        #expect(store.damage == nil)
        #expect(try store.read { try $0.setting("key") } == "value")
    }

    @Test("the mark of an end is flushed before the log is deleted", arguments: [true, false])
    func flushedMark(isClosed: Bool) throws {
        let path = path
        let flushed = Mutex<[Bool?]>([])
        do {
            let store = try MetadataStore(path: path) { descriptor in
                let files = FileManager.default
                let name = try? files.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/\(descriptor)")
                if name == path + "-mark", files.fileExists(atPath: path + "-wal") {
                    flushed.withLock { $0.append(LogMark(at: path + "-mark")?.isClosed) }
                }
                return 0
            }
            try store.write { try $0.setSetting("key", to: "value") }
            if isClosed { try store.close() }
        }
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(flushed.withLock { $0 } == [true])
    }

    @Test("a database that cannot be opened is left as it is, with its log")
    func unopenable() throws {
        let store = try MetadataStore(path: path)
        try store.write { try $0.setSetting("key", to: "value") }
        let copy = TemporaryStore.path()
        for suffix in ["", "-wal"] {
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path + suffix))
            // Both are damaged: the log has the first page, too.
            bytes[0] ^= 0xff
            try bytes.write(to: URL(fileURLWithPath: copy + suffix))
        }
        try store.close()
        let before = try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: copy + $0)) }
        #expect(throws: DatabaseError.self) { try MetadataStore(path: copy) }
        let after = try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: copy + $0)) }
        #expect(before == after)
    }

    @Test("damage that was found is found again if the store was released without its end")
    func releasedDamage() throws {
        try MetadataStore(path: path).close()
        let other = TemporaryStore.path()
        try MetadataStore(path: other).close()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: other, toPath: path)
        #expect(try MetadataStore(path: path).damage == .replaced)
        #expect(try MetadataStore(path: path).damage == .logCutShort)
    }

    /// Flushes, of which some fail, and whether the last one was of a file opened for writing.
    private final class Disk: Sendable {
        let state = Mutex<(failures: Int, wasWritten: Bool)>((0, false))

        func flush(_ descriptor: Int32) -> Int32 {
            state.withLock { state in
                state.wasWritten = fcntl(descriptor, F_GETFL) & O_ACCMODE == O_WRONLY
                guard state.failures > 0 else { return 0 }
                state.failures -= 1
                errno = EIO
                return -1
            }
        }
    }

    @Test("a log whose flush has failed is written anew, because the next flush would succeed")
    func failedFlush() throws {
        let disk = Disk()
        let store = try MetadataStore(path: path, flush: disk.flush)
        try store.write { try $0.setSetting("key", to: "value") }
        disk.state.withLock { $0.failures = 2 }
        for _ in 0..<2 {
            #expect(throws: POSIXError.self) { try store.synchronize() }
            #expect(!store.isSafe)
        }
        try store.synchronize()
        #expect(store.isSafe && disk.state.withLock { $0.wasWritten })
        try store.write { try $0.setSetting("key", to: "other") }
        try store.synchronize()
        #expect(store.isSafe && !disk.state.withLock { $0.wasWritten })
        #expect(try store.read { try $0.setting("key") } == "other")
        try store.close()
        #expect(try MetadataStore(path: path).damage == nil)
    }

    @Test("a log that reads otherwise than it was written after a failed flush is not believed")
    func failedFlushAndLoss() throws {
        let disk = Disk()
        let store = try MetadataStore(path: path, flush: disk.flush)
        try store.write { try $0.setSetting("key", to: "value") }
        disk.state.withLock { $0.failures = 1 }
        #expect(throws: POSIXError.self) { try store.synchronize() }
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "-wal"))
        try log.seek(toOffset: 100)
        try log.write(contentsOf: [UInt8](repeating: 0xFF, count: 100))
        #expect(throws: POSIXError.self) { try store.synchronize() }
        #expect(!store.isSafe)
    }

    @Test("a failed write that SQLite was told of first is known, too")
    func failureToldToOthers() throws {
        let hasFailed = Mutex(false)
        let store = try MetadataStore(path: path) { descriptor in
            // Only descriptors that were open at the failure are told, which have another position.
            let wasOpen = lseek(descriptor, 0, SEEK_CUR) > 0
            _ = lseek(descriptor, 1, SEEK_SET)
            return hasFailed.withLock { hasFailed in
                guard hasFailed, wasOpen else { return 0 }
                hasFailed = false
                errno = EIO
                return -1
            }
        }
        try store.write { try $0.setSetting("key", to: "value") }
        hasFailed.withLock { $0 = true }
        #expect(throws: POSIXError.self) { try store.synchronize() }
        #expect(!store.isSafe)
        try store.synchronize()
        #expect(store.isSafe)
    }

    @Test("the extent of a log is what SQLite has committed, by the file and by its index")
    func extent() throws {
        let store = try MetadataStore(path: path)
        for number in 0..<50 {
            try store.write { try $0.setSetting("key \(number)", to: "value") }
        }
        let log = try #require(LogExtent(ofLogAt: path + "-wal"))
        #expect(log.frames > 50)
        #expect(LogIndex(ofDatabaseAt: path).extent == log)
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
        bytes[bytes.count / 2] ^= 1
        let damaged = try #require(LogExtent(log: bytes))
        #expect(damaged.frames < log.frames)
        #expect(LogExtent(log: Array(bytes.prefix(31))) == nil)
        #expect(LogExtent(log: [UInt8](repeating: 0, count: 100_000)) == nil)
        try store.close()
    }

    @Test("a log may begin anew, but not be another one")
    func salts() {
        let old: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4]
        #expect(LogExtent.mayFollow([0, 0, 0, 0, 9, 9, 9, 9], old))
        #expect(!LogExtent.mayFollow(old, old))
        #expect(!LogExtent.mayFollow([0x80, 0, 0, 0, 9, 9, 9, 9], old))
        #expect(!LogExtent.mayFollow([], old))
    }
}
