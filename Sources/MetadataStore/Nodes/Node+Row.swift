// Decoding a row into a node. The order of the columns in `selection` is the order of the decoding.

import ContentHashing
import Core
import Foundation
import GRDB

extension InodeID {
    /// The number as SQLite's signed integer.
    var column: Int64 { Int64(bitPattern: rawValue) }

    init(column: Int64) {
        self.init(UInt64(bitPattern: column))
    }
}

extension ContentHash {
    /// The bytes as SQLite stores them.
    var column: ColumnValue { .blob(Array(bytes)) }
}

extension WallTime {
    /// Nanoseconds as SQLite's signed integer. Times before 1677 and after 2262, which do not fit
    /// into that, are a blob: seconds and nanoseconds as big-endian numbers of 64 and 32 bits.
    var column: ColumnValue {
        if let nanoseconds = exactNanoseconds { return .integer(nanoseconds) }
        let second = stride(from: 56, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: seconds >> $0)
        }
        let rest = stride(from: 24, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: nanosecondsWithinSecond >> $0)
        }
        return .blob([second, rest].flatMap(\.self))
    }

    /// The time in such a blob; nil for another length.
    init?(column: [UInt8]) {
        guard column.count == 12 else { return nil }
        self.init(
            seconds: column.prefix(8).reduce(0) { $0 &<< 8 | Int64(truncatingIfNeeded: $1) },
            nanoseconds: column.suffix(4).reduce(0) { $0 &<< 8 | Int64(truncatingIfNeeded: $1) })
    }
}

extension LinkTarget: ColumnConvertible {
    /// A text, as a rule: other programs can read it.
    package var columnValue: ColumnValue {
        String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .blob(bytes)
    }
}

extension Node {
    static let selection = """
        SELECT node.inode, node.kind, node.parent, node.fold, node.name, node.remote, node.flags,
            node.id, node.revision, node.size, node.hash, node.client_modified,
            node.server_modified, node.target, node.shared, node.permissions, node.user,
            node."group", node.accessed, node.modified, node.changed,
            staged.file, staged.size, staged.generation, staged.base_revision, staged.base_hash,
            staged.base_size, staged.base_limit, staged.blocks, staged.hash, staged.flushed,
            staged.promised, staged.stamp, node.own
        FROM node LEFT JOIN staged ON staged.inode = node.inode

        """

    /// The queries of most requests, which are not put together for each.
    static let byInode = selection + "WHERE node.inode = ?"
    static let byPlace = selection + "WHERE node.parent = ? AND node.fold = ?"

    /// The same, with the node's fallback for its staged content.
    static let fallbackSelection = selection.replacingOccurrences(
        of: "LEFT JOIN staged ON", with: "JOIN fallback AS staged ON")
}

extension Node: RowReadable {
    static let table = "node"

    init(_ row: Columns) throws {
        let stored = try row.flags(6)
        let flags = stored.subtracting([.foreignKey, .madeOwnName])
        var place: Place?
        if let parent = try row.inode(ifAny: 2) {
            place = Place(
                parent: parent, name: try FileName(row, stored, fold: 3, name: 4, own: 33))
        }
        self.init(
            inode: try row.inode(0), kind: try row.choice(1), place: place,
            remote: try row.choice(5), flags: flags, facts: try RemoteFacts(row, flags: flags),
            local: try LocalFacts(row), staged: try StagedContent(row))
    }
}

extension Child: RowReadable {
    static let table = "node"
    static let selection = "SELECT inode, kind, fold, name, flags, own FROM node "

    init(_ row: Columns) throws {
        self.init(
            name: try FileName(row, row.flags(4), fold: 2, name: 3, own: 5),
            inode: try row.inode(0),
            kind: try row.choice(1))
    }
}

extension FileName {
    /// The name in a row, its key if that is not the predicted one, and the name that users see.
    fileprivate init(_ row: Columns, _ flags: NodeFlags, fold: CInt, name: CInt, own: CInt) throws {
        let key = flags.contains(.foreignKey) ? try row.text(fold) : nil
        let own = try row.bytes(ifAny: own).map {
            try OwnName($0, isGiven: !flags.contains(.madeOwnName))
        }
        try self.init(row.text(ifAny: name) ?? row.text(fold), key: key, own: own)
    }
}

extension RemoteFacts {
    fileprivate init(_ row: Columns, flags: NodeFlags) throws(DamagedRow) {
        self.init(
            id: try row.text(ifAny: 7).map { FileID($0) },
            revision: try row.text(ifAny: 8).map { Revision($0) },
            size: try row.size(9), hash: try row.hash(ifAny: 10),
            clientModified: try row.time(ifAny: 11), serverModified: try row.time(ifAny: 12),
            target: try row.target(ifAny: 13), sharedFolderID: try row.text(ifAny: 14),
            flags: flags.intersection(.remoteFacts))
    }
}

extension LocalFacts {
    fileprivate init(_ row: Columns) throws(DamagedRow) {
        self.init(
            permissions: try row.number(ifAny: 15).map { UInt16(truncatingIfNeeded: $0) },
            userID: try row.number(ifAny: 16).map { UInt32(truncatingIfNeeded: $0) },
            groupID: try row.number(ifAny: 17).map { UInt32(truncatingIfNeeded: $0) },
            accessed: try row.time(ifAny: 18), modified: try row.time(ifAny: 19),
            changed: try row.time(ifAny: 20))
    }
}

extension StagedContent {
    /// Files have numbers below 2^31, and generations begin at their file's number times 2^32.
    private static let generations: ClosedRange<Int64> = 0...0x6000_0000_0000_0000

    fileprivate init?(_ node: Columns) throws(DamagedRow) {
        let row = Columns(statement: node.statement, table: "staged")
        guard let file = try row.number(ifAny: 21, in: 0...0x8000_0000) else { return nil }
        var base: Base?
        if let revision = try row.text(ifAny: 24), let hash = try row.hash(ifAny: 25) {
            base = Base(
                revision: Revision(revision), hash: hash, size: try row.size(26),
                limit: try row.size(27))
        }
        self.init(
            file: file, size: try row.size(22),
            generation: try row.number(23, in: Self.generations), base: base,
            blocks: try row.bytes(28), hash: try row.hash(ifAny: 29))
        flushed = try row.number(30, in: Self.generations)
        promised = try row.number(31, in: Self.generations)
        stamp = try row.time(ifAny: 32)
    }
}
