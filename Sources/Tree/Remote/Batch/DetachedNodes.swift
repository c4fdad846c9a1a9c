// The nodes that a batch of deltas has taken from their places and will put elsewhere. Until then
// their rows look unsent, so lookups by ID ask here, too: one node must not get two identities. Not
// responsible for their new places.

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
    /// The modes, times and attributes that the server has of it, which a move takes along.
    var told: PosixFacts?
    /// Whether users had changed those.
    var owesFacts: Bool
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

extension DeltaApplier {
    /// Detaches a node from its place if a later entry of the batch moves it, and returns whether
    /// that is so. Until then it has no place, so that another node can take it.
    mutating func detachIfMoved(_ node: Node) throws -> Bool {
        guard let id = node.facts.id, batch.isToldLater(id) else { return false }
        try detachUntilPlaced(node)
        return true
    }

    /// Detaches a node that the present entry, or a later one, will put elsewhere.
    mutating func detachUntilPlaced(_ node: Node) throws {
        guard let id = node.facts.id else { return }
        detached.insert(try detach(node), id)
    }

    /// The detached node, if a later entry of this batch will move it. Its row then says `remote =
    /// absent`, like a node that was never sent; check here before giving it another ID.
    func onItsWay(_ node: Node) -> DetachedNode? {
        detached[node.inode]
    }

    /// Detaches a node from its remote place, until `attach`.
    mutating func detach(_ node: Node) throws -> DetachedNode {
        let left = try transaction.remotePlace(of: node)
        let isSeenThere =
            try node.remote == .inPlace || node.flags.contains(.betweenMoves)
            || transaction.isUnseenMove(of: node)
        let seen = isSeenThere ? node.place : nil
        let told = try transaction.toldFacts(of: node.inode)
        if let seen {
            try transaction.move(node.inode, to: nil)
            announceLeft(seen)
        }
        try transaction.setRemoteAbsent(node.inode)
        // The listing of the old place may be of another folder.
        if node.kind == .folder { try transaction.setFlags(.listed, false, of: node.inode) }
        return DetachedNode(
            inode: node.inode, facts: node.facts, left: left, seen: seen, told: told,
            owesFacts: node.flags.contains(.factsOwed))
    }

    /// Whether a place that a detached node has left can have it again: the batch may have removed
    /// its folder.
    func isStillThere(_ place: Place) throws -> Bool {
        try transaction.isFree(place)
            && (place.parent == .root || transaction.node(place.parent)?.place != nil)
    }

    /// Whether a move is one of this mount's own, whose response was lost. If the node is not
    /// there, users have moved it back since.
    func isOwnMove(of node: Node, to place: Place) throws -> Bool {
        guard let own = try transaction.intent(ofMove: node.inode, to: place) else { return false }
        try transaction.noteArrival(of: own)
        return true
    }
}
