// What a batch of news has taken from its place and will put elsewhere. Not responsible for the rows.

import Core
import MetadataStore
import RemoteStore

/// A node on its way from one place of the server to another, within one batch.
struct DetachedNode {
    var inode: InodeID
    var facts: RemoteFacts
    /// Where the server had it.
    var left: Place?
    /// Where users saw it, if that was where the server had it: so they see it follow.
    var seen: Place?
}

/// The nodes that are on their way, by what the server calls them.
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

    /// Those that are still on their way, which are not any more.
    mutating func removeAll() -> [DetachedNode] {
        defer { self = DetachedNodes() }
        return nodes.values.sorted { $0.inode.rawValue < $1.inode.rawValue }
    }
}
