// The events that happened to the files of a mount, as `dbxfs log` shows it. The names in JSON are
// an interface for scripts: fields are added, never renamed. Not responsible for the choice of
// events (`dbxfs/Daemon/History`).

/// One event in the history of a mount.
package struct HistoryRecord: Hashable, Sendable, Codable {
    /// The kind of an event.
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// Content of a file was sent.
        case sent
        /// A folder was made on Dropbox.
        case made
        /// A file or folder was moved on Dropbox.
        case moved
        /// A file or folder was deleted on Dropbox.
        case deleted
        /// Another client has added a file or folder, or moved it here.
        case added
        /// Another client has changed a file.
        case changed
        /// Another client has deleted a file or folder, or moved it away.
        case removed
        /// Content was fetched for a program.
        case fetched
        /// A file was brought back.
        case restored
        /// A conflicted copy was made.
        case conflict
        /// Dropbox refuses a change.
        case refused
        /// The account is full.
        case full
        /// Dropbox does not accept the login.
        case loggedOut = "logged-out"
        /// Events were left out, because too many happened at once.
        case omitted
    }

    /// When it happened, in seconds since 1970.
    package var time: Int64
    /// The kind of the event.
    package var kind: Kind
    /// The path on the mount, without the mountpoint; nil if it concerns the account.
    package var path: String?
    /// The path before a move.
    package var from: String?
    /// Size of the content in bytes.
    package var bytes: Int64?
    /// The reason, for people.
    package var reason: String?
    /// Number of events that were left out.
    package var count: Int?

    /// Memberwise; by default with no more than time and kind.
    package init(
        time: Int64, kind: Kind, path: String? = nil, from: String? = nil, bytes: Int64? = nil,
        reason: String? = nil, count: Int? = nil
    ) {
        self.time = time
        self.kind = kind
        self.path = path
        self.from = from
        self.bytes = bytes
        self.reason = reason
        self.count = count
    }
}

/// The events that a user asks for.
package struct HistoryFilter: Hashable, Sendable {
    /// A path on the mount, with everything below it; "" for all.
    package var path = ""
    /// The earliest time, in seconds since 1970.
    package var since: Int64?
    /// The time before which they happened, in seconds since 1970.
    package var before: Int64?
    /// Their kinds; empty for all.
    package var kinds: Set<HistoryRecord.Kind> = []

    /// Creates a filter that all events pass.
    package init() {}

    /// Whether the user asks for an event.
    package func includes(_ record: HistoryRecord) -> Bool {
        if let since, record.time < since { return false }
        if let before, record.time >= before { return false }
        guard kinds.isEmpty || kinds.contains(record.kind) else { return false }
        guard !path.isEmpty else { return true }
        return [record.path, record.from].contains { other in
            guard let other else { return false }
            return other.utf8.elementsEqual(path.utf8)
                || other.utf8.starts(with: (path + "/").utf8)
        }
    }
}
