// What is noticed of a database that was replaced, cut short or written by a later version.

import Core
import Foundation
import GRDB
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

    @Test("the extent of a log is what SQLite has committed, by the file and by its index")
    func extent() throws {
        let store = try MetadataStore(path: path)
        for number in 0..<50 {
            try store.write { try $0.setSetting("key \(number)", to: "value") }
        }
        let log = try #require(LogExtent(ofLogAt: path + "-wal"))
        #expect(log.frames > 50)
        #expect(LogExtent(indexAt: path + "-shm") == log)
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
