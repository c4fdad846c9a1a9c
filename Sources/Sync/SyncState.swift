// What Sync knows of itself, for operations and for `status`: read at once, from any thread.

public import Core
public import RemoteStore
import Synchronization

/// A summary of how the mount stands with the server.
public struct SyncStatus: Hashable, Sendable {
    /// How the server is reached.
    public enum Connection: String, Hashable, Sendable {
        /// Nothing has been heard yet.
        case connecting
        /// Changes are being delivered.
        case online
        /// The server cannot be reached; cached content is served and changes are queued.
        case offline
        /// The token is refused; somebody must log in.
        case authenticationRequired = "auth-required"
    }

    /// Content that is being sent.
    public struct Upload: Hashable, Sendable {
        /// Where to.
        public var path: String
        /// Size in bytes.
        public var size: Int64
        /// Bytes sent so far.
        public var sent: Int64
    }

    /// How the server is reached.
    public var connection = Connection.connecting
    /// Whether the whole tree is known.
    public var isTreeComplete = false
    /// Whether a listing of everything is running, the first or one after a reset.
    public var isListing = true
    /// Whether paths start from another root than that of the tree, and the two are not compared yet:
    /// nothing is sent meanwhile, since its path would lead to something else.
    public var isRootNew = false
    /// Whether the server has told, since this process began, what has changed. Before that nothing is sent:
    /// what is queued may be about what others have moved or deleted meanwhile.
    public var hasCaughtUp = false
    /// Where the mounted folder was, if it is not on the server any more: nothing is sent meanwhile, since that
    /// would make it anew.
    public var missingFolder: String?
    /// When the listing of everything began, or went on, in this process.
    public var listingBegan: Timestamp?
    /// Whether the account was full at the last upload.
    public var isQuotaExceeded = false
    /// Bytes used and allowed, as last heard.
    public var space: RemoteSpace?
    /// Content that is being sent.
    public var uploads: [InodeID: Upload] = [:]
    /// Conflicted copies made since the mount started.
    public var conflicts = 0
    /// Paths of folders that this mount has deleted and could not search for files that other clients stored in them
    /// at the last moment.
    public var unsearchedFolders: Set<String> = []
    /// What went wrong last, and what to do about it.
    public var lastProblem: String?
    /// What failed on this machine at the last change of the tree; nil since it works.
    public var localFailure: RemoteError.LocalFailure?
    /// When the server last confirmed the state of the tree.
    public var lastHeard: Timestamp?
}

/// The shared, current `SyncStatus`.
final class SyncState: Sendable {
    /// Lock: a leaf; nothing else is taken under it.
    private let status = Mutex(SyncStatus())

    var current: SyncStatus { status.withLock { $0 } }

    func update(_ change: (inout SyncStatus) -> Void) {
        status.withLock { change(&$0) }
    }

    /// The tree could be changed, or why not.
    func noteStore(_ failure: RemoteError.LocalFailure?) {
        status.withLock { status in
            status.localFailure = failure
            if let failure { status.lastProblem = failure.problem }
        }
    }
}
