// Looking up names as operations do it: with POSIX errors, and with folders whose children are not known.

import Core
import MetadataStore

extension TreeReading {
    /// A node that the kernel speaks of.
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

    /// The child of a name; `noEntry` if there is none. With `folding`, the one that Dropbox would take for
    /// it will do.
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

    /// The child that a new name would collide with, as far as that can be predicted; nil if the name is free.
    /// A collision that only the server knows of ends as a conflicted copy.
    func occupant(of name: FileName, in folder: Node, _ known: KnownFolders) throws -> Node? {
        if let child = try child(like: name, of: folder.inode) {
            return child
        }
        try known.requireListing(of: folder)
        return nil
    }
}

extension DropboxFileSystem {
    /// Checks that names in a folder may be made and removed.
    func requireWritable(_ folder: Node) throws(FileSystemError) {
        if options.isReadOnly { throw .readOnly }
        if !folder.flags.isDisjoint(with: [.readOnly, .traverseOnly, .noAccess]) {
            throw .accessDenied
        }
    }
}
