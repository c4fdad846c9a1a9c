// The folder of a queue: its lock, its database, and the queries. After a crash the state can
// always be resumed, because each change is one transaction that is durable on return.

import CLibrary
import ContentHashing
import DropboxAPI
import Foundation
import GRDB
import Saturating
import Synchronization

/// The records of all transfers of one folder.
final class TransferStore: Sendable {
    private let lock: FolderLock
    /// Nil once the store is closed. Each request retains the connection: closing one during a
    /// request would trap.
    private let connection: Mutex<DatabaseQueue?>

    /// Opens or makes the folder (0700) and the database in it (0600).
    init(folder: String) throws(TransferQueueError) {
        lock = try FolderLock(folder)
        // SQLite creates its other files with the mode of this one.
        let path = folder + "/transfers.sqlite"
        let file = CLibrary.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .folder(errno: errno) }
        CLibrary.close(file)
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

    /// Fails all further requests and releases the folder.
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

    /// Unfinished transfers, oldest first: number, and start time in seconds since 1970.
    func unfinished() async throws -> [(id: Int64, earliest: Int64)] {
        try await database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT id, earliest FROM transfer WHERE phase < 2 ORDER BY id"
            ).map { (try $0.number("id"), try $0.number(ifAny: "earliest") ?? .min) }
        }
    }

    /// Inserts a new row; returns its number.
    func insert(_ record: TransferRecord) async throws -> Int64 {
        try await database.write { database in
            try database.execute(
                sql: TransferRecord.insertion, arguments: try record.arguments())
            return database.lastInsertedRowID
        }
    }

    /// Replaces a row, and adds the digests of blocks that its session received, if any.
    func update(
        _ record: TransferRecord, adding digests: [ContentHash] = [], from start: UInt64 = 0
    ) async throws {
        try await database.write { database in
            try database.execute(
                sql: TransferRecord.update, arguments: try record.arguments() + [record.id])
            let first = start.divided(by: UInt64(ContentHasher.blockSize))
            for (index, digest) in digests.enumerated() {
                let number = Int64(clamping: first) +| Int64(clamping: index)
                try database.execute(
                    sql: "INSERT OR REPLACE INTO block (transfer, number, digest) VALUES (?, ?, ?)",
                    arguments: [record.id, number, Data(digest.bytes)])
            }
        }
    }

    /// Replaces a row whose session is gone, and deletes its block digests.
    func updateForgettingBlocks(_ record: TransferRecord) async throws {
        try await database.write { database in
            try database.execute(
                sql: TransferRecord.update, arguments: try record.arguments() + [record.id])
            try Self.deleteBlocks(of: record.id, database)
        }
    }

    /// The digests of an upload's first blocks, at most `count`, up to the first gap.
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

/// Exclusive lock on a folder, until it is released or the process ends, even by a crash.
private final class FolderLock: Sendable {
    private let descriptor: Int32

    init(_ folder: String) throws(TransferQueueError) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw .folder(errno: errno) }
        let descriptor = CLibrary.open(
            folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .folder(errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            CLibrary.close(descriptor)
            throw .inUse
        }
        self.descriptor = descriptor
    }

    func release() {
        flock(descriptor, LOCK_UN)
    }

    deinit {
        CLibrary.close(descriptor)
    }
}
