// What FileSystem needs of Sync and what Sync needs of FileSystem, as protocols, so that each can be
// tested without the other.

public import Core
public import MetadataStore
public import RemoteStore

/// The side of Sync that operations call.
public protocol Syncing: Sendable {
    /// Whether the whole account's tree is known, so that every absent name is truly absent.
    var isTreeComplete: Bool { get }
    /// Whether remote changes are being delivered, so that the kernel may cache for long.
    var isFeedHealthy: Bool { get }
    /// Bytes used and allowed, as last heard; nil before the first answer.
    var space: RemoteSpace? { get }
    /// Whether the account was full at the last upload, so that new content is refused early.
    var isQuotaExceeded: Bool { get }

    /// Waits until a folder's children are all in the store. Returns at once when they are.
    ///
    /// Throws `offline` and its like when the server cannot be asked, `notFound` when the folder is
    /// gone there.
    func ensureListed(_ folder: InodeID) async throws(RemoteError)
    /// The journal has a new or changed entry: send it when it is due.
    func noteChange()
    /// A file that is in no place is about to be written to, in this transaction. If it was news that took
    /// it from its place, it gets one again; returns what that changes for users.
    func returnToTree(_ node: Node, in transaction: Transaction) throws -> [TreeChange]
    /// The content of a file has grown by a piece, and the file may be sent before it is closed.
    func noteGrowth(of inode: InodeID)
    /// Waits until a node's content is on the server (`fsync=remote`).
    ///
    /// Throws the last problem when it cannot be sent.
    func drain(_ inode: InodeID) async throws(RemoteError)
}

/// The side of FileSystem that Sync asks.
public protocol OpenFileTracking: Sendable {
    /// Whether a handle is open on the inode, for a transaction that changes what openers find. Must not
    /// wait on anything but a short lock.
    ///
    /// An opener registers first and reads the node after. So the transaction either sees the handle, or
    /// the opener sees that there is such a transaction, and reads when that has ended: reading does not
    /// wait for who writes, and would find what was there before.
    func isOpen(_ inode: InodeID, in transaction: Transaction) -> Bool
    /// Whether a handle that can write is open on the inode.
    func isOpenForWriting(_ inode: InodeID) -> Bool
}

/// What the server's side changed in the tree; FileSystem turns it into kernel invalidations.
public enum TreeChange: Hashable, Sendable {
    /// A name leads elsewhere now, or exists now.
    case entry(parent: InodeID, name: FileName)
    /// A name is gone.
    case deletedEntry(parent: InodeID, child: InodeID, name: FileName)
    /// A file's content is another one.
    case content(InodeID)
    /// A node's attributes changed.
    case attributes(InodeID)
    /// A folder's listing changed.
    case listing(InodeID)
}

/// Hears of changes after they are committed.
public protocol TreeChangeObserving: Sendable {
    /// The tree has changed; called on no particular thread, with no lock held.
    func treeDidChange(_ changes: [TreeChange])
}
