// Removing names: unlink(2) and rmdir(2).

public import Core
import MetadataStore
import Staging
import Sync

extension DropboxFileSystem {
    /// Removes the name of a file or link. Open handles keep its content.
    public func unlink(_ name: [UInt8], in parent: InodeID) -> Answer<Void> {
        remove(name, in: parent) { node, _, _ in
            if node.kind == .folder { throw FileSystemError.isADirectory }
        }
    }

    /// Removes an empty folder. Sync lists it once more before it deletes the server's folder.
    public func removeDirectory(_ name: [UInt8], in parent: InodeID) -> Answer<Void> {
        remove(name, in: parent) { node, known, transaction in
            if node.kind != .folder { throw FileSystemError.notADirectory }
            try self.requireEmpty(node, known, transaction)
            let (inodes, inode) = (self.inodes, node.inode)
            transaction.afterCommit { inodes.noteDead(inode) }
        }
    }

    private func remove(
        _ name: [UInt8], in parent: InodeID,
        _ check: @escaping @Sendable (Node, KnownFolders, Transaction) throws -> Void
    ) -> Answer<Void> {
        answer { known in
            let name = try FileName(finding: name)
            let (file, place) = try self.update { transaction in
                let folder = try transaction.folder(parent)
                let node = try transaction.child(
                    name, of: folder, known, folding: self.options.foldsCase)
                try self.requireWritable(folder)
                try check(node, known, transaction)
                return (try self.unlink(node, transaction), node.place)
            }
            file.map(self.staging.removeFile)
            if let place, place.name != name { self.relay.forgetName(place) }
            self.sync.noteChange()
        }
    }

    /// Removes a node's name. Returns the staging file to remove after the commit.
    func unlink(_ node: Node, _ transaction: Transaction) throws -> Int64? {
        let now = clock.date()
        try transaction.move(node.inode, to: nil)
        try noteChanged(node, at: now, transaction)
        if let parent = node.place?.parent {
            try transaction.touch(parent, at: now)
        }
        return try settleUnlinked(node.inode, transaction)
    }

    /// Throws unless a folder may be removed: it must be empty, and no mount point of a shared
    /// folder, because deleting that means leaving the shared folder.
    func requireEmpty(
        _ folder: Node, _ known: KnownFolders, _ transaction: Transaction
    ) throws {
        if try transaction.hasChildren(folder.inode) { throw FileSystemError.notEmpty }
        try known.requireListing(of: folder)
        if folder.facts.sharedFolderID != nil { throw FileSystemError.busy }
    }

    /// Sets the ctime of a node.
    func noteChanged(_ node: Node, at now: Timestamp, _ transaction: Transaction) throws {
        var local = node.local
        local.changed = now
        try transaction.setLocal(local, of: node.inode)
    }
}
