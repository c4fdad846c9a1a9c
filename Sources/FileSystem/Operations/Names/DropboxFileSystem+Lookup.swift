// Looking up names, and forgetting inodes.

package import Core
import MetadataStore
import Staging
import Sync
import Tree

extension DropboxFileSystem {
    /// Finds a name in a folder: byte by byte, unless the mount folds case. Then one inode has two
    /// names in the kernel, which takes a rename from one to the other as a no-op.
    package func lookup(_ name: [UInt8], in parent: InodeID) -> Answer<LookupResult> {
        switch name {
        case Self.ownName: return found { try $0.existing(parent) }
        case Self.folderName:
            return found { snapshot in
                guard let place = try snapshot.existing(parent).place else {
                    throw FileSystemError.noEntry
                }
                return try snapshot.existing(place.parent)
            }
        default: return lookup(named: name, in: parent)
        }
    }

    static let ownName = Array(".".utf8)
    static let folderName = Array("..".utf8)

    /// Finds a node by the number of an inode that the kernel has forgotten, for a client of an NFS server or for
    /// `open_by_handle_at`: numbers are never used twice, so that they are valid in later mounts, too. The kernel
    /// writes the inode itself as "." and its folder as ".."; no path has these.
    private func found(
        by find: @escaping @Sendable (Snapshot) throws -> Node
    ) -> Answer<LookupResult> {
        answer { _ in
            let moment = self.moment()
            let node = try self.store.readBriefly(find)
            guard node.place != nil || node.inode == .root else { throw FileSystemError.noEntry }
            return .found(self.found(node, since: moment))
        }
    }

    private func lookup(named name: [UInt8], in parent: InodeID) -> Answer<LookupResult> {
        answer { known in
            let moment = self.moment()
            do {
                let name = try FileName(finding: name)
                let node = try self.store.readBriefly {
                    try $0.child(name, in: parent, known, folding: self.options.foldsCase)
                }
                var entry = self.found(node, since: moment)
                // Another spelling than the node's own is looked up each time, because no
                // invalidation names it.
                if node.place?.name.isShown(as: name) != true { entry.timeouts.entry = 0 }
                return .found(entry)
            } catch  where FileSystemError(cause: error) == .noEntry {
                return .absent(timeout: self.absenceTimeout(since: moment))
            }
        }
    }

    /// Subtracts from an inode's lookup count.
    package func forget(_ inode: InodeID, count: UInt64) {
        if inodes.forget(inode, count: count) { ended.add(inode) { self.end($0) } }
    }

    /// The target of a symbolic link.
    package func readSymbolicLink(_ inode: InodeID) -> Answer<[UInt8]> {
        answer { _ in
            let node = try self.store.readBriefly { try $0.existing(inode) }
            guard node.kind == .symbolicLink, let target = node.facts.target else {
                throw FileSystemError.invalidArgument
            }
            return target.bytes
        }
    }

    // MARK: The end of unlinked inodes

    /// Removes the unreachable parts of unlinked inodes: the content when the last handle is
    /// closed, the inode when the kernel has forgotten it too.
    func end(_ inodes: [InodeID]) {
        do {
            try changeTree { changes in
                for inode in inodes { try changes.dropIfUnlinked(inode) }
            }
        } catch is MetadataStore.Closed {
            // The store removes them at its next start.
        } catch {
            // The store removes these at its next start, too.
            _ = failure(error)
        }
    }
}
