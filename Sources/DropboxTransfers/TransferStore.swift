// The folder of a queue: its lock, its database, and what is asked of and written to that. What a crash leaves is always
// a state that somebody can go on from, because each change is one transaction that is on the disk when it returns.

import ContentHashing
import DropboxAPI
import Foundation
import GRDB
import Glibc
import Synchronization

/// The record of all transfers of one folder.
final class TransferStore: Sendable {
    private let lock: FolderLock
    /// Nil once the store is closed. The connection ends with the last request that uses it: one that is closed under a
    /// request ends the process.
    private let connection: Mutex<DatabaseQueue?>

    /// Opens or makes the folder (0700) and the database in it (0600).
    init(folder: String) throws(TransferQueueError) {
        lock = try FolderLock(folder)
        // SQLite gives its other files the mode of this one.
        let path = folder + "/transfers.sqlite"
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .folder(errno: errno) }
        Glibc.close(file)
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { database in
            try database.execute(
                sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        }
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            try TransferRecord.migrator.migrate(database)
            connection = Mutex(database)
        } catch {
            throw .database("\(error)")
        }
    }

    /// Fails all further requests and gives the folder up.
    func close() {
        connection.withLock { $0 = nil }
        lock.release()
    }

    private var database: DatabaseQueue {
        get throws(TransferQueueError) {
            guard let database = connection.withLock({ $0 }) else { throw .closed }
            return database
        }
    }

    // MARK: Records

    /// All transfers, oldest first.
    func all() throws -> [TransferRecord] {
        try database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM transfer ORDER BY id")
                .map { try TransferRecord($0) }
        }
    }

    func record(_ id: Int64) async throws -> TransferRecord? {
        try await database.read { database in
            try Row.fetchOne(database, sql: "SELECT * FROM transfer WHERE id = ?", arguments: [id])
                .map { try TransferRecord($0) }
        }
    }

    /// Those that have not ended, oldest first: number, and seconds since 1970 before which it does not start.
    func unfinished() async throws -> [(id: Int64, earliest: Int64)] {
        try await database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT id, earliest FROM transfer WHERE phase < 2 ORDER BY id"
            ).map { (try $0.number("id"), try $0.number(ifAny: "earliest") ?? .min) }
        }
    }

    /// Writes a new row; returns its number.
    func insert(_ record: TransferRecord) async throws -> Int64 {
        try await database.write { database in
            try database.execute(
                sql: TransferRecord.insertion, arguments: try record.arguments())
            return database.lastInsertedRowID
        }
    }

    /// Replaces a row, and adds what its session has got, if anything.
    func update(
        _ record: TransferRecord, adding digests: [ContentHash] = [], from start: UInt64 = 0
    ) async throws {
        try await database.write { database in
            try database.execute(
                sql: TransferRecord.update, arguments: try record.arguments() + [record.id])
            for (index, digest) in digests.enumerated() {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO block (transfer, number, digest) VALUES (?, ?, ?)",
                    arguments: [
                        record.id, Int64(start / UInt64(ContentHasher.blockSize)) + Int64(index),
                        Data(digest.bytes),
                    ])
            }
        }
    }

    /// Replaces a row whose session is gone, and forgets what that had.
    func updateForgettingBlocks(_ record: TransferRecord) async throws {
        try await database.write { database in
            try database.execute(
                sql: TransferRecord.update, arguments: try record.arguments() + [record.id])
            try Self.deleteBlocks(of: record.id, database)
        }
    }

    /// The digests of an upload's first blocks, `count` at most and as far as they are known without a gap.
    func digests(of id: Int64, count: Int) async throws -> [ContentHash] {
        try await database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql:
                    "SELECT number, digest FROM block WHERE transfer = ? AND number < ? ORDER BY number",
                arguments: [id, count])
            var digests: [ContentHash] = []
            for row in rows {
                guard try row.number("number") == digests.count,
                    let digest = try row.data(ifAny: "digest").flatMap({ ContentHash(bytes: $0) })
                else { break }
                digests.append(digest)
            }
            return digests
        }
    }

    func delete(_ id: Int64) async throws {
        try await database.write { database in
            try Self.deleteBlocks(of: id, database)
            try database.execute(sql: "DELETE FROM transfer WHERE id = ?", arguments: [id])
        }
    }

    private static func deleteBlocks(of id: Int64, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM block WHERE transfer = ?", arguments: [id])
    }
}

/// Sole use of a folder, until it is released or the process ends, however it ends.
private final class FolderLock: Sendable {
    private let descriptor: Int32

    init(_ folder: String) throws(TransferQueueError) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw .folder(errno: errno) }
        let descriptor = Glibc.open(
            folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .folder(errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Glibc.close(descriptor)
            throw .inUse
        }
        self.descriptor = descriptor
    }

    func release() {
        flock(descriptor, LOCK_UN)
    }

    deinit {
        Glibc.close(descriptor)
    }
}
