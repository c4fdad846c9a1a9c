// The state of Sync, for operations and for `status`: read at once, from any thread.

package import Core
package import RemoteStore
import Saturating
import Synchronization

/// A summary of the mount's relation to the server.
package struct SyncStatus: Hashable, Sendable {
    /// The connection to the server.
    package enum Connection: String, Hashable, Sendable {
        /// The server has not responded yet.
        case connecting
        /// Deltas are being received.
        case online
        /// The server cannot be reached; cached content is served and changes are queued.
        case offline
        /// The token is refused; the user must log in.
        case authenticationRequired = "auth-required"
    }

    /// Content that is being uploaded.
    package struct Upload: Hashable, Sendable {
        /// Remote path of the file.
        package var path: String
        /// Size of the content in bytes.
        package var size: Int64
        /// Bytes that the server has acknowledged.
        package var acknowledged: Int64 = 0
        /// Bytes that the network has taken of the pieces in flight, by the piece's first byte.
        package var inFlight: [Int64: Int64] = [:]
        /// Whether a program still writes the content, which is sent ahead.
        package var isGrowing = false

        /// Bytes that the network has taken.
        package var sent: Int64 {
            min(inFlight.values.reduce(acknowledged) { $0 +| $1 }, size)
        }

        /// Counts a piece that the server has acknowledged.
        mutating func noteArrival(of piece: Range<Int64>) {
            inFlight[piece.lowerBound] = nil
            acknowledged +|= Int64(clamping: piece.count)
        }
    }

    /// The connection to the server.
    package var connection = Connection.connecting
    /// Whether the whole tree is known.
    package var isTreeComplete = false
    /// Whether a full listing is running, the first or one after a reset.
    package var isListing = true
    /// Whether the server's root differs from the tree's, and the two are not compared yet: nothing
    /// is sent until then, because paths would mean other nodes.
    package var isRootNew = false
    /// Whether all deltas from before the start of this process are applied, and the whole listing,
    /// if the server lists a known tree again. A queued change may concern a node that another
    /// client has moved or deleted, so nothing is sent before that. The first listing of an account
    /// need not be complete, because no node was known before it.
    package var hasCaughtUp = false
    /// The path of the mounted folder, if it is missing on the server: nothing is sent then,
    /// because that would recreate it.
    package var missingFolder: String?
    /// When the full listing began, or continued, in this process.
    package var listingBegan: WallTime?
    /// Number of nodes that the running or last full listing has seen.
    package var listedEntries = 0
    /// Sum of their sizes on the server, in bytes.
    package var listedBytes: Int64 = 0
    /// Whether the account was full at the last upload.
    package var isQuotaExceeded = false
    /// Bytes used and allowed, from the last response.
    package var space: RemoteSpace?
    /// Whether a user has paused uploads and the fetching of pinned content.
    package var isPaused = false
    /// Content that is being uploaded.
    package var uploads: [InodeID: Upload] = [:]
    /// Conflicted copies made since the mount started.
    package var conflicts = 0
    /// Paths of folders that this mount has deleted and could not search for files that other
    /// clients stored in them at the last moment.
    package var unsearchedFolders: Set<String> = []
    /// The last problem, and what to do about it.
    package var lastProblem: String?
    /// The local failure of the last transaction; nil since one succeeded.
    package var localFailure: LocalFailure?
    /// Whether the last attempt to request or to apply deltas failed.
    package var isFeedFailing = false
    /// When the server last confirmed the state of the tree.
    package var lastHeard: WallTime?
}

extension SyncStatus {
    /// Whether nothing is sent before the feed has applied more.
    var holdsQueue: Bool { isRootNew || !hasCaughtUp }

    /// Begins a full listing, with nothing seen yet.
    mutating func beginListing(at now: WallTime) {
        // Otherwise it began when the process did.
        if !isListing || isTreeComplete || connection == .offline { listingBegan = now }
        isListing = true
        (listedEntries, listedBytes) = (0, 0)
    }

    /// Counts nodes that the running full listing had not seen before; without one, nothing.
    mutating func noteListed(entries: Int, bytes: Int64) {
        guard isListing else { return }
        listedEntries +|= entries
        listedBytes +|= bytes
    }
}

/// The shared, current `SyncStatus`.
final class SyncState: Sendable {
    /// Lock: a leaf; no other lock is taken under it.
    private let status = Mutex(SyncStatus())
    private let activities: (any SyncActivityObserving)?

    init(activities: (any SyncActivityObserving)? = nil) {
        self.activities = activities
    }

    var current: SyncStatus { status.withLock { $0 } }

    /// A part of the current status, without a copy of the rest.
    func current<Value: Sendable>(_ part: (borrowing SyncStatus) -> Value) -> Value {
        status.withLock { part($0) }
    }

    func update(_ change: (inout SyncStatus) -> Void) {
        guard let activities else { return status.withLock { change(&$0) } }
        let (isNewlyFull, refusal) = status.withLock { status -> (Bool, String?) in
            let (wasFull, connection) = (status.isQuotaExceeded, status.connection)
            change(&status)
            let isRefused = status.connection == .authenticationRequired
            return (
                status.isQuotaExceeded && !wasFull,
                isRefused && connection != .authenticationRequired ? status.lastProblem ?? "" : nil
            )
        }
        if isNewlyFull { activities.note(.accountFull) }
        if let refusal { activities.note(.accessRefused(refusal)) }
    }

    /// Records the failure of a transaction, or its success.
    func noteStore(_ failure: LocalFailure?) {
        status.withLock { status in
            status.localFailure = failure
            if let failure { status.lastProblem = failure.problem }
        }
    }
}
