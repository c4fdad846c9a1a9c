// The tables of the record, and one transfer's row as a value. Not responsible for when it is written: see
// TransferStore.

import ContentHashing
import DropboxAPI
import Foundation
import GRDB

/// What the record knows of a transfer.
struct TransferRecord: Sendable {
    /// How far it is, as far as it must be known after a crash.
    enum Phase: Int64, Sendable {
        /// Bytes are to be moved.
        case moving = 0
        /// All bytes are there. The commit may have been sent; the part file may have got its name.
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
    /// What the file to upload was when it was enqueued.
    var identity: FileIdentity?
    /// The upload's session, and the bytes that it surely has.
    var session: String?
    var offset: UInt64 = 0
    /// The version to download: its revision, its size and its hash.
    var revision: String?
    var size: UInt64?
    var hash: ContentHash?
    /// Where the download is until it is complete.
    var part: String?
    /// Metadata of what was stored, or the failure, as JSON.
    var outcome: Data?
}

extension TransferRecord {
    /// What the owner sees of it while it is not running.
    var transfer: Transfer {
        Transfer(
            id: id, label: label, request: request, earliestStart: earliestStart, state: state,
            bytesDone: phase == .moving ? offset : size ?? offset, bytesTotal: size)
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
    /// A row that nobody of this version has written.
    fileprivate static let unreadable = TransferFailure(
        .damaged, "the record of the result cannot be read")
}

// MARK: Rows

extension TransferRecord {
    /// Every step that ever shipped, in order. A step is never edited once released.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try $0.execute(sql: version1) }
        return migrator
    }

    /// `block`: the digests of the blocks of 4 MiB of an upload that its session has, by their number.
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

    /// The values of the columns. Sizes and inode numbers are 64 bits of either sign in SQLite.
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

    /// Reads a row of all columns. Throws when the request cannot be read, or a column is no value of its type.
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
        if let device = try row.number(ifAny: "device"),
            let inode = try row.number(ifAny: "inode"),
            let modified = try row.number(ifAny: "modified")
        {
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
