// Shared folders come into the account's tree and leave it again, with everything in them. A folder
// that is not mounted keeps its entries, ids and revisions, which no path leads to. Not responsible
// for membership: the account is a member of all shared folders.

/// Why a shared folder cannot be accessed: `sharing.SharedFolderAccessError`, as far as the
/// emulator uses it.
enum SharedFolderAccessError: String, Sendable {
    case invalidID = "invalid_id"
    case unmounted
}

/// `sharing.MountFolderError`, as far as the emulator uses it.
enum MountFolderError: APIUnion, Equatable {
    case access(SharedFolderAccessError)
    case insufficientQuota(needed: Int64, left: Int64)
    case alreadyMounted
    case notMountable

    var json: JSONValue {
        switch self {
        case .access(let error): .tag("access_error", .tag(error.rawValue))
        case .insufficientQuota(let needed, let left):
            .tagged(
                "insufficient_quota",
                [
                    "space_needed": .integer(needed), "space_shortage": .integer(needed - left),
                    "space_left": .integer(left),
                ])
        case .alreadyMounted: .tag("already_mounted")
        case .notMountable: .tag("not_mountable")
        }
    }
}

/// `sharing.UnmountFolderError`, as far as the emulator uses it.
enum UnmountFolderError: APIUnion, Equatable {
    case access(SharedFolderAccessError)
    case notUnmountable

    var json: JSONValue {
        switch self {
        case .access(let error): .tag("access_error", .tag(error.rawValue))
        case .notUnmountable: .tag("not_unmountable")
        }
    }
}

extension AccountTree {
    /// Whether a shared folder can be mounted and unmounted: not a member's home, not a team's
    /// folder beside it, and not a part of another shared folder.
    private func comesAndGoes(_ node: NodeID) -> Bool {
        if sharedFolders.isUnmounted(node) { return true }
        guard self[node].isAlive, !isHome(node) else { return false }
        guard let around = sharedFolder(of: self[node].parent) else { return home == .root }
        return around.namespace == Self.homeNamespace(of: namespace)
    }

    /// The folder that a member's paths start from.
    private var home: NodeID { namespaceRoot(Self.homeNamespace(of: namespace)) ?? .root }

    /// The shared folders that can be mounted or unmounted, in the order of their namespaces.
    var mountableFolders: [NodeID] {
        sharedFolders.all { node, _ in comesAndGoes(node) }.sorted {
            Self.precedes(
                sharedFolders[$0]?.namespace ?? "", sharedFolders[$1]?.namespace ?? "")
        }
    }

    /// The folder of a namespace, mounted or not.
    private func sharedFolder(named namespace: String) -> NodeID? {
        sharedFolders.all {
            $1.namespace == namespace && (self[$0].isAlive || sharedFolders.isUnmounted($0))
        }.min { $0.index < $1.index }
    }

    /// Whether an entry lies in a shared folder that is not mounted.
    func isUnmounted(_ node: NodeID) -> Bool {
        sharedFolders.unmountedFolders.contains { nodes.isNode(node, within: $0) }
    }

    /// Puts a shared folder into the member's home, under another name if its own is taken.
    mutating func mountFolder(_ namespace: String) throws(MountFolderError) -> NodeID {
        guard let node = sharedFolder(named: namespace), let shared = sharedFolders[node] else {
            throw .access(.invalidID)
        }
        guard sharedFolders.isUnmounted(node) else {
            throw comesAndGoes(node) ? .alreadyMounted : .notMountable
        }
        let size = size(of: node)
        guard space.hasRoom(for: size) else {
            throw .insufficientQuota(needed: size, left: space.left)
        }
        let component = freeName(shared.name, in: home)
        sharedFolders.mount(node)
        nodes.place(node, in: home, as: component)
        space.add(size)
        let entries = nodes.subtree(node)
        nodes.setAlive(true, entries)
        for entry in entries {
            tombstones.take(nodes.paths(of: entry, from: .root).key)
            recordChange(entry)
        }
        return node
    }

    private func freeName(_ name: String, in folder: NodeID) -> PathComponent {
        let component = PathComponent(name, folding: folding)
        guard nodes.child(component.key, of: folder) != nil else { return component }
        let wanted = WriteTarget(base: folder, path: AbsolutePath(components: [component]))
        let free = freeTarget(near: wanted, style: .numbered, keepsExtension: false)
        return free.path.components.last ?? component
    }

    /// Takes a shared folder out of the account's tree.
    ///
    /// Listings tell the deletion of the folder alone, and its paths are as if they had never been:
    /// unlike those of deleted files, they have no revisions to be restored.
    mutating func unmountFolder(_ namespace: String) throws(UnmountFolderError) {
        guard let node = sharedFolder(named: namespace) else { throw .access(.invalidID) }
        guard !sharedFolders.isUnmounted(node) else { throw .access(.unmounted) }
        guard comesAndGoes(node) else { throw .notUnmountable }
        let path = nodes.paths(of: node, from: .root)
        let parent = self[node].parent
        space.remove(size(of: node))
        nodes.setAlive(false, nodes.subtree(node))
        nodes.detach(node)
        sharedFolders.unmount(node)
        recordDeletion(key: path.key, display: path.display, parent: parent)
    }
}
