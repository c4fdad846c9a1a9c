// How a row becomes a node. The order of the columns in `selection` is the order of the decoding.
// Not GRDB's `Row`: that makes a dictionary of the names of its columns for each query, which costs
// several times what SQLite takes to find a node.

import ContentHashing
import Core
import Foundation
import GRDB
import GRDBSQLite

extension InodeID {
    /// The number as SQLite's signed integer.
    var column: Int64 { Int64(bitPattern: rawValue) }

    init(column: Int64) {
        self.init(UInt64(bitPattern: column))
    }
}

extension ContentHash {
    /// The bytes as SQLite stores them.
    var column: DatabaseValue { blob(bytes) }
}

extension Timestamp {
    /// Nanoseconds as SQLite's signed integer. Times before 1677 and after 2262, for which that has no room, are a
    /// blob: seconds and nanoseconds as big-endian numbers of 64 and 32 bits.
    var column: DatabaseValue {
        if let nanoseconds = exactNanoseconds { return nanoseconds.databaseValue }
        let second = (0..<8).map { UInt8(truncatingIfNeeded: seconds >> (56 - 8 * $0)) }
        let rest = (0..<4).map {
            UInt8(truncatingIfNeeded: nanosecondsWithinSecond >> (24 - 8 * $0))
        }
        return blob(second + rest)
    }

    /// The time in such a blob; nil for one of another length.
    init?(column: Data) {
        guard column.count == 12 else { return nil }
        self.init(
            seconds: column.prefix(8).reduce(0) { $0 << 8 | Int64($1) },
            nanoseconds: column.suffix(4).reduce(0) { $0 << 8 | Int64($1) })
    }
}

/// Bytes as a blob, the empty ones too.
func blob(_ bytes: [UInt8]) -> DatabaseValue {
    Data(bytes).databaseValue
}

extension Node {
    static let selection = """
        SELECT node.inode, node.kind, node.parent, node.fold, node.name, node.remote, node.flags,
            node.id, node.revision, node.size, node.hash, node.client_modified,
            node.server_modified, node.target, node.shared, node.permissions, node.user,
            node."group", node.accessed, node.modified, node.changed,
            staged.file, staged.size, staged.generation, staged.base_revision, staged.base_hash,
            staged.base_size, staged.base_limit, staged.blocks, staged.hash, staged.flushed,
            staged.promised, staged.stamp
        FROM node LEFT JOIN staged ON staged.inode = node.inode

        """

    /// The same, with the node's fallback for its staged content.
    static let fallbackSelection = selection.replacingOccurrences(
        of: "LEFT JOIN staged ON", with: "JOIN fallback AS staged ON")
}

/// The columns of the row that a statement stands at.
struct Columns {
    let statement: SQLiteStatement

    /// A column's value; nil for NULL.
    subscript<Value: StatementColumnConvertible>(_ index: CInt) -> Value? {
        Value.fromStatement(statement, atUncheckedIndex: index)
    }

    /// A blob as a hash; one of another length is no hash.
    func hash(_ index: CInt) -> ContentHash? {
        (self[index] as Data?).flatMap { ContentHash(bytes: $0) }
    }

    func timestamp(_ index: CInt) -> Timestamp? {
        guard sqlite3_column_type(statement, index) == SQLITE_BLOB else {
            return (self[index] as Int64?).map { Timestamp(nanoseconds: $0) }
        }
        return (self[index] as Data?).flatMap { Timestamp(column: $0) }
    }
}

/// What is read from a whole row, not from a column of it.
protocol RowReadable: DatabaseValueConvertible, StatementColumnConvertible {
    init(_ row: Columns)
}

extension RowReadable {
    init(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(Columns(statement: sqliteStatement))
    }

    // GRDB wants these of whatever it fetches; a row is no value that could be stored.
    var databaseValue: DatabaseValue { .null }
    static func fromDatabaseValue(_ value: DatabaseValue) -> Self? { nil }
}

/// A node as it is read, or why it cannot be.
struct NodeRow: RowReadable {
    private let result: Result<Node, FileName.Invalid>

    init(_ row: Columns) {
        result = Result { () throws(FileName.Invalid) in try Node(row) }
    }

    func node() throws -> Node { try result.get() }
}

/// A line of a listing as it is read, or why it cannot be.
struct ChildRow: RowReadable {
    static let selection = "SELECT inode, kind, fold, name, flags FROM node "

    private let result: Result<Child, FileName.Invalid>

    init(_ row: Columns) {
        result = Result { () throws(FileName.Invalid) in
            Child(
                name: try FileName(row, NodeFlags(rawValue: row[4] ?? 0), fold: 2, name: 3),
                inode: InodeID(column: row[0] ?? 0),
                kind: row[1].flatMap(NodeKind.init(rawValue:)) ?? .file)
        }
    }

    func child() throws -> Child { try result.get() }
}

extension FileName {
    /// The name in a row, and its key if that is not the predicted one.
    fileprivate init(
        _ row: Columns, _ flags: NodeFlags, fold: CInt, name: CInt
    ) throws(FileName.Invalid) {
        let key: String? = flags.contains(.foreignKey) ? row[fold] : nil
        try self.init(row[name] ?? row[fold] ?? "", key: key)
    }
}

extension Node {
    fileprivate init(_ row: Columns) throws(FileName.Invalid) {
        let stored = NodeFlags(rawValue: row[6] ?? 0)
        let flags = stored.subtracting(.foreignKey)
        var place: Place?
        if let parent: Int64 = row[2] {
            place = Place(
                parent: InodeID(column: parent), name: try FileName(row, stored, fold: 3, name: 4))
        }
        self.init(
            inode: InodeID(column: row[0] ?? 0),
            kind: row[1].flatMap(NodeKind.init(rawValue:)) ?? .file, place: place,
            remote: row[5].flatMap(RemoteState.init(rawValue:)) ?? .absent, flags: flags,
            facts: RemoteFacts(row, flags: flags), local: LocalFacts(row),
            staged: StagedContent(row))
    }
}

extension RemoteFacts {
    fileprivate init(_ row: Columns, flags: NodeFlags) {
        self.init(
            id: (row[7] as String?).map { FileID($0) },
            revision: (row[8] as String?).map { Revision($0) },
            size: row[9] ?? 0, hash: row.hash(10),
            clientModified: row.timestamp(11), serverModified: row.timestamp(12),
            target: row[13], sharedFolderID: row[14],
            flags: flags.intersection(.remoteFacts))
    }
}

extension LocalFacts {
    fileprivate init(_ row: Columns) {
        self.init(
            permissions: (row[15] as Int?).map { UInt16(truncatingIfNeeded: $0) },
            userID: (row[16] as Int64?).map { UInt32(truncatingIfNeeded: $0) },
            groupID: (row[17] as Int64?).map { UInt32(truncatingIfNeeded: $0) },
            accessed: row.timestamp(18), modified: row.timestamp(19), changed: row.timestamp(20))
    }
}

extension StagedContent {
    fileprivate init?(_ row: Columns) {
        guard let file: Int64 = row[21] else { return nil }
        var base: Base?
        if let revision: String = row[24], let hash = row.hash(25) {
            base = Base(
                revision: Revision(revision), hash: hash, size: row[26] ?? 0, limit: row[27] ?? 0)
        }
        self.init(
            file: file, size: row[22] ?? 0, generation: row[23] ?? 0, base: base,
            blocks: (row[28] as Data?).map { Array($0) } ?? [], hash: row.hash(29))
        flushed = row[30] ?? 0
        promised = row[31] ?? 0
        stamp = row.timestamp(32)
    }
}
