// `revisions` and `restore`: earlier contents of files. Their text is in `Presentation`.

extension ControlRoutes {
    /// Asks for the revisions of a file.
    package static let revisions = ControlRoute<RevisionsRequest, RevisionsReply>(.revisions) {
        request, call throws(CommandError) in
        RevisionsReply(
            revisions: try call.service.revisions(
                of: request.paths?.first ?? "", limit: request.limit ?? 10))
    }

    /// Makes a revision of a file the current one.
    package static let restore = ControlRoute<RestoreRequest, RestoreReply>(.restore) {
        request, call throws(CommandError) in
        RestoreReply(
            restored: try call.service.restore(
                request.paths?.first ?? "", to: request.revision))
    }
}

/// A request for the revisions of one file.
package struct RevisionsRequest: Hashable, Sendable, Codable {
    /// The file's path on the mount, alone in a list.
    package var paths: [String]?
    /// Maximum number of revisions; nil for ten.
    package var limit: Int?

    /// Asks for the newest revisions of one file.
    package init(path: String, limit: Int) {
        paths = [path]
        self.limit = limit
    }
}

/// The reply to `revisions`.
package struct RevisionsReply: Hashable, Sendable, Codable {
    /// The revisions, and whether the file is deleted.
    package var revisions: RevisionList
}

/// A request to restore one file.
package struct RestoreRequest: Hashable, Sendable, Codable {
    /// The file's path on the mount, alone in a list.
    package var paths: [String]?
    /// The revision; nil for the newest one of a deleted file.
    package var revision: String?

    /// Memberwise for one file.
    package init(path: String, revision: String?) {
        paths = [path]
        self.revision = revision
    }
}

/// The reply to `restore`.
package struct RestoreReply: Hashable, Sendable, Codable {
    /// The revision that is current now.
    package var restored: RevisionReport
}

/// The revisions of a file.
package struct RevisionList: Hashable, Sendable, Codable {
    /// Sorted by time, newest first.
    package var revisions: [RevisionReport]
    /// Whether the file is deleted.
    package var isDeleted: Bool
    /// When it was deleted, in seconds since 1970; nil if unknown.
    package var deleted: Int64?

    /// Memberwise; by default without a time of deletion.
    package init(revisions: [RevisionReport], isDeleted: Bool, deleted: Int64? = nil) {
        self.revisions = revisions
        self.isDeleted = isDeleted
        self.deleted = deleted
    }
}

/// One revision of a file.
package struct RevisionReport: Hashable, Sendable, Codable {
    /// The server's revision ID.
    package var rev: String
    /// Size of the revision in bytes.
    package var bytes: Int64
    /// The modification time that the uploading client gave, in seconds since 1970.
    package var modified: Int64
    /// When the server stored it, in seconds since 1970.
    package var stored: Int64
    /// The account that made it, in a shared folder; nil elsewhere.
    package var author: String?

    /// Memberwise; by default without an author.
    package init(rev: String, bytes: Int64, modified: Int64, stored: Int64, author: String? = nil) {
        self.rev = rev
        self.bytes = bytes
        self.modified = modified
        self.stored = stored
        self.author = author
    }
}
