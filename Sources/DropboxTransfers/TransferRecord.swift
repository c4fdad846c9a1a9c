// The database's tables, and one transfer's row as a value. Not responsible for when it is written:
// see TransferStore.

import ContentHashing
import DropboxAPI
import Foundation
import GRDB

/// The row of a transfer.
struct TransferRecord: Sendable {
    /// The durable progress of a transfer.
    enum Phase: Int64, Sendable {
        /// Bytes remain to be transferred.
        case moving = 0
        /// All bytes are transferred. The commit may have been sent; the part file may have been
        /// renamed.
        case placing = 1
        case stored = 2
        case failed = 3
        case cancelled = 4
    }

    var id: Int64 = 0
    var label: String
    var request: Transfer.Request
    var earliestStart: Timestamp?
    var phase = Phase.moving
    /// The identity of the file to upload when it was enqueued.
    var identity: FileIdentity?
    /// The upload session, and the offset that it has reached for sure.
    var session: String?
    var offset: UInt64 = 0
    /// The revision to download, with its size and hash.
    var revision: String?
    var size: UInt64?
    var hash: ContentHash?
    /// The part file's path until the download is complete.
    var part: String?
    /// Metadata of the stored file, or the failure, as JSON.
    var outcome: Data?
}

extension TransferRecord {
    /// The transfer as callers see it while it is not running.
    var transfer: Transfer {
        Transfer(
            id: id, label: label, request: request, earliestStart: earliestStart, state: state,
            bytesDone: phase == .moving ? offset : size ?? offset, bytesTotal: size)
    }

    /// The failure of an upload that is ended while its commit may have been carried out.
    var doubtfulCommit: TransferFailure? {
        guard phase == .placing, case .upload(let upload) = request else { return nil }
        return TransferFailure(
            .uncertain, "it is unknown whether \(upload.commit.path) is stored: cancelled")
    }

    private var state: Transfer.State {
        switch phase {
        case .moving, .placing: return .waiting
        case .cancelled: return .cancelled
        case .stored:
            let file = outcome.flatMap {
                try? JSON.decode(Files.FileMetadata.self, from: Array($0))
            }
            return file.map { .stored($0) } ?? .failed(.unreadable)
        case .failed:
            let failure = outcome.flatMap {
                try? JSON.decode(TransferFailure.self, from: Array($0))
            }
            return .failed(failure ?? .unreadable)
        }
    }
}

extension TransferFailure {
    /// The outcome of a row that this version has not written.
    fileprivate static let unreadable = TransferFailure(
        .damaged, "the record of the result cannot be read")
}

// MARK: Rows

extension TransferRecord {
    /// Every released migration, in order. A released migration is never edited.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try $0.execute(sql: version1) }
        return migrator
    }

    /// `block`: digests of the 4 MiB blocks that an upload's session has, by block number.
    private static let version1 = """
        CREATE TABLE transfer (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            label TEXT NOT NULL,
            upload BLOB,
            download BLOB,
            earliest INTEGER,
            phase INTEGER NOT NULL,
            device INTEGER,
            inode INTEGER,
            modified INTEGER,
            session TEXT,
            offset INTEGER NOT NULL,
            revision TEXT,
            size INTEGER,
            hash BLOB,
            part TEXT,
            outcome BLOB
        );
        CREATE INDEX transfer_open ON transfer(id) WHERE phase < 2;
        CREATE TABLE block (
            transfer INTEGER NOT NULL,
            number INTEGER NOT NULL,
            digest BLOB NOT NULL,
            PRIMARY KEY (transfer, number)
        ) WITHOUT ROWID;
        """

    /// The columns of a row, in the order of `arguments`.
    private static let columns = [
        "label", "upload", "download", "earliest", "phase", "device", "inode", "modified",
        "session", "offset", "revision", "size", "hash", "part", "outcome",
    ]

    static let insertion = """
        INSERT INTO transfer (\(columns.joined(separator: ", "))) \
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        """

    static let update = """
        UPDATE transfer SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE id = ?
        """

    /// The values of the columns. SQLite stores sizes and inode numbers as signed 64-bit integers.
    func arguments() throws -> StatementArguments {
        var upload: Data?
        var download: Data?
        switch request {
        case .upload(let request): upload = try JSONEncoder().encode(request)
        case .download(let request): download = try JSONEncoder().encode(request)
        }
        return [
            label, upload, download, earliestStart?.secondsSince1970, phase.rawValue,
            identity.map { Int64(bitPattern: $0.device) },
            identity.map { Int64(bitPattern: $0.inode) }, identity?.modified, session,
            Int64(bitPattern: offset), revision, size.map { Int64(bitPattern: $0) },
            hash.map { Data($0.bytes) }, part, outcome,
        ]
    }

    /// Decodes a row of all columns. Throws when the request is unreadable, or a column has a value
    /// of another type.
    init(_ row: Row) throws {
        if let upload = try row.data(ifAny: "upload") {
            request = .upload(try JSON.decode(UploadRequest.self, from: Array(upload)))
        } else {
            let download = try row.data(ifAny: "download") ?? Data()
            request = .download(try JSON.decode(DownloadRequest.self, from: Array(download)))
        }
        id = try row.number("id")
        label = try row.text(ifAny: "label") ?? ""
        earliestStart = try row.number(ifAny: "earliest")
            .map { Timestamp(secondsSince1970: $0) }
        phase = Phase(rawValue: try row.number("phase")) ?? .failed
        size = try row.number(ifAny: "size").map { UInt64(bitPattern: $0) }
        if let inode = try row.number(ifAny: "inode"),
            let modified = try row.number(ifAny: "modified")
        {
            let device = try row.number(ifAny: "device") ?? 0
            identity = FileIdentity(
                device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode),
                size: size ?? 0, modified: modified)
        }
        session = try row.text(ifAny: "session")
        offset = UInt64(bitPattern: try row.number("offset"))
        revision = try row.text(ifAny: "revision")
        hash = try row.data(ifAny: "hash").flatMap { ContentHash(bytes: $0) }
        part = try row.text(ifAny: "part")
        outcome = try row.data(ifAny: "outcome")
    }
}
