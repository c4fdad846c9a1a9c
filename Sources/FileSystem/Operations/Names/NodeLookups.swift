// Looking up names, and forgetting inodes.

import Core
import MetadataStore
import Staging
import Sync
import Tree

/// Finds nodes for the kernel, and counts what it remembers.
final class NodeLookups: Sendable {
    static let ownName = Array(".".utf8)
    static let folderName = Array("..".utf8)

    private let store: MetadataStore
    private let tree: LocalTree
    private let attempts: StoreAttempts
    private let entries: KernelEntries
    private let inodes: KernelInodeCache
    private let ended: EndedInodes
    private let foldsCase: Bool

    init(
        store: MetadataStore, tree: LocalTree, attempts: StoreAttempts, entries: KernelEntries,
        inodes: KernelInodeCache, ended: EndedInodes, foldsCase: Bool
    ) {
        self.store = store
        self.tree = tree
        self.attempts = attempts
        self.entries = entries
        self.inodes = inodes
        self.ended = ended
        self.foldsCase = foldsCase
    }

    /// Finds a name in a folder: byte by byte, unless the mount folds case. Then one inode has two
    /// names in the kernel, which takes a rename from one to the other as a no-op.
    func lookup(_ name: [UInt8], in parent: InodeID) -> Answer<LookupResult> {
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

    /// Finds a node by the number of an inode that the kernel has forgotten, for a client of an NFS
    /// server or for `open_by_handle_at`: numbers are never used twice, so that they are valid in
    /// later mounts, too. The kernel writes the inode itself as "." and its folder as ".."; no path
    /// has these.
    private func found(
        by find: @escaping @Sendable (Snapshot) throws -> Node
    ) -> Answer<LookupResult> {
        attempts.answer { _ in
            let moment = self.entries.moment()
            let node = try self.store.readBriefly(find)
            guard node.place != nil || node.inode == .root else { throw FileSystemError.noEntry }
            return .found(self.entries.found(node, since: moment))
        }
    }

    private func lookup(named name: [UInt8], in parent: InodeID) -> Answer<LookupResult> {
        attempts.answer { known in
            let moment = self.entries.moment()
            do {
                let name = try FileName(finding: name)
                let node = try self.store.readBriefly {
                    try $0.child(name, in: parent, known, folding: self.foldsCase)
                }
                var entry = self.entries.found(node, since: moment)
                // Another spelling than the node's own is looked up each time, because no
                // invalidation names it.
                if node.place?.name.isShown(as: name) != true { entry.timeouts.entry = 0 }
                return .found(entry)
            } catch  where FileSystemError(cause: error) == .noEntry {
                return .absent(timeout: self.entries.absenceTimeout(since: moment))
            }
        }
    }

    /// Subtracts from an inode's lookup count.
    func forget(_ inode: InodeID, count: UInt64) {
        if inodes.forget(inode, count: count) { ended.add(inode) { self.tree.end($0) } }
    }

    /// The target of a symbolic link.
    func readSymbolicLink(_ inode: InodeID) -> Answer<[UInt8]> {
        attempts.answer { _ in
            let node = try self.store.readBriefly { try $0.existing(inode) }
            guard node.kind == .symbolicLink, let target = node.facts.target else {
                throw FileSystemError.invalidArgument
            }
            return target.bytes
        }
    }
}
