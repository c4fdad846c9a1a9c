// The nodes that must be sent before another one can be, and the problems for which it waits with
// them. Not responsible for steps (`UploadPlanner`).

package import Core
package import MetadataStore
import Saturating

extension Node {
    /// Whether a deleted file that the server has in its place becomes this new one, as its next
    /// revision.
    func mayTakeOver(_ occupant: Node) -> Bool {
        occupant.isTombstone && occupant.kind == .file && kind == .file
            // The new file may have the bytes of the document's export, which are not its content.
            && !occupant.isCloudDocument && remote == .absent && staged != nil
    }
}

extension TreeReading {
    /// Why a node is not sent: its own problem, or that of a node which it waits for, directly or
    /// not; nil if there is none.
    package func problem(delaying inode: InodeID) throws -> String? {
        try first(delaying: inode) { try journalEntry(of: $0)?.problem }
    }

    /// Whether all that is queued waits because of problems that do not pass by themselves: its
    /// own, or those of nodes which it waits for. Also false for a queue with so many waiting nodes
    /// that it would take long to find out: a wait for the queue asks 20 times a second.
    package func isQueueRefused() throws -> Bool {
        // The first alone is found at once, and as a rule it is sent.
        guard try topmostNotRefused(limit: 1).allSatisfy(waitsForRefused) else { return false }
        let limit = 100
        let others = try topmostNotRefused(limit: limit +| 1)
        return try others.count <= limit && others.allSatisfy(waitsForRefused)
    }

    private func waitsForRefused(_ inode: InodeID) throws -> Bool {
        try first(delaying: inode) { try isRefused($0) ? $0 : nil } != nil
    }

    /// The first value that `value` has for a node or for one that it waits for, directly or not.
    private func first<Value>(
        delaying inode: InodeID, _ value: (InodeID) throws -> Value?
    ) throws -> Value? {
        var next: InodeID? = inode
        // Nodes that exchange their places wait for each other.
        var seen: Set<InodeID> = []
        while let current = next, seen.insert(current).inserted {
            if let found = try value(current) { return found }
            next = try node(current).flatMap { try nodeAwaited(by: $0) }
        }
        return nil
    }

    /// The node that another one waits for, as the planner has it.
    private func nodeAwaited(by node: Node) throws -> InodeID? {
        guard let place = node.place else {
            return try remotePlace(of: node).flatMap {
                try nodeAwaited(byDeletionOf: node, in: $0.parent)
            }
        }
        guard try remotePath(of: place.parent) != nil else { return place.parent }
        if let between = try nodeBetweenMoves(above: place.parent) { return between }
        if node.remote == .inPlace { return nil }
        if node.remote == .displaced, try isRemote(place.parent, within: node.inode) {
            return try folderToMove(outOf: node, above: place.parent)
        }
        guard let occupant = try occupant(of: place), occupant.inode != node.inode,
            !node.mayTakeOver(occupant)
        else { return nil }
        return occupant.inode
    }

    /// The node that is sent before a deletion of one that the server has in a folder.
    func nodeAwaited(byDeletionOf node: Node, in folder: InodeID) throws -> InodeID? {
        // A file with a known revision is deleted by itself, so that an unknown edit is not deleted
        // with its folder. All other nodes are deleted with the folder.
        if node.kind == .folder || node.facts.revision == nil,
            let parent = try self.node(folder), parent.isTombstone
        {
            return parent.inode
        }
        return switch node.kind {
        case .folder: try obstacle(toDeleting: node.inode)
        case .file: try successor(of: node)?.inode
        case .symbolicLink, .fifo, .socket: nil
        }
    }

    /// The node that the server has in a place, and that is to leave it. Under a key that was not
    /// predicted, it counts only if it is to move: if it stays, the refusal tells the key.
    func occupant(of place: Place) throws -> Node? {
        let (name, folder) = (place.name, place.parent)
        if let node = try remoteChild(folded: name.folded, of: folder) { return node }
        if name.isASCII { return nil }
        let node = try remoteChild(like: name, of: folder)
        return node?.remote == .displaced ? node : nil
    }

    /// The folder, at or above one, that moves out of a node into which the server still has it.
    func folderToMove(outOf node: Node, above folder: InodeID) throws -> InodeID? {
        var current = folder
        while current != node.inode, let ancestor = try self.node(current) {
            if ancestor.remote == .displaced { return current }
            guard let place = try remotePlace(of: ancestor) else { break }
            current = place.parent
        }
        return nil
    }

    /// The topmost folder, at or above one, that has a temporary name on the server; nil if there
    /// is none.
    func nodeBetweenMoves(above folder: InodeID) throws -> InodeID? {
        guard try remotePath(of: folder).map(TemporaryName.occurs) == true else { return nil }
        var found: InodeID?
        var current = folder
        while current != .root, let node = try node(current),
            let place = try remotePlace(of: node)
        {
            if TemporaryName.isTemporary(place.name) { found = current }
            current = place.parent
        }
        return found
    }
}
