// Walks a folder's entries in the order of their paths, from any position.

/// A walk, parents before their children, that can be resumed after the tree has changed.
struct TreeWalk {
    /// The folders from the top to the current position, with the index of the next child of each.
    private var stack: [(folder: NodeID, next: Int)]
    private let isRecursive: Bool

    /// Starts after the entry that has these folded names below a folder; without names, at the
    /// start.
    init(_ tree: AccountTree, folder: NodeID, after names: [String], isRecursive: Bool) {
        self.isRecursive = isRecursive
        stack = []
        var current = folder
        for (depth, name) in names.enumerated() {
            let (index, isPresent) = tree.nodes.position(of: name, in: current)
            guard isPresent else {
                stack.append((current, index))
                return
            }
            stack.append((current, index + 1))
            current = tree[current].children[index]
            if depth == names.count - 1, !isRecursive { return }
        }
        stack.append((current, 0))
    }

    /// The next entry; nil after the last.
    mutating func next(in tree: AccountTree) -> NodeID? {
        while let top = stack.last {
            let children = tree[top.folder].children
            if top.next < children.count {
                stack[stack.count - 1].next += 1
                let node = children[top.next]
                if isRecursive, tree[node].isFolder { stack.append((node, 0)) }
                return node
            }
            stack.removeLast()
        }
        return nil
    }

    /// Whether the walk has reached the end.
    func isFinished(in tree: AccountTree) -> Bool {
        stack.allSatisfy { $0.next >= tree[$0.folder].children.count }
    }

    /// The folded names of the last returned entry.
    func position(in tree: AccountTree) -> [String] {
        var names: [String] = []
        for (folder, next) in stack where next > 0 {
            names.append(tree[tree[folder].children[next - 1]].key)
        }
        return names
    }
}
