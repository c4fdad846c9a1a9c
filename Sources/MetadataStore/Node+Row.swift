// How a row becomes a node. The order of the columns in `selection` is the order of the decoding.

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
    /// Decodes a column; a blob of another length is no hash.
    static func decode(_ row: Row, _ index: Int) -> ContentHash? {
        (row[index] as Data?).flatMap { ContentHash(bytes: $0) }
    }

    /// The bytes as SQLite stores them.
    var column: DatabaseValue { blob(bytes) }
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
            staged.base_size, staged.base_limit, staged.blocks, staged.hash
        FROM node LEFT JOIN staged ON staged.inode = node.inode

        """

    init(row: Row) throws {
        var place: Place?
        if let parent: Int64 = row[2] {
            let name: String? = row[4]
            let fold: String = row[3]
            place = Place(parent: InodeID(column: parent), name: try FileName(name ?? fold))
        }
        let flags = NodeFlags(rawValue: row[6])
        self.init(
            inode: InodeID(column: row[0]), kind: NodeKind(rawValue: row[1]) ?? .file, place: place,
            remote: RemoteState(rawValue: row[5]) ?? .absent, flags: flags,
            facts: RemoteFacts(row: row, flags: flags), local: LocalFacts(row: row),
            staged: StagedContent(row: row))
    }
}

extension RemoteFacts {
    fileprivate init(row: Row, flags: NodeFlags) {
        self.init(
            id: (row[7] as String?).map { FileID($0) },
            revision: (row[8] as String?).map { Revision($0) },
            size: row[9], hash: ContentHash.decode(row, 10),
            clientModified: (row[11] as Int64?).map { Timestamp(nanoseconds: $0) },
            serverModified: (row[12] as Int64?).map { Timestamp(nanoseconds: $0) },
            target: row[13], sharedFolderID: row[14],
            flags: flags.intersection(.remoteFacts))
    }
}

extension LocalFacts {
    fileprivate init(row: Row) {
        self.init(
            permissions: (row[15] as Int?).map { UInt16(truncatingIfNeeded: $0) },
            userID: (row[16] as Int64?).map { UInt32(truncatingIfNeeded: $0) },
            groupID: (row[17] as Int64?).map { UInt32(truncatingIfNeeded: $0) },
            accessed: (row[18] as Int64?).map { Timestamp(nanoseconds: $0) },
            modified: (row[19] as Int64?).map { Timestamp(nanoseconds: $0) },
            changed: (row[20] as Int64?).map { Timestamp(nanoseconds: $0) })
    }
}

extension StagedContent {
    fileprivate init?(row: Row) {
        guard let file: Int64 = row[21] else { return nil }
        var base: Base?
        if let revision: String = row[24], let hash = ContentHash.decode(row, 25) {
            base = Base(revision: Revision(revision), hash: hash, size: row[26], limit: row[27])
        }
        self.init(
            file: file, size: row[22], generation: row[23], base: base,
            blocks: (row[28] as Data?).map { Array($0) } ?? [],
            hash: ContentHash.decode(row, 29))
    }
}
