// Moves that no user has asked for: an alias that goes back to the own name of its node, which
// users have seen all the time. Not responsible for the choice of names (`Transaction+Names`).

import Core
package import MetadataStore

extension TreeReading {
    /// Whether users see a node at its place on the server as they do at its local place, so that
    /// only the server is to learn of its move.
    func isUnseenMove(of node: Node) throws -> Bool {
        guard let place = node.place, let there = try remotePlace(of: node),
            there.parent == place.parent
        else { return false }
        // The server's place keeps the own name under which users saw the node there. A response
        // that came since has only the alias; then the facts that the server has of the node have
        // the name, if machines share them.
        if there.name.shown == place.name.shown { return true }
        return try toldFacts(of: node.inode)?.ownName(of: there.name)?.bytes == place.name.shown
    }

    /// Whether a node is on its way from an alias back to its own name.
    package func isReturning(_ node: Node) throws -> Bool {
        guard node.remote == .displaced, !node.flags.contains(.betweenMoves),
            let place = node.place, place.name.own == nil, let there = try remotePlace(of: node),
            !TemporaryName.isTemporary(there.name)
        else { return false }
        return try isUnseenMove(of: node)
    }
}

extension Transaction {
    /// Leaves a node that is on its way back to its own name under the alias. Returns false if
    /// another node has that here.
    func endReturn(of node: Node) throws -> Bool {
        guard let place = node.place, let there = try remotePlace(of: node) else { return false }
        if let other = try child(folded: there.name.folded, of: place.parent),
            other.inode != node.inode
        {
            return false
        }
        let alias = try there.name.shown(as: OwnName(place.name.shown))
        try giveUpName(of: node.inode, for: Place(parent: place.parent, name: alias))
        return true
    }
}
