// The files and folders of one Dropbox: a pure value that operations change. Lookup and the tables
// are here; the effects of operations are in the extensions beside this file. Not responsible for
// bytes (`ContentStore`), HTTP, or persistence (`Journal`).

/// The tree of one Dropbox.
struct AccountTree: Equatable, Sendable {
    /// Distinguishes this tree's ids, revs and namespaces from another's.
    let namespace: UInt32
    /// The rule for comparing names; the journal must be replayed with the same rule.
    let folding: FoldingRule
    let conduct: Conduct
    var nodes: [Node]
    var revisions: [Revision] = []
    var contents = ContentTable()
    var changes = TreeChangeLog()
    /// Tombstones by folded path.
    var tombstones: [String: Tombstone] = [:]
    var marks: [NodeID: FileMarks] = [:]
    var sharedFolders: [NodeID: SharedFolder] = [:]
    /// The shared folders that are not in the tree. They are not alive, and keep their children.
    var unmounted: Set<NodeID> = []
    var properties = PropertyTable()
    /// The secret parts of the shared links' URLs.
    var sharedLinks: [NodeID: String] = [:]
    /// Total size of the living files.
    var usedBytes: Int64 = 0
    /// The upper limit of `usedBytes`.
    var quota: Int64
    /// Relocating more entries than this at once is refused (`RelocationError.too_many_files`).
    var relocationLimit = 10_000
    /// Incremented to invalidate every cursor given out before.
    var cursorEpoch = 0

    init(
        namespace: UInt32, quota: Int64, folding: FoldingRule = .unicode4,
        conduct: Conduct = .init()
    ) {
        self.namespace = namespace
        self.folding = folding
        self.conduct = conduct
        self.quota = quota
        nodes = [Node(name: "", key: "", parent: .root, lastChange: -1)]
    }

    subscript(node: NodeID) -> Node {
        get { nodes[Int(node.index)] }
        set { nodes[Int(node.index)] = newValue }
    }

    subscript(revision: RevisionID) -> Revision { revisions[Int(revision.index)] }

    subscript(content: ContentID) -> Content { contents[content] }

    /// The number of living entries, the root not counted.
    var entryCount: Int {
        nodes.count(where: \.isAlive) - 1
    }
}

// MARK: Children

extension AccountTree {
    /// The index of a key among a folder's children, or where it would be inserted.
    func position(of key: String, in folder: NodeID) -> (index: Int, isPresent: Bool) {
        let children = nodes[Int(folder.index)].children
        var low = 0
        var high = children.count
        while low < high {
            let middle = (low + high) / 2
            let other = nodes[Int(children[middle].index)].key
            if other == key { return (middle, true) }
            if Self.precedes(other, key) { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    /// Keys are ordered by their UTF-8 bytes.
    static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// The child with a key.
    func child(_ key: String, of folder: NodeID) -> NodeID? {
        let (index, isPresent) = position(of: key, in: folder)
        return isPresent ? nodes[Int(folder.index)].children[index] : nil
    }

    /// Adds a node to the children of its parent.
    mutating func link(_ node: NodeID) {
        let parent = self[node].parent
        let (index, _) = position(of: self[node].key, in: parent)
        nodes[Int(parent.index)].children.insert(node, at: index)
    }

    /// Removes a node from the children of its parent.
    mutating func unlink(_ node: NodeID) {
        let parent = self[node].parent
        let (index, isPresent) = position(of: self[node].key, in: parent)
        if isPresent { nodes[Int(parent.index)].children.remove(at: index) }
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
}

// MARK: Paths

extension AccountTree {
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
