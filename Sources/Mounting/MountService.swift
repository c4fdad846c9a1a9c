// What the process behind a mount does for commands that talk to it, and what they say to each other.

/// A running mount, as the control socket sees it. Calls come from threads that may block.
public protocol MountService: Sendable {
    /// Everything that there is to say.
    func status() -> MountStatus
    /// What is still queued.
    func backlog() -> Backlog
    /// Runs `body`, and while it runs holds nothing queued back for the write delay.
    func sendingEverything<Result>(_ body: () -> Result) -> Result
    /// The account's login has changed: what was refused is worth another try.
    func loginChanged()
    /// Frees cached content that can be fetched again, pinned content if it is meant too, and returns how
    /// many bytes that was.
    func clearCache(includingPinned: Bool) throws(CommandError) -> Int64
    /// Reads all cached content and drops what is damaged.
    func verifyCache() throws(CommandError) -> CacheReport
    /// Pins what is at these paths, or ends its pins: all of them, or none and an error. Paths are the
    /// mount's, "" for all of it.
    func setPins(_ isPinned: Bool, at paths: [String]) throws(CommandError)
    /// How much of what is at these paths is here.
    func pinProgress(of paths: [String]) throws(CommandError) -> PinProgress
    /// All pins.
    func pins() throws(CommandError) -> [PinReport]
    /// The conflicted copies at a path or below it, by path.
    func conflicts(below path: String) throws(CommandError) -> [ConflictReport]
    /// The newest versions of the file at a path, or of the one that was there, newest first.
    func revisions(of path: String, limit: Int) throws(CommandError) -> RevisionList
    /// Makes a version of a file the current one; without one, the newest of a deleted file. Returns it.
    func restore(_ path: String, to revision: String?) throws(CommandError) -> RevisionReport
    /// The shared link to what is at a path; a new one, if there is none.
    func link(to path: String) throws(CommandError) -> LinkReport
    /// Whether all of the account's tree is known.
    var isTreeKnown: Bool { get }
    /// Changes settings until the mount ends: all of them, or none and an error. Returns what is in force.
    func change(_ settings: [MountOptionSetting]) throws(CommandError) -> LiveSettings
}

/// What is not on Dropbox yet.
public struct Backlog: Hashable, Sendable, Codable {
    /// Changes.
    public var operations: Int
    /// Bytes of content that wait with them.
    public var bytes: Int64
    /// How the mount stands with the server.
    public var state: MountStatus.State
    /// Whether nothing of it can be sent without somebody's doing.
    public var isStuck: Bool
    /// Why the last attempt failed, if one did.
    public var problem: String?

    /// Names every field.
    public init(
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

/// What a check of the cache found.
public struct CacheReport: Hashable, Sendable, Codable {
    /// Pieces that were read.
    public var checkedChunks: Int
    /// Pieces whose bytes were not what was stored; they are gone from the cache now.
    public var damagedChunks: Int
    /// Bytes that the cache holds after that.
    public var bytes: Int64

    /// Names all three.
    public init(checkedChunks: Int, damagedChunks: Int, bytes: Int64) {
        self.checkedChunks = checkedChunks
        self.damagedChunks = damagedChunks
        self.bytes = bytes
    }
}

/// What a command asks of a mount: one line of JSON.
public struct ControlRequest: Hashable, Sendable, Codable {
    /// What to do.
    public enum Command: String, Hashable, Sendable, Codable {
        /// Reply with the status.
        case status
        /// Send everything; reply with the backlog as it shrinks, then with the outcome.
        case sync
        /// The mount is about to be detached: reply at once, and with the outcome when all is over.
        case finish
        /// Stop sending and end, if already detached.
        case hurry
        /// There is a new login for the account.
        case newLogin = "new-login"
        /// Free the cache.
        case clearCache = "cache-clear"
        /// Check the cache.
        case verifyCache = "cache-verify"
        /// Pin `paths`; reply with what is here as it grows, then with the outcome.
        case pin
        /// End the pins of `paths`.
        case unpin
        /// Reply with all pins.
        case pins
        /// Reply with the conflicted copies at the first of `paths` and below, in pieces that end with an
        /// empty one.
        case conflicts
        /// Change `settings`.
        case set
        /// Reply with `limit` revisions of the first of `paths`.
        case revisions
        /// Reply with the link to the first of `paths`.
        case link
        /// Make `revision` of the first of `paths` the current one.
        case restore
    }

    /// What to do.
    public var command: Command
    /// Seconds to spend on it at most; nil for as long as it takes.
    public var timeout: Double?
    /// Places on the mount, without the mountpoint.
    public var paths: [String]?
    /// Whether pinned content is meant, too.
    public var includesPinned: Bool?
    /// Settings to change.
    public var settings: [MountOptionSetting]?
    /// How many to reply with at most.
    public var limit: Int?
    /// The revision that is meant.
    public var revision: String?

    /// Names what to do and for how long.
    public init(
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

/// What a mount answers: one line of JSON, with one of the fields set.
public struct ControlReply: Hashable, Sendable, Codable {
    /// To `status`.
    public var status: MountStatus?
    /// To `sync`, while it goes on.
    public var progress: Backlog?
    /// To `sync` and `finish`, at the end.
    public var outcome: DrainOutcome?
    /// To `cache-clear`.
    public var freedBytes: Int64?
    /// To `cache-verify`.
    public var cache: CacheReport?
    /// To `pin`, while it goes on.
    public var pinProgress: PinProgress?
    /// To `pin`, at the end.
    public var pinOutcome: PinOutcome?
    /// To `pins`.
    public var pins: [PinReport]?
    /// To `conflicts`: the next ones; empty at the end.
    public var conflicts: [ConflictReport]?
    /// To `conflicts`, at the end: whether all of the account's tree is known.
    public var isTreeKnown: Bool?
    /// To `revisions`.
    public var revisions: RevisionList?
    /// To `link`.
    public var link: LinkReport?
    /// To `restore`: what is current now.
    public var restored: RevisionReport?
    /// To `set`: what is in force now.
    public var limits: LiveSettings?
    /// To `finish`, `hurry`, `new-login` and `unpin`: understood.
    public var isAccepted: Bool?
    /// To anything, if it failed.
    public var failure: String?

    /// A reply that says nothing yet.
    public init() {}
}
