// The status of a running mount. The names in JSON are an interface for scripts: fields are added,
// never renamed.

/// One mount, as `dbxfs status --json` prints it.
package struct MountStatus: Hashable, Sendable, Codable {
    /// The mount's connection to the server.
    package enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// No response from the server yet.
        case connecting
        /// Connected; changes are synchronized.
        case online
        /// The server cannot be reached; cached content is readable, writes are queued.
        case offline
        /// The server does not accept the token.
        case authRequired = "auth-required"
        /// Unmounted, and uploading the queue.
        case finishing
    }

    /// A file that is being uploaded.
    package struct Upload: Hashable, Sendable, Codable {
        /// Its path on the mount, without the mountpoint.
        package var path: String
        /// Size of the file in bytes.
        package var bytes: Int64
        /// Bytes that the network has taken.
        package var sent: Int64
        /// Whether a program still writes the file; nil from a mount of an earlier version.
        package var isGrowing: Bool?

        private enum CodingKeys: String, CodingKey {
            case path, bytes, sent
            case isGrowing = "growing"
        }

        /// Memberwise; by default without `growing`.
        package init(path: String, bytes: Int64, sent: Int64, isGrowing: Bool? = nil) {
            self.path = path
            self.bytes = bytes
            self.sent = sent
            self.isGrowing = isGrowing
        }
    }

    /// A change that the server refused, and that waits for an action of the user.
    package struct Problem: Hashable, Sendable, Codable {
        /// Its path on the mount, without the mountpoint.
        package var path: String
        /// Reason of the refusal.
        package var reason: String

        /// Memberwise and without defaults.
        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    /// The content that is pinned for offline use.
    package struct Pins: Hashable, Sendable, Codable {
        /// A file that is being downloaded.
        package struct Fetch: Hashable, Sendable, Codable {
            /// Its path on the mount, without the mountpoint.
            package var path: String
            /// Size of the file in bytes.
            package var bytes: Int64
            /// Bytes that are cached.
            package var fetched: Int64

            /// Memberwise and without defaults.
            package init(path: String, bytes: Int64, fetched: Int64) {
                self.path = path
                self.bytes = bytes
                self.fetched = fetched
            }
        }

        /// Number of pinned files, including those in pinned folders.
        package var files = 0
        /// Sum of their sizes.
        package var bytes: Int64 = 0
        /// Files that can be read without the network.
        package var presentFiles = 0
        /// Sum of their sizes.
        package var presentBytes: Int64 = 0
        /// Files that cannot be downloaded (cloud documents).
        package var unavailableFiles = 0
        /// Files that are still to be fetched.
        package var missingFiles = 0
        /// Sum of their sizes.
        package var missingBytes: Int64 = 0
        /// Files that are being fetched.
        package var fetches: [Fetch] = []
        /// Whether they exceed the cache limit; they are kept all the same.
        package var exceedsCache = false
        /// The cache limit in bytes.
        package var cacheSize: Int64 = 0
        /// The last error, until a fetch succeeds.
        package var problem: String?
        /// Seconds until all is here, at the present rate; nil if unknown.
        package var secondsLeft: Double?

        /// Creates a status without pins.
        package init() {}

        private enum CodingKeys: String, CodingKey {
            case files, bytes, fetches, problem
            case presentFiles = "present_files"
            case presentBytes = "present_bytes"
            case unavailableFiles = "unavailable_files"
            case missingFiles = "missing_files"
            case missingBytes = "missing_bytes"
            case exceedsCache = "exceeds_cache"
            case cacheSize = "cache_size"
            case secondsLeft = "seconds_left"
        }
    }

    /// Mountpoint as an absolute path.
    package var mountpoint: String
    /// The account's local name.
    package var account: String
    /// The folder on Dropbox that is mounted; "" for all of it.
    package var remotePath: String = ""
    /// The device of its files, as `0:45` in /proc/self/mountinfo; nil once it is unmounted, and
    /// from a mount of an earlier version.
    package var device: String?
    /// The process that serves the mount.
    package var pid: Int32 = 0
    /// The version of dbxfs that this process runs.
    package var version: String = ""
    /// The mount's connection to the server.
    package var state: State
    /// What the user has to do; nil if there is nothing.
    package var advice: String?
    /// Number of queued changes.
    package var pendingOperations: Int = 0
    /// Bytes of their content.
    package var pendingBytes: Int64 = 0
    /// Bytes per second that are being sent; nil if unknown.
    package var sendingRate: Int64?
    /// Bytes per second that are being received; nil if unknown.
    package var receivingRate: Int64?
    /// Seconds until the queue is sent, at the present rate; nil if unknown.
    package var secondsLeft: Double?
    /// Whether a user has paused the mount; nil from a mount of an earlier version.
    package var isPaused: Bool?
    /// Seconds until it resumes by itself; nil if it waits for a user.
    package var pauseSecondsLeft: Double?
    /// Why the server cannot be reached; nil while it can.
    package var connectionProblem: String?
    /// Files that are being uploaded.
    package var uploads: [Upload] = []
    /// Changes that the server refused.
    package var problems: [Problem] = []
    /// Conflicted copies made since the mount began.
    package var conflicts: Int = 0
    /// Pieces of unverified content that were put aside, and are not uploaded.
    package var lost: Int = 0
    /// The known paths of the first of these.
    package var lostPaths: [String] = []
    /// Number of local-only files, folders and links.
    package var localEntries: Int = 0
    /// Sum of their sizes in bytes.
    package var localBytes: Int64 = 0
    /// Settings that can be changed while it runs.
    package var limits = LiveSettings()
    /// Bytes of content in the cache.
    package var cachedBytes: Int64 = 0
    /// The part of them that is pinned.
    package var pinnedBytes: Int64 = 0
    /// The content that is pinned for offline use.
    package var pins = Pins()
    /// Number of known files and folders.
    package var entries: Int = 0
    /// Whether all files and folders of the account are known; nil from a mount of an earlier
    /// version.
    package var isTreeComplete: Bool?
    /// Seconds for which a listing of the whole account has been running; nil without one.
    package var listingSeconds: Double?
    /// How far that listing is; nil without one, and from a mount of an earlier version.
    package var listing: ListingStatus?
    /// Seconds since the server last confirmed that the tree is up to date; nil before the first
    /// time.
    package var cursorAgeSeconds: Double?
    /// Seconds left of the server's rate limit; nil without one.
    package var waitingSeconds: Double?
    /// Requests to the server since the mount began, by route.
    package var requests: [String: Int] = [:]
    /// Requests of the kernel since the mount began, by FUSE's names: those that its caches could
    /// not answer.
    package var calls: [String: Int] = [:]
    /// Bytes received from the server.
    package var bytesDown: Int64 = 0
    /// Bytes sent to the server.
    package var bytesUp: Int64 = 0
    /// Resident memory of the process.
    package var rssBytes: Int64 = 0
    /// Where the mount's metrics are scraped, as users write it; nil if nowhere.
    package var metricsAddress: String?
    /// The value of the mount option `posix`; nil from a mount of an earlier version.
    package var posix: String?

    /// Creates a status with defaults.
    package init(mountpoint: String, account: String, state: State) {
        self.mountpoint = mountpoint
        self.account = account
        self.state = state
    }

    private enum CodingKeys: String, CodingKey {
        case mountpoint, account, device, pid, version, state, advice, uploads, problems, conflicts,
            lost,
            entries
        case requests, calls, pins, limits, listing, posix
        case remotePath = "remote_path"
        case pendingOperations = "pending_operations"
        case pendingBytes = "pending_bytes"
        case sendingRate = "sending_rate"
        case receivingRate = "receiving_rate"
        case secondsLeft = "seconds_left"
        case isPaused = "paused"
        case pauseSecondsLeft = "pause_seconds_left"
        case connectionProblem = "connection_problem"
        case lostPaths = "lost_paths"
        case localEntries = "local_entries"
        case localBytes = "local_bytes"
        case cachedBytes = "cached_bytes"
        case pinnedBytes = "pinned_bytes"
        case isTreeComplete = "tree_complete"
        case listingSeconds = "listing_seconds"
        case cursorAgeSeconds = "cursor_age_seconds"
        case waitingSeconds = "waiting_seconds"
        case bytesDown = "bytes_down"
        case bytesUp = "bytes_up"
        case rssBytes = "rss_bytes"
        case metricsAddress = "metrics_address"
    }

    /// Writes every field, so that scripts find them: nil is null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(mountpoint, forKey: .mountpoint)
        try container.encode(account, forKey: .account)
        try container.encode(remotePath, forKey: .remotePath)
        try container.encode(device, forKey: .device)
        try container.encode(pid, forKey: .pid)
        try container.encode(version, forKey: .version)
        try container.encode(state, forKey: .state)
        try container.encode(advice, forKey: .advice)
        try container.encode(pendingOperations, forKey: .pendingOperations)
        try container.encode(pendingBytes, forKey: .pendingBytes)
        try container.encode(sendingRate, forKey: .sendingRate)
        try container.encode(receivingRate, forKey: .receivingRate)
        try container.encode(secondsLeft, forKey: .secondsLeft)
        try container.encode(isPaused, forKey: .isPaused)
        try container.encode(pauseSecondsLeft, forKey: .pauseSecondsLeft)
        try container.encode(connectionProblem, forKey: .connectionProblem)
        try container.encode(uploads, forKey: .uploads)
        try container.encode(problems, forKey: .problems)
        try container.encode(conflicts, forKey: .conflicts)
        try container.encode(lost, forKey: .lost)
        try container.encode(lostPaths, forKey: .lostPaths)
        try container.encode(localEntries, forKey: .localEntries)
        try container.encode(localBytes, forKey: .localBytes)
        try container.encode(limits, forKey: .limits)
        try container.encode(cachedBytes, forKey: .cachedBytes)
        try container.encode(pinnedBytes, forKey: .pinnedBytes)
        try container.encode(pins, forKey: .pins)
        try container.encode(entries, forKey: .entries)
        try container.encode(isTreeComplete, forKey: .isTreeComplete)
        try container.encode(listingSeconds, forKey: .listingSeconds)
        try container.encode(listing, forKey: .listing)
        try container.encode(cursorAgeSeconds, forKey: .cursorAgeSeconds)
        try container.encode(waitingSeconds, forKey: .waitingSeconds)
        try container.encode(requests, forKey: .requests)
        try container.encode(calls, forKey: .calls)
        try container.encode(bytesDown, forKey: .bytesDown)
        try container.encode(bytesUp, forKey: .bytesUp)
        try container.encode(rssBytes, forKey: .rssBytes)
        try container.encode(metricsAddress, forKey: .metricsAddress)
        try container.encode(posix, forKey: .posix)
    }
}
