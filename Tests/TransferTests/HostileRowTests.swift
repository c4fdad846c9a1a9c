// Rows of the record that no version of this library writes: an error, and not the end of the
// process.

import DropboxAPI
import Foundation
import GRDB
import Testing

@testable import DropboxTransfers

@Suite("damaged rows of the record")
struct HostileRowTests {
    private static let values = [
        "NULL", "'text'", "x'00ff80'", "x''", "-9223372036854775808", "9223372036854775807", "-1",
        "1e300", "CAST('" + String(repeating: "[", count: 513) + "' AS BLOB)",
    ]

    /// A folder with the record of an upload and of a download.
    private func makeRecord() async throws -> String {
        let folder = NSTemporaryDirectory() + "dbxfs-rows-" + UUID().uuidString
        let file = folder + "-source"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: file))
        let queue = try TransferQueue.open(folder: folder, client: ScriptedTransport().client())
        _ = try await queue.enqueue(
            UploadRequest(file: file, commit: .init(path: "/a")), label: "up",
            earliestStart: Timestamp(secondsSince1970: 4_000_000_000))
        _ = try await queue.enqueue(
            DownloadRequest(path: "/b", file: folder + "-target"), label: "down",
            earliestStart: Timestamp(secondsSince1970: 4_000_000_000))
        await queue.close()
        return folder
    }

    @Test("with any value in a column, the queue opens, or says that it cannot")
    func everyColumn() async throws {
        let folder = try await makeRecord()
        let path = folder + "/transfers.sqlite"
        let columns = try await DatabaseQueue(path: path).write { database in
            try database.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '')
                        WHERE type = 'table';
                    """)
            return try String.fetchAll(
                database, sql: "SELECT name FROM pragma_table_info('transfer') WHERE name <> 'id'")
        }
        let pristine = try Data(contentsOf: URL(fileURLWithPath: path))
        for column in columns {
            for value in Self.values {
                for suffix in ["-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: path + suffix)
                }
                try pristine.write(to: URL(fileURLWithPath: path))
                let database = try DatabaseQueue(path: path)
                try await database.write { database in
                    try database.execute(sql: "UPDATE transfer SET \(column) = \(value)")
                }
                try database.close()
                guard
                    let queue = try? TransferQueue.open(
                        folder: folder, client: ScriptedTransport { _, _ in .hang }.client())
                else { continue }
                for transfer in try await queue.reconnect() {
                    try? await queue.cancel(transfer.id)
                }
                await queue.close()
            }
        }
    }
}
