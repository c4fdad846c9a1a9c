// The nodes that a batch of deltas has taken from their places and will put elsewhere. Until then
// their rows look unsent, so lookups by ID ask here, too: one node must not get two identities. Not
// responsible for the rows.

import Core
import MetadataStore
import RemoteStore

/// A node between two remote places, within one batch.
struct DetachedNode {
    var inode: InodeID
    var facts: RemoteFacts
    /// Its former remote place.
    var left: Place?
    /// Its former local place, if that was the same: then it follows.
    var seen: Place?
}

/// The detached nodes, by their server IDs.
struct DetachedNodes {
    private var nodes: [FileID: DetachedNode] = [:]
    private var ids: [InodeID: FileID] = [:]

    func contains(_ id: FileID) -> Bool {
        nodes[id] != nil
    }

    subscript(inode: InodeID) -> DetachedNode? {
        ids[inode].flatMap { nodes[$0] }
    }

    mutating func insert(_ node: DetachedNode, _ id: FileID) {
        nodes[id] = node
        ids[node.inode] = id
    }

    mutating func remove(_ id: FileID) -> DetachedNode? {
        guard let node = nodes.removeValue(forKey: id) else { return nil }
        ids[node.inode] = nil
        return node
    }

    /// Removes and returns all remaining nodes.
    mutating func removeAll() -> [DetachedNode] {
        defer { self = DetachedNodes() }
        return nodes.values.sorted { $0.inode.rawValue < $1.inode.rawValue }
    }
}
