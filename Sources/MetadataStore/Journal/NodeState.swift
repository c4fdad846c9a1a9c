// How nodes stand to the server, for people: sent, waiting, refused, or never to be sent. Pure
// reading of the tree and the journal.

package import Core
import Saturating

/// How a node stands to the server.
package enum NodeState: String, Hashable, Sendable {
    /// The server has it as it is here.
    case synced
    /// A change is still to be sent; in a folder, of any node below it.
    case pending
    /// The server refuses a change.
    case problem
    /// It stays on this machine.
    case local
}

/// The nodes with unsent changes, and the folders above them.
package struct UnsentNodes: Hashable, Sendable {
    /// The states of these nodes.
    package fileprivate(set) var states: [InodeID: NodeState] = [:]
    /// Whether the journal has more entries than were read: then any folder may have unsent changes
    /// below it.
    package fileprivate(set) var isPart = false

    /// Creates a set without nodes.
    package init() {}

    /// The state of a node.
    package func state(of node: Node) -> NodeState {
        if node.flags.contains(.localOnly) { return .local }
        if let state = states[node.inode] { return state }
        return isPart && node.kind == .folder ? .pending : .synced
    }
}

extension TreeReading {
    /// Entries of the journal that are read for folders.
    private static var mostUnsent: Int { 10_000 }

    /// The nodes with unsent changes, of which the first ten thousand are read.
    package func unsentNodes() throws -> UnsentNodes {
        let entries = try journalEntries(limit: Self.mostUnsent +| 1)
        var unsent = UnsentNodes()
        unsent.isPart = entries.count > Self.mostUnsent
        for entry in entries {
            let state: NodeState = entry.problem == nil ? .pending : .problem
            var current = entry.inode
            // A problem goes over a waiting change. A cycle ends at the first node with the state.
            while unsent.states[current] != state, unsent.states[current] != .problem {
                unsent.states[current] = state
                guard let place = try node(current)?.place else { break }
                current = place.parent
            }
        }
        return unsent
    }

    /// The state of a node; of a folder, with everything below it.
    package func state(of node: Node) throws -> NodeState {
        if node.kind == .folder { return try unsentNodes().state(of: node) }
        if node.flags.contains(.localOnly) { return .local }
        guard let entry = try journalEntry(of: node.inode) else { return .synced }
        return entry.problem == nil ? .pending : .problem
    }

    /// Whether changes of a shared folder, or of nodes in it, are still to be sent.
    package func hasUnsent(inSharedFolder id: String) throws -> Bool {
        try nodes("WHERE node.shared = ? AND node.parent IS NOT NULL", [id]).contains {
            try state(of: $0) != .synced
        }
    }
}
