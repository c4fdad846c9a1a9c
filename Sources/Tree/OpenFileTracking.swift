// The interface of Tree to the table of open files, and the changes that it tells its callers.

package import Core
package import MetadataStore

/// Decides whether a file is open: a change of an open file must leave its content readable.
package protocol OpenFileTracking: Sendable {
    /// Whether a handle is open on the inode, for a transaction that changes the state which
    /// openers read. Must wait for nothing but a short lock.
    ///
    /// An opener registers its handle first and reads the node after that. So either this finds the
    /// handle, or the opener finds that the transaction has asked for the inode. In the second case
    /// the opener reads between two transactions: a plain read does not wait for the writer, and
    /// would return the state from before it.
    func isOpen(_ inode: InodeID, in transaction: Transaction) -> Bool
    /// Whether a handle that can write is open on the inode.
    func isOpenForWriting(_ inode: InodeID) -> Bool
}

/// A remote change of the tree; FileSystem turns it into kernel invalidations.
package enum TreeChange: Hashable, Sendable {
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
