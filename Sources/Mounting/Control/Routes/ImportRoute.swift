// `import`: content from a folder on this machine instead of a download.

extension ControlRoutes {
    /// Copies content from a folder into the cache; the replies are the progress, then the outcome.
    package static let importContent = ControlRoute<ImportRequest, ImportReply>(.importContent) {
        request, call throws(CommandError) in
        let report = try call.service.importContent(of: request.folder) {
            call.send(ImportReply(report: $0, isOver: false)) && !call.isAbandoned
        }
        return ImportReply(report: report, isOver: true)
    }
}

/// A request to take content from a folder.
package struct ImportRequest: Hashable, Sendable, Codable {
    /// The folder as an absolute path; it corresponds to the mountpoint.
    package var folder: String

    /// Memberwise and without defaults.
    package init(folder: String) {
        self.folder = folder
    }
}

/// A reply to `import`.
package struct ImportReply: Hashable, Sendable, Codable {
    /// The progress until now.
    package var report: ImportReport
    /// Whether this is the last reply.
    package var isOver: Bool
}

/// The progress of an import: numbers of files, and of bytes.
package struct ImportReport: Hashable, Sendable, Codable {
    /// Files whose content is cached now.
    package var imported = 0
    /// Sum of their sizes in bytes.
    package var bytes: Int64 = 0
    /// Files whose content was cached before.
    package var present = 0
    /// Files that have other content on Dropbox, or cannot be read.
    package var different = 0
    /// Files that are not on Dropbox at this place.
    package var unknown = 0
    /// Whether it ended early, because the cache has reached its limit.
    package var isFull = false
    /// Whether the account's tree was known, so that no file is missed.
    package var isTreeKnown = true
    /// How far the listing of the account is; nil without one, and from a mount of an earlier
    /// version.
    package var listing: ListingStatus?

    /// Creates the report of an import that begins.
    package init() {}
}
