// The changes of a tree in order, which cursors count. Not responsible for entries' own state, nor
// for what a listing shows of a change.

/// Every change: an entry that was written, or a deletion. It only grows.
struct TreeChangeLog: Equatable, Sendable {
    /// The entries that were written; nil for a deletion.
    private var nodes: [NodeID?] = []
    /// The deletions, by their positions.
    private var deletions: [Int32: DeletedPath] = [:]

    var count: Int { nodes.count }

    /// The position of the next change.
    var end: Int32 { Int32(nodes.count) }

    /// The entry that a change has written; nil for a deletion.
    func node(at position: Int) -> NodeID? { nodes[position] }

    func deletion(at position: Int32) -> DeletedPath? { deletions[position] }

    mutating func append(_ node: NodeID) { nodes.append(node) }

    mutating func append(_ deletion: DeletedPath) {
        deletions[end] = deletion
        nodes.append(nil)
    }
}
