// The pins of the users of a mount, and the rule that a pin stays with its node or goes to the one that takes its
// place. Not responsible for the content that pins keep on the disk.

import Core
import MetadataStore

/// The pinned nodes of a mount, as its users know them.
struct Pins {
    private var nodes: Set<InodeID> = []

    /// A user has pinned a node, or is about to end its pin.
    mutating func set(_ isPinned: Bool, of inode: InodeID) {
        if isPinned { nodes.insert(inode) } else { nodes.remove(inode) }
    }

    /// A user has put a node in the place of another one.
    mutating func handOver(from old: InodeID, to new: InodeID) {
        if nodes.remove(old) != nil { nodes.insert(new) }
    }

    /// A node that is still there, whose pin neither it nor another one has.
    mutating func lost(in snapshot: Snapshot) throws -> InodeID? {
        let pinned = Set(try snapshot.pins())
        if pinned == nodes { return nil }
        let known = try nodes.compactMap { try snapshot.node($0) }
        // The pin of a conflicted copy goes to the file that keeps the name, and with that. That of a file which
        // becomes local-only stays with the synced file that may take the place.
        let lost = known.filter { node in
            !pinned.contains(node.inode) && !node.flags.contains(.localOnly)
                && node.place.map { !$0.name.string.contains("conflicted copy") } ?? false
        }
        if lost.count > pinned.subtracting(nodes).count { return lost.first?.inode }
        // A deleted node has its pin again when it comes back.
        nodes = pinned.union(known.filter { $0.place == nil }.map(\.inode))
        return nil
    }
}
