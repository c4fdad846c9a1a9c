// The shared folders of an account, in its tree and out of it. Not responsible for where in the
// tree they are (`NodeTable`).

/// The shared folders by their entries.
struct SharedFolderTable: Equatable, Sendable {
    private var folders: [NodeID: SharedFolder] = [:]
    /// The folders that are not in the tree. They are not alive, and keep their children.
    private var unmounted: Set<NodeID> = []

    var isEmpty: Bool { folders.isEmpty }

    subscript(node: NodeID) -> SharedFolder? { folders[node] }

    /// Makes a folder a shared one.
    mutating func share(_ node: NodeID, _ shared: SharedFolder) {
        folders[node] = shared
    }

    /// The folders that a condition selects, in no order.
    func all(where isIncluded: (NodeID, SharedFolder) -> Bool) -> [NodeID] {
        folders.filter { isIncluded($0.key, $0.value) }.map(\.key)
    }

    /// Whether a folder itself is out of the tree.
    func isUnmounted(_ node: NodeID) -> Bool { unmounted.contains(node) }

    /// The folders that are out of the tree, in no order.
    var unmountedFolders: some Collection<NodeID> { unmounted }

    mutating func mount(_ node: NodeID) { unmounted.remove(node) }

    mutating func unmount(_ node: NodeID) { unmounted.insert(node) }
}
