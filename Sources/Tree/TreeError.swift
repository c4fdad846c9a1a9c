// The reasons to refuse a user's change of the tree. FileSystem turns each into an error of POSIX.

package import Core

/// Why a user's change of the tree was refused.
package enum TreeError: Error, Hashable, Sendable {
    /// No such node, or no node under this name.
    case noEntry
    /// The node must be a folder.
    case notADirectory
    /// The node must not be a folder.
    case isADirectory
    /// The name is taken, or collides with another one under Dropbox's folding.
    case exists
    /// The folder has children.
    case notEmpty
    /// The name is refused, or a folder would contain itself.
    case invalidArgument
    /// The name is refused because it is not UTF-8.
    case invalidEncoding
    /// The mount is read-only.
    case readOnly
    /// The folder may not be written to by this account.
    case accessDenied
    /// Dropbox does not allow it.
    case notPermitted
    /// A cloud document would get another content.
    case unsupported
    /// A shared folder's mount point.
    case busy
    /// A folder would have to be copied to what stays on this machine.
    case crossDevice
    /// The content of an open file is no longer the node's.
    case staleContent
    /// A file without content.
    case noContent(InodeID)
}

/// Aborts work on the tree that needs the children of a folder that was never listed. A transaction
/// that throws it rolls back.
package struct ListingNeeded: Error {
    package let folder: InodeID
}

/// Aborts work on the tree that needs all bytes of a file on the local disk.
package struct ContentNeeded: Error {
    package let inode: InodeID
}
