// The interface of a mount's process to commands, and the messages of the control socket.

/// A running mount, as the control socket sees it. Calls come from threads that may block.
package protocol MountService: Sendable {
    /// The complete status of the mount.
    func status() -> MountStatus
    /// The changes that are still queued.
    func backlog() -> Backlog
    /// Runs `body`, and suspends the write delay of queued changes until it returns.
    func sendingEverything<Result>(_ body: () -> Result) -> Result
    /// Retries refused requests, because the account's login has changed.
    func loginChanged()
    /// Evicts cached content that can be fetched again, on request pinned content too, and returns
    /// the freed bytes.
    func clearCache(includingPinned: Bool) throws(CommandError) -> Int64
    /// Reads all cached content and drops damaged chunks.
    func verifyCache() throws(CommandError) -> CacheReport
    /// Pins nodes at these paths, or ends their pins: all of them, or none and an error. Paths are
    /// relative to the mount, "" for all of it.
    func setPins(_ isPinned: Bool, at paths: [String]) throws(CommandError)
    /// How much of the content at these paths is cached.
    func pinProgress(of paths: [String]) throws(CommandError) -> PinProgress
    /// All pins with their progress.
    func pins() throws(CommandError) -> [PinReport]
    /// The conflicted copies at a path or below it, sorted by path.
    func conflicts(below path: String) throws(CommandError) -> [ConflictReport]
    /// The newest revisions of the file at a path, which may be deleted, newest first.
    func revisions(of path: String, limit: Int) throws(CommandError) -> RevisionList
    /// Makes a revision of a file the current one; without one, the newest of a deleted file.
    /// Returns it.
    func restore(_ path: String, to revision: String?) throws(CommandError) -> RevisionReport
    /// The shared link to the file or folder at a path, created if there is none.
    func link(to path: String) throws(CommandError) -> LinkReport
    /// Whether all of the account's tree is known.
    var isTreeKnown: Bool { get }
    /// Changes settings until the mount ends: all of them, or none and an error. Returns the
    /// resulting settings.
    func change(_ settings: [MountOptionSetting]) throws(CommandError) -> LiveSettings
}

/// The queued changes of a mount.
package struct Backlog: Hashable, Sendable, Codable {
    /// Number of queued changes.
    package var operations: Int
    /// Bytes of their content.
    package var bytes: Int64
    /// The mount's connection to the server.
    package var state: MountStatus.State
    /// Whether only a user's action can unblock them.
    package var isStuck: Bool
    /// Why the last attempt failed, if one did.
    package var problem: String?

    /// Memberwise; by default neither stuck nor failed.
    package init(
        operations: Int, bytes: Int64, state: MountStatus.State, isStuck: Bool = false,
        problem: String? = nil
    ) {
        self.operations = operations
        self.bytes = bytes
        self.state = state
        self.isStuck = isStuck
        self.problem = problem
    }
}

/// The result of a check of the cache.
package struct CacheReport: Hashable, Sendable, Codable {
    /// Number of chunks that were read.
    package var checkedChunks: Int
    /// Chunks with a wrong checksum, which were dropped.
    package var damagedChunks: Int
    /// Bytes that the cache holds after that.
    package var bytes: Int64

    /// Memberwise and without defaults.
    package init(checkedChunks: Int, damagedChunks: Int, bytes: Int64) {
        self.checkedChunks = checkedChunks
        self.damagedChunks = damagedChunks
        self.bytes = bytes
    }
}

/// A command's request to a mount: one line of JSON.
package struct ControlRequest: Hashable, Sendable, Codable {
    /// The kind of a request.
    package enum Command: String, Hashable, Sendable, Codable {
        /// Reply with the status.
        case status
        /// Send everything; reply with the backlog as it shrinks, then with the outcome.
        case sync
        /// The mount is about to be detached: reply at once, and with the outcome at the end.
        case finish
        /// Stop sending and end, if already detached.
        case hurry
        /// Use the account's new login.
        case newLogin = "new-login"
        /// Evict all cached content.
        case clearCache = "cache-clear"
        /// Check all cached content.
        case verifyCache = "cache-verify"
        /// Pin `paths`; reply with the progress, then with the outcome.
        case pin
        /// End the pins of `paths`.
        case unpin
        /// Reply with all pins.
        case pins
        /// Reply with the conflicted copies at the first of `paths` and below, in several lines
        /// that end with an empty one.
        case conflicts
        /// Change the given `settings`.
        case set
        /// Reply with `limit` revisions of the first of `paths`.
        case revisions
        /// Reply with the link to the first of `paths`.
        case link
        /// Make `revision` of the first of `paths` the current one.
        case restore
    }

    /// The kind of the request.
    package var command: Command
    /// Timeout in seconds; nil for none.
    package var timeout: Double?
    /// Paths on the mount, without the mountpoint.
    package var paths: [String]?
    /// Whether pinned content is included.
    package var includesPinned: Bool?
    /// The settings to change.
    package var settings: [MountOptionSetting]?
    /// Maximum number of results.
    package var limit: Int?
    /// The revision to restore.
    package var revision: String?

    /// Creates a request with the fields of its kind.
    package init(
        _ command: Command, timeout: Double? = nil, paths: [String]? = nil,
        includesPinned: Bool? = nil, settings: [MountOptionSetting]? = nil,
        limit: Int? = nil, revision: String? = nil
    ) {
        self.command = command
        self.timeout = timeout
        self.paths = paths
        self.includesPinned = includesPinned
        self.settings = settings
        self.limit = limit
        self.revision = revision
    }
}

/// A mount's reply: one line of JSON, with one of the fields set.
package struct ControlReply: Hashable, Sendable, Codable {
    /// Reply to a `status` request.
    package var status: MountStatus?
    /// Reply to `sync`, repeated until the end.
    package var progress: Backlog?
    /// Reply to `sync` and `finish`, at the end.
    package var outcome: DrainOutcome?
    /// Reply to a `cache-clear` request.
    package var freedBytes: Int64?
    /// Reply to a `cache-verify` request.
    package var cache: CacheReport?
    /// Reply to `pin`, repeated until the end.
    package var pinProgress: PinProgress?
    /// Reply to `pin`, at the end.
    package var pinOutcome: PinOutcome?
    /// Reply to a `pins` request.
    package var pins: [PinReport]?
    /// Reply to `conflicts`: the next ones; empty at the end.
    package var conflicts: [ConflictReport]?
    /// Reply to `conflicts`, at the end: whether all of the account's tree is known.
    package var isTreeKnown: Bool?
    /// Reply to a `revisions` request.
    package var revisions: RevisionList?
    /// Reply to a `link` request.
    package var link: LinkReport?
    /// Reply to `restore`: the current revision.
    package var restored: RevisionReport?
    /// Reply to `set`: the resulting settings.
    package var limits: LiveSettings?
    /// Reply to `finish`, `hurry`, `new-login` and `unpin`: accepted.
    package var isAccepted: Bool?
    /// Reply to any request that failed.
    package var failure: String?

    /// Creates an empty reply.
    package init() {}
}
