// The interfaces between FileSystem and Sync as protocols, so that each can be tested without the
// other.

public import Core
public import MetadataStore
public import RemoteStore

/// The interface of Sync to the operations.
public protocol Syncing: Sendable {
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
    func ensureListed(_ folder: InodeID) async throws(RemoteError)
    /// The journal has a new or changed entry: send it when it is due.
    func noteChange()
    /// Called in the transaction before a write to a file without a place. If a delta detached it,
    /// reattaches it; returns the changes to announce.
    func returnToTree(_ node: Node, in transaction: Transaction) throws -> [TreeChange]
    /// Notes that the content of a file has grown by a piece, which may be uploaded before the file
    /// is closed.
    func noteGrowth(of inode: InodeID)
    /// Waits until a node's content is on the server (`fsync=remote`).
    ///
    /// Throws the last problem when it cannot be sent.
    func drain(_ inode: InodeID) async throws(RemoteError)
}

/// The interface of FileSystem to Sync.
public protocol OpenFileTracking: Sendable {
    /// Whether a handle is open on the inode, for a transaction that changes the state which
    /// openers read. Must wait for nothing but a short lock.
    ///
    /// An opener registers first and reads the node after. So the transaction either sees the
    /// handle, or the opener sees that there is such a transaction, and reads in one of its own
    /// after it: a plain read does not wait for a writer, and would return the earlier state.
    func isOpen(_ inode: InodeID, in transaction: Transaction) -> Bool
    /// Whether a handle that can write is open on the inode.
    func isOpenForWriting(_ inode: InodeID) -> Bool
}

/// A remote change of the tree; FileSystem turns it into kernel invalidations.
public enum TreeChange: Hashable, Sendable {
    /// A name leads elsewhere now, or exists now.
    case entry(parent: InodeID, name: FileName)
    /// A name was deleted.
    case deletedEntry(parent: InodeID, child: InodeID, name: FileName)
    /// A file has other content.
    case content(InodeID)
    /// A node's attributes changed.
    case attributes(InodeID)
    /// A folder's listing changed.
    case listing(InodeID)
}

/// Receives changes after their commit.
public protocol TreeChangeObserving: Sendable {
    /// Called on any thread, with no lock held.
    func treeDidChange(_ changes: [TreeChange])
}
