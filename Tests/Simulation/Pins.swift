// The pins of the users of a mount, and the rule that a pin stays with its node or goes to the one
// that takes its place. Not responsible for the content that pins keep on the disk.

import Core
import MetadataStore

/// The pinned nodes of a mount, as its users know them.
struct Pins {
    private var nodes: Set<InodeID> = []
    /// The files among them that users have opened since, and not removed.
    private var opened: Set<InodeID> = []

    /// A user has pinned a node, or is about to end its pin.
    mutating func set(_ isPinned: Bool, of inode: InodeID) {
        if isPinned { nodes.insert(inode) } else { nodes.remove(inode) }
        if !isPinned { forgetOpened() }
    }

    /// A user has opened a file.
    mutating func noteOpen(_ inode: InodeID) {
        if nodes.contains(inode) { opened.insert(inode) }
    }

    /// Users have removed a file, or its pin, or no handle is open.
    mutating func forgetOpened() { opened = [] }

    /// A user has put a node in the place of another one.
    mutating func handOver(from old: InodeID, to new: InodeID) {
        if nodes.remove(old) != nil { nodes.insert(new) }
    }

    /// A node that is still there, whose pin neither it nor another one has.
    mutating func lost(in snapshot: Snapshot) throws -> InodeID? {
        let pinned = Set(try snapshot.pins())
        // An open file that others have replaced comes back with a write through its handle, if
        // others have deleted the file with its pin, too.
        let shown = try opened.filter { inode in
            guard let name = try snapshot.node(inode)?.place?.name else { return false }
            return !name.string.contains("conflicted copy")
        }
        if pinned.isEmpty, let lost = shown.min(by: { $0.rawValue < $1.rawValue }) { return lost }
        if pinned == nodes { return nil }
        let known = try nodes.compactMap { try snapshot.node($0) }
        // The pin of a conflicted copy goes to the file that keeps the name, and with that. That of
        // a file which becomes local-only stays with the synced file that may take the place.
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
