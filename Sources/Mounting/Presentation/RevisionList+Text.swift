// The text of revisions, for people and for machines.

import Saturating

extension RevisionList {
    /// The text for people.
    package var text: String {
        let head = isDeleted ? ["deleted" + (deleted.map { " " + Terminal.time($0) } ?? "")] : []
        let width = revisions.map(\.rev.count).max() ?? 0
        let lines = revisions.enumerated().map { index, revision -> String in
            let isCurrent = index == 0 && !isDeleted
            let gap = String(repeating: " ", count: max(0, width -| revision.rev.count))
            return "\(revision.rev)\(gap)  \(revision.details)\(isCurrent ? "  (current)" : "")"
        }
        return [head, lines].flatMap(\.self).joined(separator: "\n")
    }

    /// One line for each revision, for machines.
    package func lines(path: String) -> [RevisionLine] {
        revisions.enumerated().map { index, revision in
            RevisionLine(
                path: path, rev: revision.rev, bytes: revision.bytes,
                modified: Terminal.isoTime(revision.modified),
                stored: Terminal.isoTime(revision.stored), author: revision.author,
                isCurrent: index == 0 && !isDeleted,
                isDeleted: isDeleted, deleted: deleted.map(Terminal.isoTime))
        }
    }
}

extension RevisionReport {
    /// When it was stored, its size, and its author.
    package var details: String {
        Terminal.time(stored) + "  " + Terminal.size(bytes) + (author.map { "  by " + $0 } ?? "")
    }
}

/// A revision as `dbxfs revisions --json` prints it.
package struct RevisionLine: Hashable, Sendable, Encodable {
    var path: String
    var rev: String
    var bytes: Int64
    var modified: String
    var stored: String
    var author: String?
    var isCurrent: Bool
    var isDeleted: Bool
    var deleted: String?

    private enum CodingKeys: String, CodingKey {
        case path, rev, bytes, modified, stored, author, deleted
        case isCurrent = "is_current"
        case isDeleted = "is_deleted"
    }

    /// Writes every field, unknown ones as null, so that scripts find them.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        try container.encode(rev, forKey: .rev)
        try container.encode(bytes, forKey: .bytes)
        try container.encode(modified, forKey: .modified)
        try container.encode(stored, forKey: .stored)
        try container.encode(author, forKey: .author)
        try container.encode(isCurrent, forKey: .isCurrent)
        try container.encode(isDeleted, forKey: .isDeleted)
        try container.encode(deleted, forKey: .deleted)
    }
}
