// Lookups for users: with errors, and with folders whose children are not all known.

package import Core
package import MetadataStore

/// The folders whose children are all known to one try of a request.
package struct KnownFolders: Sendable {
    /// Whether the whole tree was known at the start.
    package let isTreeComplete: Bool
    /// Folders that this request has waited for.
    package var awaited: Set<InodeID> = []

    package init(isTreeComplete: Bool, awaited: Set<InodeID> = []) {
        self.isTreeComplete = isTreeComplete
        self.awaited = awaited
    }

    /// Throws unless a name that is not among a folder's children is known not to exist.
    package func requireListing(of folder: Node) throws(ListingNeeded) {
        if isTreeComplete || folder.remote == .absent || folder.flags.contains(.listed)
            || awaited.contains(folder.inode)
        {
            return
        }
        throw ListingNeeded(folder: folder.inode)
    }
}

extension TreeReading {
    /// The node of an inode from the kernel.
    package func existing(_ inode: InodeID) throws -> Node {
        guard let node = try node(inode) else { throw TreeError.noEntry }
        return node
    }

    /// A folder that is in the tree.
    package func folder(_ inode: InodeID) throws -> Node {
        let node = try existing(inode)
        guard node.kind == .folder else { throw TreeError.notADirectory }
        guard node.place != nil || inode == .root else { throw TreeError.noEntry }
        return node
    }

    /// The child with a name; `noEntry` if there is none. With `folding`, also one whose name
    /// Dropbox considers equal.
    package func child(
        _ name: FileName, of folder: Node, _ known: KnownFolders, folding: Bool
    ) throws -> Node {
        let found =
            try folding
            ? child(folding: name, of: folder.inode) : child(name, of: folder.inode)
        if let found {
            return found
        }
        try known.requireListing(of: folder)
        throw TreeError.noEntry
    }

    /// The child with a name in the folder of an inode from the kernel, by the same rules. Most
    /// names lead to a node, so the folder's facts are read for the others only.
    package func child(
        _ name: FileName, in folder: InodeID, _ known: KnownFolders, folding: Bool
    ) throws -> Node {
        let found =
            try folding ? child(folding: name, of: folder) : child(name, of: folder)
        if let found, try isFolderInTree(folder) { return found }
        return try child(name, of: self.folder(folder), known, folding: folding)
    }
}
