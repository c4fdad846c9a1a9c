// `restore --recursive`: undo for folders.

extension ControlRoutes {
    /// Brings the files below a folder back; the replies are the progress, then the outcome.
    package static let undo = ControlRoute<UndoRequest, UndoReply>(.undo) {
        request, call throws(CommandError) in
        let report = try call.service.undo(
            below: request.paths?.first ?? "", before: request.before
        ) { call.send(UndoReply(report: $0, isOver: false)) && !call.isAbandoned }
        return UndoReply(report: report, isOver: true)
    }
}

/// A request to bring the files below a folder back.
package struct UndoRequest: Hashable, Sendable, Codable {
    /// The folder's path on the mount, alone in a list.
    package var paths: [String]?
    /// The time whose state is wanted, in seconds since 1970; nil for the newest state of deleted
    /// files.
    package var before: Int64?

    /// Memberwise for one folder.
    package init(path: String, before: Int64?) {
        paths = [path]
        self.before = before
    }
}

/// A reply to `undo`.
package struct UndoReply: Hashable, Sendable, Codable {
    /// The progress until now.
    package var report: UndoReport
    /// Whether this is the last reply.
    package var isOver: Bool
}

/// The progress of an undo.
package struct UndoReport: Hashable, Sendable, Codable {
    /// A file that could not be brought back.
    package struct Refusal: Hashable, Sendable, Codable {
        /// Its path on the mount.
        package var path: String
        /// The reason for that, for people.
        package var reason: String

        /// Memberwise and without defaults.
        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    /// Whether the folder is still being listed.
    package var isListing = true
    /// Number of deleted entries and changed files that were found.
    package var found = 0
    /// Number of finished entries and files.
    package var done = 0
    /// Number of files brought back.
    package var restored = 0
    /// Sum of their sizes in bytes.
    package var bytes: Int64 = 0
    /// Files that could not be brought back.
    package var refused = 0
    /// The first of them.
    package var refusals: [Refusal] = []
    /// Changes of the mount that are not on Dropbox yet, deletions among them.
    package var queued = 0

    /// Creates the report of an undo that begins.
    package init() {}
}
