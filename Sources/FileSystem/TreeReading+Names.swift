// Lookups for operations: with POSIX errors, and with folders whose children are not all known.

import Core
import MetadataStore

extension TreeReading {
    /// The node of an inode from the kernel.
    func existing(_ inode: InodeID) throws -> Node {
        guard let node = try node(inode) else { throw FileSystemError.noEntry }
        return node
    }

    /// A folder that is in the tree.
    func folder(_ inode: InodeID) throws -> Node {
        let node = try existing(inode)
        guard node.kind == .folder else { throw FileSystemError.notADirectory }
        guard node.place != nil || inode == .root else { throw FileSystemError.noEntry }
        return node
    }

    /// The child with a name; `noEntry` if there is none. With `folding`, also one whose name
    /// Dropbox considers equal.
    func child(
        _ name: FileName, of folder: Node, _ known: KnownFolders, folding: Bool
    ) throws -> Node {
        let found =
            try folding
            ? child(like: name, of: folder.inode) : child(name, of: folder.inode)
        if let found {
            return found
        }
        try known.requireListing(of: folder)
        throw FileSystemError.noEntry
    }

    /// The child that a new name would collide with, as far as that can be predicted; nil if the
    /// name is free. A collision that only the server knows of ends as a conflicted copy.
    func occupant(of name: FileName, in folder: Node, _ known: KnownFolders) throws -> Node? {
        if let child = try child(like: name, of: folder.inode) {
            return child
        }
        try known.requireListing(of: folder)
        return nil
    }
}

extension DropboxFileSystem {
    /// Throws unless names in a folder may be created and removed.
    func requireWritable(_ folder: Node) throws(FileSystemError) {
        if options.isReadOnly { throw .readOnly }
        if !folder.flags.isDisjoint(with: [.readOnly, .traverseOnly, .noAccess]) {
            throw .accessDenied
        }
    }
}
