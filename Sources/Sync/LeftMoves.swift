// Moves of nodes that another machine is to make first. Not responsible for when this one makes
// them: `Tree` sets their due times.

import Core
import MetadataStore
import Tree

extension TreeReading {
    /// Whether a node owes the server a move alone that no user here has asked for: the second one
    /// of another client, or that of an alias back to the own name. Callers that wait for the node
    /// neither wait for it nor hasten it.
    func isLeftToOthers(_ inode: InodeID) throws -> Bool {
        guard let node = try node(inode), node.place != nil, node.remote == .displaced,
            node.staged == nil, !node.flags.contains(.factsOwed)
        else { return false }
        return try node.flags.contains(.betweenMoves) || isReturning(node)
    }
}
