// The entries of a tree, and the order of a folder's children. Not responsible for what follows
// from a change of an entry: the change log, the tombstones and the used space
// (`AccountTree+Write.swift`).

/// Every entry that the tree has ever had, by its index.
struct NodeTable: Equatable, Sendable {
    private var nodes = [AccountTree.Node(name: "", key: "", parent: .root, lastChange: -1)]

    /// The number of entries, deleted ones and the root included.
    var count: Int { nodes.count }

    /// The number of living entries, the root not counted.
    var livingCount: Int { nodes.count(where: \.isAlive) - 1 }

    subscript(node: NodeID) -> AccountTree.Node { nodes[Int(node.index)] }

    // MARK: Changes

    /// Adds an entry without a revision to a folder.
    mutating func add(_ component: PathComponent, to parent: NodeID) -> NodeID {
        let node = NodeID(index: Int32(nodes.count))
        nodes.append(
            AccountTree.Node(
                name: component.name, key: component.key, parent: parent, lastChange: 0))
        link(node)
        return node
    }

    /// Puts an entry that is in no folder into one, as a living entry.
    mutating func place(_ node: NodeID, in parent: NodeID, as component: PathComponent) {
        nodes[Int(node.index)].name = component.name
        nodes[Int(node.index)].key = component.key
        place(node, in: parent)
    }

    /// The same under its last name.
    mutating func place(_ node: NodeID, in parent: NodeID) {
        nodes[Int(node.index)].parent = parent
        nodes[Int(node.index)].isAlive = true
        link(node)
    }

    /// Takes an entry from its folder, which it still has for its parent.
    mutating func detach(_ node: NodeID) {
        let parent = self[node].parent
        let (index, isPresent) = position(of: self[node].key, in: parent)
        if isPresent { nodes[Int(parent.index)].children.remove(at: index) }
    }

    private mutating func link(_ node: NodeID) {
        let parent = self[node].parent
        let (index, _) = position(of: self[node].key, in: parent)
        nodes[Int(parent.index)].children.insert(node, at: index)
    }

    /// Notes the deletion of a subtree that is detached.
    mutating func delete(_ deleted: [NodeID]) {
        for node in deleted {
            nodes[Int(node.index)].isAlive = false
            nodes[Int(node.index)].children = []
        }
    }

    /// Notes that entries are in the tree, or are not; they keep their children.
    mutating func setAlive(_ isAlive: Bool, _ entries: [NodeID]) {
        for node in entries { nodes[Int(node.index)].isAlive = isAlive }
    }

    /// Changes the spelling of a name, which has the same key.
    mutating func respell(_ node: NodeID, as name: String) {
        nodes[Int(node.index)].name = name
    }

    /// Sets the newest revision of a file.
    mutating func setRevision(_ revision: RevisionID, of node: NodeID) {
        nodes[Int(node.index)].revision = revision
    }

    /// Notes the position in the change log of an entry's last change.
    mutating func setLastChange(_ position: Int32, of node: NodeID) {
        nodes[Int(node.index)].lastChange = position
    }

    // MARK: Children

    /// The index of a key among a folder's children, or where it would be inserted.
    func position(of key: String, in folder: NodeID) -> (index: Int, isPresent: Bool) {
        let children = nodes[Int(folder.index)].children
        var low = 0
        var high = children.count
        while low < high {
            let middle = (low + high) / 2
            let other = nodes[Int(children[middle].index)].key
            if other == key { return (middle, true) }
            if AccountTree.precedes(other, key) { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    /// The child with a key.
    func child(_ key: String, of folder: NodeID) -> NodeID? {
        let (index, isPresent) = position(of: key, in: folder)
        return isPresent ? nodes[Int(folder.index)].children[index] : nil
    }

    /// A node and everything below it, parents first.
    func subtree(_ node: NodeID) -> [NodeID] {
        var found = [node]
        var next = 0
        while next < found.count {
            found.append(contentsOf: self[found[next]].children)
            next += 1
        }
        return found
    }

    /// Whether the subtree has more entries than a limit; stops counting there.
    func subtree(_ node: NodeID, isLargerThan limit: Int) -> Bool {
        var pending = [node]
        var count = 0
        while let next = pending.popLast() {
            count += 1
            if count > limit { return true }
            pending.append(contentsOf: self[next].children)
        }
        return false
    }

    /// Whether a node is a folder or lies anywhere below it.
    func isNode(_ node: NodeID, within folder: NodeID) -> Bool {
        var current = node
        while current != folder {
            if current == .root { return false }
            current = self[current].parent
        }
        return true
    }

    // MARK: Paths

    /// The living node at a path below a base folder.
    func node(at path: some Sequence<PathComponent>, below base: NodeID) -> NodeID? {
        var current = base
        for component in path {
            guard let next = child(component.key, of: current) else { return nil }
            current = next
        }
        return current
    }

    /// The folded path and the spelled path of a node from a base folder; empty for the base.
    func paths(of node: NodeID, from base: NodeID) -> (key: String, display: String) {
        var chain: [NodeID] = []
        var current = node
        while current != base, current != .root {
            chain.append(current)
            current = self[current].parent
        }
        var key = ""
        var display = ""
        for node in chain.reversed() {
            key += "/" + self[node].key
            display += "/" + self[node].name
        }
        return (key, display)
    }
}
