// Looking up names, and forgetting inodes.

public import Core
import MetadataStore
import Staging
import Sync

extension DropboxFileSystem {
    /// Finds a name in a folder: byte by byte, unless the mount folds case. Then one inode has two
    /// names in the kernel, which takes a rename from one to the other as a no-op.
    public func lookup(_ name: [UInt8], in parent: InodeID) -> Answer<LookupResult> {
        answer { known in
            let moment = self.moment()
            do {
                let name = try FileName(finding: name)
                let node = try self.store.read { snapshot in
                    try snapshot.child(
                        name, of: snapshot.folder(parent), known, folding: self.options.foldsCase)
                }
                var entry = self.found(node, since: moment)
                // Another spelling than the node's own is looked up each time, because no
                // invalidation names it.
                if node.place?.name != name { entry.timeouts.entry = 0 }
                return .found(entry)
            } catch FileSystemError.noEntry {
                return .absent(timeout: self.absenceTimeout(since: moment))
            }
        }
    }

    /// Subtracts from an inode's lookup count.
    public func forget(_ inode: InodeID, count: UInt64) {
        if inodes.forget(inode, count: count) {
            end(inode)
        }
    }

    /// The target of a symbolic link.
    public func readSymbolicLink(_ inode: InodeID) -> Answer<[UInt8]> {
        answer { _ in
            let node = try self.store.read { try $0.existing(inode) }
            guard node.kind == .symbolicLink, let target = node.facts.target else {
                throw FileSystemError.invalidArgument
            }
            return Array(target.utf8)
        }
    }

    // MARK: The end of unlinked inodes

    /// Removes the unreachable parts of an unlinked inode: its content when the last handle is
    /// closed, the inode when the kernel has forgotten it too.
    func end(_ inode: InodeID) {
        do {
            let file = try update { transaction -> Int64? in
                guard let node = try transaction.node(inode), node.place == nil, inode != .root
                else { return nil }
                return try self.dropUnreachable(node, transaction)
            }
            file.map(staging.removeFile)
        } catch {
            // The store removes it at its next start.
            _ = failure(error)
        }
    }

    /// Removes those parts in a transaction. Returns the staging file to remove after the commit.
    private func dropUnreachable(_ node: Node, _ transaction: Transaction) throws -> Int64? {
        // Marked before the commit, so that a concurrent forget waits in `end` for this
        // transaction.
        let isKnown = inodes.noteUnlinked(node.inode)
        if openFiles.isOpen(node.inode, in: transaction) { return nil }
        if node.remote == .absent && !isKnown {
            try transaction.remove(node.inode)
        } else if node.staged != nil {
            try transaction.removeStaged(of: node.inode)
        }
        return node.staged?.file
    }

    /// Decides what remains of a node that just lost its name: a deletion for the server, content
    /// for open handles, or nothing. Returns the staging file to remove after the commit.
    func settleUnlinked(_ inode: InodeID, _ transaction: Transaction) throws -> Int64? {
        guard let node = try transaction.node(inode) else { return nil }
        return try dropUnreachable(node, transaction)
    }

}
