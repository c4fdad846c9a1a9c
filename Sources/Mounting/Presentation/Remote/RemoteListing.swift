// A file or folder as `dbxfs ls-remote` shows it. The names in JSON are an interface for scripts.

import Saturating

/// The server's facts about one file or folder.
package struct RemoteListing: Hashable, Sendable, Encodable {
    /// File or folder, as JSON names it.
    package enum Kind: String, Hashable, Sendable, Encodable {
        case file, folder
        /// A file or folder that was deleted; Dropbox does not tell which.
        case deleted
    }

    /// The facts that only files have.
    package struct File: Hashable, Sendable {
        /// Size of the file in bytes.
        package var bytes: Int64
        /// The modification time that the uploading client gave, in seconds since 1970.
        package var modified: Int64
        /// When the server stored it, in seconds since 1970.
        package var stored: Int64
        /// The server's revision ID.
        package var rev: String
        /// The hash of its content, in hexadecimal digits; nil if it cannot be downloaded.
        package var contentHash: String?

        /// Memberwise and without defaults.
        package init(
            bytes: Int64, modified: Int64, stored: Int64, rev: String, contentHash: String?
        ) {
            self.bytes = bytes
            self.modified = modified
            self.stored = stored
            self.rev = rev
            self.contentHash = contentHash
        }
    }

    /// Its path in the account.
    package var path: String
    /// The server's ID of the node; nil for a deleted one.
    package var id: String?
    /// Its size, times and version; nil for folders.
    package var file: File?

    /// Memberwise; a folder has no `file`, and a deleted entry no `id` either.
    package init(path: String, id: String?, file: File? = nil) {
        self.path = path
        self.id = id
        self.file = file
    }

    /// The kind, by the facts that are there.
    private var kind: Kind { file != nil ? .file : id != nil ? .folder : .deleted }

    private enum CodingKeys: String, CodingKey {
        case path, type, id, bytes, modified, stored, rev
        case contentHash = "content_hash"
    }

    /// Writes every field, so that scripts find them: fields that folders lack are null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        try container.encode(kind, forKey: .type)
        try container.encode(id, forKey: .id)
        try container.encode(file?.bytes, forKey: .bytes)
        try container.encode(file.map { Terminal.isoTime($0.modified) }, forKey: .modified)
        try container.encode(file.map { Terminal.isoTime($0.stored) }, forKey: .stored)
        try container.encode(file?.rev, forKey: .rev)
        try container.encode(file?.contentHash, forKey: .contentHash)
    }

    /// The line for people: size, time and path below `folder`; folders end in a slash.
    package func text(below folder: String) -> String {
        // By bytes: a Character can begin with the slash's combining mark.
        let prefix = (folder + "/").utf8
        let bytes = path.utf8
        let rest = bytes.starts(with: prefix) ? bytes.dropFirst(prefix.count) : bytes[...]
        let shown = String(decoding: rest, as: UTF8.self)
        let size = file.map { Terminal.size($0.bytes) } ?? "-"
        let time = file.map { Terminal.time($0.modified) } ?? "-"
        return Self.padded(size, to: 10, isRight: true) + "  " + Self.padded(time, to: 19) + "  "
            + Terminal.printable(shown) + (kind == .folder ? "/" : "")
    }

    private static func padded(_ text: String, to width: Int, isRight: Bool = false) -> String {
        let gap = String(repeating: " ", count: max(0, width -| text.count))
        return isRight ? "\(gap)\(text)" : "\(text)\(gap)"
    }
}
