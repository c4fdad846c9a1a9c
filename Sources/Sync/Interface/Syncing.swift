// The interfaces between FileSystem and Sync as protocols, so that each can be tested without the
// other.

package import Core
package import MetadataStore
package import RemoteStore
package import Tree

/// The interface of Sync to the operations.
package protocol Syncing: Sendable {
    /// Whether the whole account's tree is known, so that every unknown name is truly absent.
    var isTreeComplete: Bool { get }
    /// Whether deltas are being received, so that the kernel may cache for long.
    var isFeedHealthy: Bool { get }
    /// Bytes used and allowed, from the last response; nil before it.
    var space: RemoteSpace? { get }
    /// Whether the account was full at the last upload, so that new content is refused early.
    var isQuotaExceeded: Bool { get }

    /// Waits until a folder's children are all in the store. Returns at once if they are.
    ///
    /// Throws `offline` and the like if the server cannot be reached, `notFound` if the folder is
    /// deleted there.
    func ensureListed(_ folder: InodeID) async throws(SyncError)
    /// When the change of a place is due that a user's transaction makes. Called in this
    /// transaction, so it waits for nothing but a short lock.
    func due(for place: ChangedPlace) -> WallTime
    /// The journal has a new or changed entry: send it when it is due.
    func noteChange()
    /// This machine's name, for conflicted copies.
    var host: String { get }
    /// A write has put a detached file back into the tree.
    func noteReturn(of file: ReturnedFile)
    /// Notes that the content of a file has grown by a piece, which may be uploaded before the file
    /// is closed.
    func noteGrowth(of inode: InodeID)
    /// Waits until a node's content is on the server (`fsync=remote`).
    ///
    /// Throws the last problem when it cannot be sent.
    func drain(_ inode: InodeID) async throws(SyncError)
    /// Waits until the server has these nodes at their local places.
    ///
    /// Throws the last problem of one that cannot be sent.
    func drainPlaces(of inodes: [InodeID]) async throws(SyncError)
}

/// Receives changes after their commit.
package protocol TreeChangeObserving: Sendable {
    /// Called on any thread that may wait for the local disk, with no lock held.
    func treeDidChange(_ changes: [TreeChange])
}
