// The report of content that was put aside. The names in JSON are an interface for scripts: fields
// are added, never renamed. The reason is determined where the content is found.

import Saturating

/// A piece of content that was put aside, as `dbxfs recover` lists it.
package struct LostReport: Hashable, Sendable, Encodable {
    /// A range of the content, in bytes.
    package struct Part: Hashable, Sendable, Encodable {
        /// Offset of its first byte.
        package var offset: Int64
        /// Length of the range in bytes.
        package var bytes: Int64

        /// Memberwise and without defaults.
        package init(offset: Int64, bytes: Int64) {
            self.offset = offset
            self.bytes = bytes
        }

        /// Offset of its last byte.
        fileprivate var last: Int64 {
            let (end, overflows) = offset.addingReportingOverflow(bytes)
            return overflows || end <= offset ? offset : end -| 1
        }
    }

    /// Its name for commands: the state folder's, and a number.
    package var name: String
    /// The account's name on this machine.
    package var account: String
    /// Its file; nil if there is only a note.
    package var file: String?
    /// Its path from the mount's root; nil if unknown.
    package var path: String?
    /// The size that it should have, in bytes.
    package var bytes: Int64
    /// When it was last written to, in seconds since 1970.
    package var modified: Int64
    /// When it was put aside, in seconds since 1970.
    package var found: Int64
    /// The reason, for scripts.
    package var reason: String
    /// The reason, for people.
    package var explanation: String
    /// The revision that it was an edit of; nil if it has no base.
    package var revision: String?
    /// The missing ranges of the content.
    package var missing: [Part]

    /// Memberwise and without defaults.
    package init(
        name: String, account: String, file: String?, path: String?, bytes: Int64, modified: Int64,
        found: Int64, reason: String, explanation: String, revision: String?, missing: [Part]
    ) {
        self.name = name
        self.account = account
        self.file = file
        self.path = path
        self.bytes = bytes
        self.modified = modified
        self.found = found
        self.reason = reason
        self.explanation = explanation
        self.revision = revision
        self.missing = missing
    }

    private enum CodingKeys: CodingKey {
        case name, account, file, path, bytes, modified, found, reason, explanation, revision,
            missing
    }

    /// Writes every field, unknown ones as null, so that scripts find them.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(account, forKey: .account)
        try container.encode(file, forKey: .file)
        try container.encode(path, forKey: .path)
        try container.encode(bytes, forKey: .bytes)
        try container.encode(Terminal.isoTime(modified), forKey: .modified)
        try container.encode(Terminal.isoTime(found), forKey: .found)
        try container.encode(reason, forKey: .reason)
        try container.encode(explanation, forKey: .explanation)
        try container.encode(revision, forKey: .revision)
        try container.encode(missing, forKey: .missing)
    }
}

extension LostReport {
    /// The text for people.
    package var text: String {
        var rows = [("aside", "\(Terminal.time(found)): \(explanation)")]
        if path != nil || file != nil { rows.insert(("path", path ?? "not known"), at: 0) }
        if file != nil {
            rows.append(("content", "\(Terminal.size(bytes)), written \(Terminal.time(modified))"))
        } else {
            rows.append(("content", "none: this is only a note"))
        }
        if file != nil, !missing.isEmpty {
            let edit = revision.map { "; an edit of revision \($0)" } ?? ""
            rows.append(("missing", "\(missingText)\(edit)"))
        }
        return StatusRows.text(name, rows)
    }

    /// The missing ranges, for people.
    package var missingText: String {
        let shown = 5
        let ranges = missing.prefix(shown).map { part in
            "\(part.offset)-\(part.last)"
        }
        let more = missing.count -| shown
        return "bytes " + ranges.joined(separator: ", ")
            + (more > 0 ? " and \(more) more ranges" : "")
    }

    /// The advice below a list of such content.
    package static let advice = """
        Nothing of this is sent to Dropbox. `dbxfs recover NAME --to PATH` copies a piece to a new file; with \
        --remove it is no longer listed.
        """
}

/// How much was put aside in a state folder, for messages that only point to it.
package struct LostSummary: Hashable, Sendable {
    /// Number of pieces, including notes without content.
    package var count = 0
    /// The known paths of the first ones.
    package var paths: [String] = []

    /// Maximum number of paths.
    package static let shownPaths = 3

    /// Creates a summary of no pieces.
    package init() {}

    /// Counts pieces with these paths.
    package init(_ pieces: [String?]) {
        count = pieces.count
        paths = Array(pieces.compactMap(\.self).prefix(Self.shownPaths))
    }

    /// A sentence for people; nil if there is no piece.
    func text(command: String) -> String? {
        guard count > 0 else { return nil }
        let more = count > paths.count && !paths.isEmpty ? ", …" : ""
        let names = paths.isEmpty ? "" : " (\(paths.joined(separator: ", "))\(more))"
        let noun = Terminal.count(count, "piece of content was", "pieces of content were")
        return "\(noun) put aside, and \(count == 1 ? "is" : "are") not sent\(names): "
            + "`\(command)` lists \(count == 1 ? "it" : "them"), and brings back the bytes"
    }
}
